//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// killDealer is the profile of the dealer that gets killed: quotas out of the way.
const killDealer = `id: crash-dealer
name: Crash Dealer
rooftops:
  - {name: Main, timezone: America/Chicago, phones: [{value: "+13125550100"}]}
delivery:
  - {name: outbox, type: file, folder: outbox}
access: {per_minute: 1000000, leads_per_hour: 1000000}
`

// TestKilledAtAnyMomentLosesNoAcknowledgedLead kills the real command with
// SIGKILL while buyers submit leads, over and over on one data folder, and
// counts: every lead a buyer holds an id for must come out as ADF.
func TestKilledAtAnyMomentLosesNoAcknowledgedLead(t *testing.T) {
	rounds := 20
	if os.Getenv("CI") == "true" {
		rounds = 200
	}
	if testing.Short() {
		rounds = 3
	}
	binary := machinetest.Command(t)
	dir := t.TempDir()
	profile := filepath.Join(dir, "dealer.yaml")
	if err := os.WriteFile(profile, []byte(killDealer), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--addr", "127.0.0.1:0", "--profile", profile, "--data", filepath.Join(dir, "data"), "--outbox", filepath.Join(dir, "outbox")}
	acknowledged := map[string]string{}
	for round := range rounds {
		p := start(t, binary, args)
		for id, key := range submitUntilKilled(t, p, round) {
			if other, ok := acknowledged[id]; ok && other != key {
				t.Fatalf("lead %s was acknowledged for %s and for %s", id, other, key)
			}
			acknowledged[id] = key
		}
	}
	if len(acknowledged) < rounds {
		t.Fatalf("only %d leads were acknowledged in %d rounds: the test has no load", len(acknowledged), rounds)
	}
	p := start(t, binary, args)
	var missing []string
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if missing = missingDocuments(t, filepath.Join(dir, "outbox"), acknowledged); len(missing) == 0 {
			break
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C ended with %v, want exit code 0", err)
	}
	t.Logf("%d kills, %d leads acknowledged, %d missing", rounds, len(acknowledged), len(missing))
	if len(missing) > 0 {
		t.Errorf("%d of %d acknowledged leads are lost: %.3v", len(missing), len(acknowledged), missing)
	}
}

// process is one running `dealer run`.
type process struct {
	cmd *exec.Cmd
	url string
}

var agentLine = regexp.MustCompile(`^Agent:\s+(\S+)/a2a$`)

// start runs the command and waits for the address it prints.
func start(t *testing.T, binary string, args []string) process {
	t.Helper()
	cmd := exec.Command(binary, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := agentLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return process{cmd, m[1]}
		}
	}
	t.Fatalf("dealer run ended before it said where it is: %s", errs.String())
	return process{}
}

// submitUntilKilled has four buyers submit distinct leads until a SIGKILL at a
// random moment, and returns idempotency keys by acknowledged lead id.
func submitUntilKilled(t *testing.T, p process, round int) map[string]string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	acknowledged := map[string]string{}
	var buyers sync.WaitGroup
	for buyer := range 4 {
		buyers.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 5 * time.Second}
			defer client.CloseIdleConnections()
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("r%d-b%d-n%d", round, buyer, n)
				if id := submit(ctx, client, p.url, key); id != "" {
					mu.Lock()
					acknowledged[id] = key
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(time.Duration(10+rand.IntN(140)) * time.Millisecond)
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	cancel()
	buyers.Wait()
	return acknowledged
}

// submit sends one lead and returns the id the agent acknowledged, or "".
func submit(ctx context.Context, client *http.Client, base, key string) string {
	payload := strings.NewReplacer(`"pat@example.com"`, `"`+key+`@example.com"`,
		`"source_agent"`, `"idempotency_key":"`+key+`","source_agent"`).Replace(leadExample)
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"` + key +
		`","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/a2a", strings.NewReader(body))
	if err != nil {
		return ""
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			Message struct {
				Parts []struct {
					Data struct{ Data struct{ Lead_ID string } }
				}
			}
		}
	}
	if json.NewDecoder(res.Body).Decode(&answer) != nil || len(answer.Result.Message.Parts) != 1 {
		return ""
	}
	return answer.Result.Message.Parts[0].Data.Data.Lead_ID
}

func missingDocuments(t *testing.T, outbox string, acknowledged map[string]string) []string {
	t.Helper()
	var missing []string
	for id, key := range acknowledged {
		xml, err := os.ReadFile(filepath.Join(outbox, id+".xml"))
		if err != nil || !strings.Contains(string(xml), key+"@example.com") {
			missing = append(missing, id)
		}
	}
	return missing
}
