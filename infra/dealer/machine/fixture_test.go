package machine_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// noon is the fixture's clock.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

// door is a running agent seen from outside.
type door struct {
	url    string
	outbox string
	feed   string
	client *http.Client

	machine *machine.Machine
	config  machine.Config
	stop    func()
}

// open runs the fixture dealer until the test ends, with edits made to its
// profile text, and waits until the inventory is there.
func open(t *testing.T, edits ...func(profile string) string) *door {
	t.Helper()
	return openLot(t, readFile(t, "testdata/feed.json"), 5, fixed, edits...)
}

// openLot is open with another feed, of which so many cars are listed, and a
// clock of its own. The feed was written at noon.
func openLot(t *testing.T, feed string, cars int, now func() time.Time, edits ...func(profile string) string) *door {
	t.Helper()
	dir := t.TempDir()
	profile := readFile(t, "testdata/dealer.yaml")
	for _, edit := range edits {
		profile = edit(profile)
	}
	writeFile(t, filepath.Join(dir, "dealer.yaml"), profile)
	d := &door{feed: filepath.Join(dir, "feed.json")}
	d.rewrite(t, feed, noon)
	running, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: d.feed,
		Data: filepath.Join(dir, "data"), Outbox: filepath.Join(dir, "outbox"), Now: now,
		Log: slog.New(slog.NewTextHandler(testLog{t}, nil)),
	})
	running.feed, running.stop = d.feed, stop
	t.Cleanup(func() { running.stop() })
	running.lists(t, cars)
	return running
}

// rewrite replaces the feed file by one that was written at the given time.
func (d *door) rewrite(t *testing.T, feed string, at time.Time) {
	t.Helper()
	writeFile(t, d.feed, feed)
	if err := os.Chtimes(d.feed, at, at); err != nil {
		t.Fatal(err)
	}
}

// restart starts the agent anew on the same data with another feed, and
// returns when that was looked at.
func (d *door) restart(t *testing.T, feed string, at time.Time) {
	t.Helper()
	d.stop()
	d.rewrite(t, feed, at)
	again, stop := serve(t, d.config)
	d.url, d.machine, d.stop = again.url, again.machine, stop
	if err := d.machine.WaitForInventory(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// lists waits until so many cars are for sale.
func (d *door) lists(t *testing.T, cars int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d cars are listed", cars), func() bool {
		a := d.skill(t, `{"type":"inventory.search.request"}`, "Authorization", "Bearer "+token, "A2A-Version", "1.0",
			"A2A-Extensions", "https://autoagentprotocol.org/extensions/aap/v1.3")
		return a.number("total") == cars || a.fault.Code == "UNSUPPORTED_SKILL"
	})
}

// serve starts one machine; stop ends it and waits for its clean end.
func serve(t *testing.T, config machine.Config) (*door, func()) {
	t.Helper()
	m, stop := machinetest.Serve(t, config)
	return &door{url: m.URL(), outbox: config.Outbox, client: &http.Client{Timeout: 10 * time.Second}, machine: m, config: config}, stop
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, name, body string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

// testLog shows the agent's log with the test that caused it.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	// The machine may log after the test body ended; its Cleanup waits for it.
	l.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}
