//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// store fills a data folder with leads, of which every fifth is the buyer's.
func storeLeads(t *testing.T, data string, n int) {
	t.Helper()
	db, err := embedded.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Now()
	for i := range n {
		buyer := fmt.Sprint("buyer", i)
		if i%5 == 0 {
			buyer = "mallory"
		}
		id := fmt.Sprintf("lead-%06d", i)
		err := db.Leads().Create(t.Context(), lead.Entry{Record: lead.Record{
			ID: id, DealerID: "d", ReceivedAt: now, Version: "v1.3", ExpiresAt: now.AddDate(1, 0, 0),
			Request: fmt.Appendf(nil, `{"customer":{"email":"%s@example.com"},"message":%q}`, buyer, strings.Repeat(buyer+" says hello. ", 20)),
			Answer:  lead.Answer{Data: json.RawMessage(`{}`)},
		}, Key: &lead.Key{Value: buyer + id, Digest: "x", LeadID: id, ExpiresAt: now.AddDate(1, 0, 0)}}, now)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnErasureKilledAtAnyMomentIsFinishedByTheNext kills the real command with
// SIGKILL, runs it once more to its end and looks at every byte.
func TestAnErasureKilledAtAnyMomentIsFinishedByTheNext(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	binary := machinetest.Command(t)
	data := t.TempDir()
	storeLeads(t, data, 400)
	whole, err := os.ReadFile(filepath.Join(data, "dealer.db"))
	if err != nil {
		t.Fatal(err)
	}
	for range rounds {
		if err := os.WriteFile(filepath.Join(data, "dealer.db"), whole, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "leads", "erase", "--email", "mallory@example.com", "--yes", "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		r := dealerCommand(t, "", "leads", "erase", "--email", "mallory@example.com", "--yes", "--data", data)
		if r.code != 0 {
			t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
		}
		if bytes.Contains(everyByte(t, data), []byte("mallory")) {
			t.Fatal("the buyer is still in the folder")
		}
		var left []struct{ ID string }
		out := dealerCommand(t, "", "leads", "list", "--json", "--data", data).out
		if err := json.Unmarshal([]byte(out), &left); err != nil || len(left) != 320 {
			t.Fatalf("%d leads are left, want 320: %v", len(left), err)
		}
	}
}

// TestAnExportToAFullDiskFailsAndLeavesTheOldFile bounds the size of a file.
func TestAnExportToAFullDiskFailsAndLeavesTheOldFile(t *testing.T) {
	binary := machinetest.Command(t)
	data, dir := t.TempDir(), t.TempDir()
	storeLeads(t, data, 100)
	file := filepath.Join(dir, "leads.csv")
	if err := os.WriteFile(file, []byte("yesterday's"), 0o600); err != nil {
		t.Fatal(err)
	}
	// 20 blocks of 512 bytes; without the trap the signal would end the command.
	line := fmt.Sprintf(`trap "" XFSZ; ulimit -f 20; exec %q leads export --format csv --data %q --out %q`, binary, data, file)
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "dealer:") {
		t.Errorf("the export succeeds: %v %s", err, out)
	}
	if body, err := os.ReadFile(file); err != nil || string(body) != "yesterday's" {
		t.Errorf("the old file is now %d bytes, %v", len(body), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	full := exec.Command("sh", "-c", fmt.Sprintf(`exec %q leads export --data %q >/dev/full`, binary, data))
	if err := full.Run(); err == nil {
		if _, missing := os.Stat("/dev/full"); missing == nil {
			t.Error("an export to a full device succeeds")
		}
	}
}
