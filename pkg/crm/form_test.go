package crm_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestEachTargetGetsTheFormItAsksFor(t *testing.T) {
	split, branded, plain := outbox("split", "split"), outbox("branded", "branded"), outbox("plain", "plain")
	split.ADF, split.ASCII = &dealer.ADF{Names: "split"}, true
	branded.ADF = &dealer.ADF{Names: "full", ProviderName: "Lakeside Online"}
	b := newBench(t, split, branded, plain)
	r := b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	documents := map[string]string{}
	for _, target := range b.profile.Delivery {
		got := read(t, filepath.Join(b.BaseDir, target.Folder), "L-1.xml")
		if diff := cmp.Diff(b.rendered(t, r, adf.Options{ASCII: target.ASCII, Form: target.ADF}), got); diff != "" {
			t.Errorf("%s: %s", target.Name, diff)
		}
		documents[target.Name] = got
	}
	for target, texts := range map[string][2]string{
		"split": {`<name part="last">N&#250;&#241;ez</name>`, `part="full">Wilhelmina`}, "branded": {"Lakeside Online", `part="first"`},
		"plain": {`<name part="full">Wilhelmina Núñez</name>`, "Lakeside Online"},
	} {
		if !strings.Contains(documents[target], texts[0]) || strings.Contains(documents[target], texts[1]) {
			t.Errorf("%s wants %s and not %s:\n%.900s", target, texts[0], texts[1], documents[target])
		}
	}
}
