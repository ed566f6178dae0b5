package machine_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"path/filepath"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// record keeps what was logged.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func TestTheLogRepeatsNothingACallerWroteInARequestLine(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "dealer.yaml"), readFile(t, "testdata/dealer.yaml"))
	var log record
	d, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Data: filepath.Join(dir, "data"),
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	for _, c := range [][2]string{
		{"GET", "/.well-known/pat.sample@example.com"},
		{"GET", "/.well-known/agent-card.json/pat.sample"},
		{"GET", "/.well-known/" + strings.Repeat("pat.sample", 2000)},
		{"PAT.SAMPLE", "/.well-known/agent-card.json"},
		{"PAT.SAMPLE", "/a2a"},
		{"GET", "/.well-known/agent-card.json?name=pat.sample"},
	} {
		req, err := http.NewRequest(c[0], d.url+c[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := d.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	stop()
	got := log.String()
	if strings.Contains(strings.ToLower(got), "pat.sample") {
		t.Errorf("the log holds a caller's words:\n%.2000s", got)
	}
	for _, want := range []string{`"path":"/.well-known/agent-card.json","status":200`, `"status":404`, `"status":405`} {
		if !strings.Contains(got, want) {
			t.Errorf("the log does not tell %s:\n%.2000s", want, got)
		}
	}
}
