package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/peers/npmtest"
)

// npmInstall is npmtest.Install.
func npmInstall(t *testing.T, pkg string, more ...string) string {
	t.Helper()
	return npmtest.Install(t, pkg, more...)
}

// serve runs the fixture dealer, with more lines in its profile, until the test ends.
func serve(t *testing.T, lines string) string {
	t.Helper()
	return serveFeed(t, lines, "../dealer/machine/testdata/feed.json")
}

// serveFeed is serve with an inventory of its own.
func serveFeed(t *testing.T, lines, feed string) string {
	t.Helper()
	profile, err := os.ReadFile("../dealer/machine/testdata/dealer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dealer.yaml")
	if err := os.WriteFile(file, append(profile, lines...), 0o600); err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	data := t.TempDir()
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: file, Feed: feed,
		Data: data, Outbox: filepath.Join(data, "outbox"), Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
	})
	return m.URL()
}

// runNode runs a script of testdata beside the node_modules of folder, where
// its imports find the packages, with input as JSON on stdin, and decodes what
// it prints.
func runNode(t *testing.T, folder, script string, input, output any) {
	t.Helper()
	stdin, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	file := npmtest.Script(t, folder, filepath.Join("testdata", script))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", file)
	cmd.Stdin = bytes.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := json.Unmarshal(out, output); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
