package machine_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/pkg/embedded"
)

func TestSecondStartFindsEveryLeadAndVehicle(t *testing.T) {
	dir := t.TempDir()
	config := machine.Config{
		Addr: "127.0.0.1:0", Profile: "testdata/dealer.yaml", Feed: "testdata/feed.json", Data: filepath.Join(dir, "data"),
		Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
	}
	d, stop := serve(t, config)
	eventually(t, "the inventory is imported", func() bool {
		return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == 5
	})
	body := lead(object{"idempotency_key": "before"})
	first := d.skill(t, body)
	if _, err := machine.Open(config); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("a second agent on the folder: %v, want ErrInUse", err)
	}
	stop()

	config.Feed = ""
	d, stop = serve(t, config)
	defer stop()
	if total := d.skill(t, `{"type":"inventory.search.request"}`).number("total"); total != 5 {
		t.Errorf("%d vehicles after the restart, want 5", total)
	}
	if again := d.skill(t, body); !equalJSON(t, first.payload, again.payload) {
		t.Errorf("before %s\nafter  %s", first.body, again.body)
	}
}

func TestEditedFeedIsImportedWhileRunning(t *testing.T) {
	dir := t.TempDir()
	feed := filepath.Join(dir, "feed.json")
	text := readFile(t, "testdata/feed.json")
	writeFile(t, feed, text)
	d, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: "testdata/dealer.yaml", Feed: feed, Data: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
	})
	defer stop()
	eventually(t, "the inventory is imported", func() bool {
		return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == 5
	})
	writeFile(t, feed, strings.Replace(text, `"status": "pending"`, `"status": "sold"`, 1))
	eventually(t, "the sold car is gone", func() bool {
		return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == 4
	})
	d.skill(t, `{"type":"inventory.vehicle.request","stock":"S200"}`).want("-32000 VEHICLE_UNAVAILABLE")

	// A feed that lost its identity must not empty the lot.
	writeFile(t, feed, `[{"colour":"red"}]`)
	time.Sleep(2500 * time.Millisecond)
	if total := d.skill(t, `{"type":"inventory.search.request"}`).number("total"); total != 4 {
		t.Errorf("%d vehicles after a broken feed, want the last good 4", total)
	}
	if err := os.Remove(feed); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if total := d.skill(t, `{"type":"inventory.search.request"}`).number("total"); total != 4 {
		t.Errorf("%d vehicles after the file went away, want the last good 4", total)
	}
}

func TestEditedProfileIsReloadedAndABadOneRefused(t *testing.T) {
	dir := t.TempDir()
	profile := filepath.Join(dir, "dealer.yaml")
	text := readFile(t, "testdata/dealer.yaml")
	writeFile(t, profile, text)
	d, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: profile, Data: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
	})
	defer stop()
	name := func() any { return d.skill(t, information).payload.Data["name"] }
	writeFile(t, profile, strings.Replace(text, "Demo Group", "Renamed Group", 1))
	eventually(t, "the new name is served", func() bool { return name() == "Renamed Group" })
	writeFile(t, profile, strings.Replace(text, "timezone: America/Denver", "timezone: Mars/Olympus", 1))
	time.Sleep(2500 * time.Millisecond)
	if got := name(); got != "Renamed Group" {
		t.Errorf("name %v after a bad profile, want the last good one", got)
	}
}
