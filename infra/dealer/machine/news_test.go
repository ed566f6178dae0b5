package machine_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// TestTheLogTellsWhatBecameOfAnEdit edits profile and feed of a running agent:
// whoever edits must see that the edit arrived, and what of it was not taken.
func TestTheLogTellsWhatBecameOfAnEdit(t *testing.T) {
	dir := t.TempDir()
	profile, feed := filepath.Join(dir, "dealer.yaml"), filepath.Join(dir, "feed.csv")
	text := readFile(t, "testdata/dealer.yaml")
	writeFile(t, profile, text)
	north := fourCars
	writeFile(t, feed, north+",B1,2020,Honda,Civic,South\n,B2,2020,Honda,Civic,South\n")
	var log record
	_, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: profile, Feed: feed, Data: filepath.Join(dir, "data"), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	defer stop()
	says := func(text string) func() bool {
		return func() bool { return strings.Contains(log.String(), text) }
	}
	eventually(t, "the feed is imported", says("feed imported"))
	if says("profile changed")() {
		t.Errorf("a start is no change:\n%s", log.String())
	}
	writeFile(t, feed, north)
	eventually(t, "the rooftop that the feed lacks is named", says("rooftop=South"))
	writeFile(t, profile, text+"inventory: {max_drop: 1}\n")
	eventually(t, "the new profile is announced", says("profile changed"))
}
