package crm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestFileOutboxHoldsOneWholeFilePerLead(t *testing.T) {
	b := newBench(t, outbox("box", "out/leads"))
	r := b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(b.BaseDir, "out", "leads")
	if diff := cmp.Diff([]string{"L-1.xml"}, folder(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(b.rendered(t, r, adf.Options{}), read(t, dir, "L-1.xml")); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "L-1.xml"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	if len(b.overs) != 1 || b.overs[0].File != filepath.Join(dir, "L-1.xml") || b.overs[0].Target != "box" {
		t.Errorf("hand-overs told: %+v", b.overs)
	}
	d := b.want(t, "L-1", "box", lead.HandedOver, 1)
	if !strings.Contains(b.log.String(), `"msg":"lead handed over","lead_id":"L-1","target":"box","attempts":1,"receipt":"written","file":"`+dir+`/L-1.xml"`) {
		t.Errorf("log %s", b.log)
	}
	if d.Begun || d.Receipt != "written at 2026-05-01T12:00:00Z: L-1.xml" {
		t.Errorf("state %+v", d)
	}
}

func TestFileOutboxIsNotWrittenTwice(t *testing.T) {
	b := newBench(t, outbox("box", "out"))
	b.submit(t, "L-1", nil)
	for range 3 {
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
	}
	b.want(t, "L-1", "box", lead.HandedOver, 1)
	if len(b.overs) != 1 {
		t.Errorf("told %d hand-overs", len(b.overs))
	}
}

func TestFileOutboxFailureIsTemporaryAndLeavesNothing(t *testing.T) {
	b := newBench(t, outbox("box", "taken/leads"))
	b.submit(t, "L-1", nil)
	blocker := filepath.Join(b.BaseDir, "taken")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.handle(t, "L-1"); err == nil {
		t.Fatal("a lead that was not written counts as done")
	}
	if d := b.want(t, "L-1", "box", lead.Retrying, 1); d.Begun {
		t.Error("a document that was never written is taken for one that may have arrived")
	}
	if err := os.Remove(blocker); err != nil {
		t.Fatal(err)
	}
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "box", lead.HandedOver, 2)
	if doc := read(t, blocker, "leads", "L-1.xml"); !strings.Contains(doc, `status="new"`) {
		t.Error("the first document that was written is marked as a resend")
	}
}

func TestFileOutboxNeverLeavesItsFolder(t *testing.T) {
	for _, id := range []string{"../L-1", "a/b", ".hidden", "a\\..\\b\x00", strings.Repeat("x", 300)} {
		b := newBench(t, outbox("box", "out"))
		b.submit(t, id, nil)
		if err := b.handle(t, id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		b.want(t, id, "box", lead.Failed, 1)
		if names := folder(t, filepath.Dir(b.BaseDir)); strings.Contains(strings.Join(names, " "), "L-1") {
			t.Errorf("%q escaped: %v", id, names)
		}
	}
}

func TestFileOutboxClearsWhatAKilledAttemptLeft(t *testing.T) {
	b := newBench(t, outbox("box", "out"))
	b.submit(t, "L-1", nil)
	dir := filepath.Join(b.BaseDir, "out")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".L-1-123.tmp"), []byte("<?xml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"L-1.xml"}, folder(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestFileOutboxReplacesADocumentThatSaysSomethingElseNow(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out", "L-1.xml")
	b := newBench(t, outbox("box", "out"))
	b.BaseDir = dir
	b.submit(t, "L-1", nil)
	again := func() string {
		t.Helper()
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
		states, err := b.Leads.Deliveries(t.Context(), b.profile.ID, "L-1")
		if err != nil || len(states) != 1 {
			t.Fatalf("%v, %v", states, err)
		}
		states[0].State, states[0].Begun = lead.Queued, true
		if _, err := b.Leads.UpdateDelivery(t.Context(), b.profile.ID, "L-1", states[0]); err != nil {
			t.Fatal(err)
		}
		return read(t, filepath.Join(dir, "out"), "L-1.xml")
	}
	first := again()
	if second := again(); second != first {
		t.Errorf("the same document that nobody fetched was written again:\n%s", second)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(first, "<customer>", "<customer><!-- older -->", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if third := again(); strings.Contains(third, "older") || !strings.Contains(third, `<prospect status="resend">`) {
		t.Errorf("what no longer holds still lies there:\n%s", third)
	}
}
