package machine_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

const fourCars = "vin,stock,year,make,model,rooftop\n,A1,2020,Honda,Civic,North\n,A2,2020,Honda,Civic,North\n,A3,2020,Honda,Civic,North\n,A4,2020,Honda,Civic,North\n"

func TestARefusedFeedIsTakenOnceTheProfileAllowsIt(t *testing.T) {
	dir := t.TempDir()
	profile, feed := filepath.Join(dir, "dealer.yaml"), filepath.Join(dir, "feed.csv")
	text := readFile(t, "testdata/dealer.yaml")
	writeFile(t, profile, text)
	writeFile(t, feed, fourCars)
	var log record
	d, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: profile, Feed: feed, Data: filepath.Join(dir, "data"), Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	defer stop()
	cars := func(want int) func() bool {
		return func() bool { return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == want }
	}
	eventually(t, "four cars are listed", cars(4))
	one, _, _ := strings.Cut(fourCars, ",A2")
	writeFile(t, feed, one)
	eventually(t, "the feed of one car is refused", func() bool { return strings.Contains(log.String(), "max_drop") })
	if !cars(4)() {
		t.Fatal("the refused feed changed the inventory")
	}
	writeFile(t, profile, text+"inventory: {max_drop: 1}\n")
	eventually(t, "the feed of one car is taken", cars(1))
}

func TestAFeedThatCouldNotBeReadIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	feed := filepath.Join(dir, "feed.csv") // a folder: it is there and cannot be read
	if err := os.Mkdir(feed, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "dealer.yaml"), readFile(t, "testdata/dealer.yaml"))
	var log record
	_, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: feed, Data: filepath.Join(dir, "data"),
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	defer stop()
	eventually(t, "a second attempt is made", func() bool { return strings.Count(log.String(), `"level":"ERROR"`) >= 2 })
}

// TestWithoutAnInventoryNoneIsSaidToStay: neither while the file is missing nor
// once it is there and refused; afterwards there is one.
func TestWithoutAnInventoryNoneIsSaidToStay(t *testing.T) {
	dir := t.TempDir()
	feed := filepath.Join(dir, "feed.csv")
	var log record
	_, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: "testdata/dealer.yaml", Feed: feed, Data: filepath.Join(dir, "data"),
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	defer stop()
	says := func(text string) func() bool { return func() bool { return strings.Contains(log.String(), text) } }
	eventually(t, "the missing file is told", says(`"feed cannot be read, and there is no inventory yet: buyers find no vehicle"`))
	writeFile(t, feed, "vin,stock\n,\n")
	eventually(t, "the refusal is told", says(`"feed refused, and there is no inventory yet: buyers find no vehicle"`))
	if says("last good")() {
		t.Errorf("there never was one:\n%s", log.String())
	}
	writeFile(t, feed, fourCars)
	eventually(t, "four cars are imported", says(`"feed imported"`))
	if err := os.Remove(feed); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the missing file is told", says(`"feed cannot be read, the last good inventory stays"`))
}
