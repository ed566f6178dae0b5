package machine_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

func TestProfilesThatWouldMisleadBuyersAreRefusedAtStart(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	for _, v := range []struct {
		name string
		edit func(string) string
		says []string
	}{
		{"two fees of one name", replace("{name: Protection package, amount: 1290}", "{name: documentation, amount: 700}"), []string{"fees"}},
		{"a fee below zero", replace("amount: 1290", "amount: -1290"), []string{"fees", "amount"}},
		{"an address without encryption", add("url: http://agent.example.com"), []string{"https://agent.example.com"}},
		{"a rooftop nobody can reach", replace(`    phones: [{name: Sales, value: "+13035550100"}]`+"\n", ""), []string{"rooftops[1]"}},
		{"a phone that is not E.164", replace("+13035550100", "303-555-0100"), []string{"phones"}},
		{"a time zone without place", replace("America/Denver", "MST"), []string{"timezone"}},
		{"a contract that is not served", add("versions: [v1.3, v2.0]"), []string{"versions[1]", "v2.0", "not known"}},
		{"a skill nobody knows", add("skills: [inventory.serch]"), []string{"inventory.search"}},
		{"no skill", add("skills: []"), []string{"skills"}},
		{"leads that go nowhere", replace("delivery:\n  - {name: outbox, type: file, folder: outbox}\n", ""), []string{"delivery"}},
		{"a secret of AWS without AWS", replace("{name: outbox, type: file, folder: outbox}", `{name: crm, type: https, url: "https://crm.example.com", auth: {type: bearer, secret: "ssm:/dealer/crm"}}`),
			[]string{"delivery target crm: ssm:/dealer/crm needs AWS, which is not configured here", "write env:NAME"}},
		{"mail through AWS without AWS", replace("{name: outbox, type: file, folder: outbox}", `{name: crm, type: ses, from: a@example.com, to: [b@example.com]}`),
			[]string{"delivery target crm: a target of type ses needs AWS", "use another type"}},
		{"several faults", func(p string) string {
			return add("skills: [inventory.serch]\nversions: [v2.0]")(replace("America/Denver", "MST")(p))
		},
			[]string{"timezone", "inventory.search", "versions"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "dealer.yaml"), v.edit(readFile(t, "testdata/dealer.yaml")))
			m, err := machine.Open(machine.Config{Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Data: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler)})
			if err == nil {
				t.Fatalf("started: %v", m.Close())
			}
			for _, want := range v.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %s", err, want)
				}
			}
		})
	}
}
