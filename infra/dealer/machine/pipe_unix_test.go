//go:build unix

package machine_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

func TestAPipeInPlaceOfTheFeedDoesNotKeepTheAgentFromStopping(t *testing.T) {
	dir := t.TempDir()
	feed := filepath.Join(dir, "feed.csv")
	if err := syscall.Mkfifo(feed, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	writeFile(t, filepath.Join(dir, "dealer.yaml"), readFile(t, "testdata/dealer.yaml"))
	var log record
	_, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: feed, Data: filepath.Join(dir, "data"),
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	eventually(t, "the feed is reported", func() bool { return strings.Contains(log.String(), "feed cannot be read") })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		t.Fatal("the agent does not stop")
	}
}
