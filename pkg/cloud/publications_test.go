package cloud_test

import (
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// TestALogEntryOfAnImportThatDiedBeforeItsFlipIsNotTold cuts the line between
// the log and the head, as the death of the function would.
func TestALogEntryOfAnImportThatDiedBeforeItsFlipIsNotTold(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	logged := func(hour int, note string) inventory.Change {
		c := lot(2, note)
		c.Log = inventory.Log{Kept: true, Until: epoch.AddDate(2, 0, 0), Entries: []inventory.Publication{
			{At: epoch.Add(time.Duration(hour) * time.Hour), Key: c.All[0].Key, Source: note},
		}}
		return c
	}
	told := func() (sources string) {
		t.Helper()
		err := store.Published(t.Context(), "seabright", epoch, func(p inventory.Publication) error {
			sources += p.Source + " "
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return sources
	}
	first, err := store.Apply(t.Context(), "seabright", inventory.Head{}, logged(0, "first"))
	if err != nil {
		t.Fatal(err)
	}
	unchanged := inventory.Change{All: lot(2, "").All, Vouched: first.Vouched, Log: inventory.Log{Kept: true, Until: epoch}}
	before := w.calls["BatchWriteItem"]
	if first, err = store.Apply(t.Context(), "seabright", first, unchanged); err != nil || w.calls["BatchWriteItem"] != before {
		t.Fatalf("an unchanged feed writes %d batches, %v", w.calls["BatchWriteItem"]-before, err)
	}
	// A change of nothing but the log has the flip as its only put.
	w.cut = map[string]bool{"PutItem": true}
	dying := logged(1, "dead")
	dying.Put = nil
	if _, err := store.Apply(t.Context(), "seabright", first, dying); err == nil {
		t.Fatal("the flip got through")
	}
	w.cut = nil
	second, err := store.Apply(t.Context(), "seabright", first, logged(2, "second"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Apply(t.Context(), "seabright", second, logged(3, "third")); err != nil {
		t.Fatal(err)
	}
	// What the dead one said of the lot as it stood was true.
	if got := told(); got != "first dead second third " && got != "first second third " {
		t.Errorf("told: %s", got)
	}
}
