package machine_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// TestAStartClearsAwayNothingButSockets writes what a broken or forged control
// file could say.
func TestAStartClearsAwayNothingButSockets(t *testing.T) {
	data, mine, left := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), ".control-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	none := func(context.Context, machine.Folder, []string, io.Reader, io.Writer, io.Writer) int { return 0 }
	for _, c := range []struct {
		named string
		stays bool
	}{{mine, true}, {left, false}} {
		if err := os.WriteFile(filepath.Join(data, "control"), []byte(filepath.Join(c.named, "s")), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stop := machinetest.Serve(t, machine.Config{
			Addr: "127.0.0.1:0", Profile: "testdata/dealer.yaml", Feed: "testdata/feed.json", Data: data, Command: none, Log: slog.New(slog.DiscardHandler),
		})
		stop()
		if _, err := os.Stat(c.named); (err == nil) != c.stays {
			t.Errorf("%s: %v, should stay: %v", c.named, err, c.stays)
		}
	}
}
