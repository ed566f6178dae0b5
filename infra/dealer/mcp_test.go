package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/embedded"
)

var allTools = []string{"aap_dealer_information", "aap_inventory_facets", "aap_inventory_search", "aap_inventory_vehicle", "aap_lead_submit"}

func TestALocalAgentAnswersAHostOverStdio(t *testing.T) {
	for _, revision := range revisions {
		h := connect(t, revision, nil, "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", t.TempDir(), "--clock", "2026-05-01T12:00:00Z")
		if names := h.names(t); !slices.Equal(names, allTools) {
			t.Fatalf("%q: tools %v", revision, names)
		}
		for tool, arguments := range map[string]string{
			"aap_dealer_information": `{}`, "aap_inventory_facets": `{}`, "aap_inventory_search": `{"filters":{"make":["Honda"]}}`,
			"aap_inventory_vehicle": `{"vin":"1HGCV1F30KA000001"}`, "aap_lead_submit": buyer(""),
		} {
			if answer, isError := h.call(t, tool, arguments); isError {
				t.Errorf("%q: %s: %v", revision, tool, answer)
			}
		}
		for tool, want := range map[string]string{"aap_inventory_vehicle": "SCHEMA_VALIDATION_FAILED", "aap_lead_submit": "MISSING_REQUIRED_FIELD"} {
			if answer, isError := h.call(t, tool, `{}`); !isError || answer["type"] != "aap.error" || answer["code"] == "" {
				t.Errorf("%q: %s {}: %v, want an error such as %s", revision, tool, answer, want)
			}
		}
		if text := h.stderr.String(); strings.Contains(text, "osa") || strings.Contains(text, "uist") {
			t.Errorf("the log tells who the buyer is:\n%s", text)
		}
	}
}

func TestWithoutFlagsTheSampleDealerAnswersAHost(t *testing.T) {
	h := connect(t, "", nil)
	answer, isError := h.call(t, "aap_inventory_search", `{}`)
	if isError || answer["data"].(map[string]any)["total"].(float64) < 100 {
		t.Errorf("%v", answer)
	}
}

// TestALeadOverStdioReachesTheOutbox: the machine hands over while the host talks.
func TestALeadOverStdioReachesTheOutbox(t *testing.T) {
	data := t.TempDir()
	h := connect(t, "", nil, "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", data, "--clock", "2026-05-01T12:00:00Z")
	if answer, isError := h.call(t, "aap_lead_submit", buyer("")); isError {
		t.Fatal(answer)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if files, _ := filepath.Glob(filepath.Join(data, "outbox", "*.xml")); len(files) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no ADF document came")
		}
	}
}

func TestAFolderInUseIsToldWithTheWayRound(t *testing.T) {
	data := t.TempDir()
	db, err := embedded.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := dealerCommand(t, "", "mcp", "--data", data)
	if r.code != 1 || r.out != "" || !strings.Contains(r.err, "dealer mcp --agent http://127.0.0.1:8080") || strings.Count(strings.TrimSpace(r.err), "\n") > 0 {
		t.Errorf("%+v", r)
	}
}

func TestWrongFlagsOfMCPAreUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--agent", "http://127.0.0.1:1", "--data", "x"},
		{"--agent", "http://127.0.0.1:1", "--agent", "http://127.0.0.1:2"},
		{"--agent", "North=http://127.0.0.1:1"}, {"--agent", "a__b=http://127.0.0.1:1"}, {"--agent", strings.Repeat("a", 33) + "=http://127.0.0.1:1"},
		{"--agent", "a-b=http://127.0.0.1:1", "--agent", "a_b=http://127.0.0.1:2"},
		{"--agent", "a=http://127.0.0.1:1", "--agent", "a=http://127.0.0.1:2"},
		{"--agent", "ftp://127.0.0.1/"}, {"--agent", "127.0.0.1:8080"}, {"--agent", "http://u:p@127.0.0.1/"},
		{"--agent", "http://127.0.0.1:1", "--deadline", "0s"}, {"extra"},
	} {
		if r := dealerCommand(t, "", append([]string{"mcp"}, args...)...); r.code != 2 || r.out != "" || strings.Contains(r.err, "u:p") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// oneShot are messages that a script pipes in at once, with its input closed
// right after the last one.
const oneShot = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_inventory_facets","arguments":{}}}
{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"aap_dealer_information","arguments":{}}}
`

func TestAOneShotPipeGetsEveryAnswerAndNothingElse(t *testing.T) {
	base := fixtureLot(t, "")
	for name, args := range map[string][]string{
		"local":     {"--profile", fixtureProfile, "--feed", fixtureFeed, "--clock", "2026-05-01T12:00:00Z"},
		"forwarded": {"--agent", base},
	} {
		for range 5 {
			out, errs := pipe(t, oneShot, args...)
			answers := lines(t, out)
			if len(answers) != 3 || answers["a"] == nil || answers[float64(1)] == nil || answers["1"] == nil {
				t.Fatalf("%s: %d answers:\n%s\n%s", name, len(answers), out, errs)
			}
		}
	}
}

// pipe runs the compiled command with an input that ends at once.
func pipe(t *testing.T, in string, args ...string) (out, errs string) {
	t.Helper()
	cmd := exec.Command(machinetest.Command(t), append([]string{"mcp"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a one-shot pipe took %v", took)
	}
	return stdout.String(), stderr.String()
}

// lines reads one message a line, by id.
func lines(t *testing.T, out string) map[any]map[string]any {
	t.Helper()
	answers := map[any]map[string]any{}
	for line := range strings.Lines(out) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("stdout holds what is no message: %q", line)
		}
		if method, _ := m["method"].(string); m["id"] == nil && strings.HasSuffix(method, "/list_changed") {
			continue // see TestListsAreAnnouncedWhereADealerIsFoundLater
		}
		answers[m["id"]] = m
	}
	return answers
}

func TestALineThatIsNoMessageIsAnsweredAndPassedOver(t *testing.T) {
	for _, bad := range []string{`{"jsonrpc":"2.0"`, `7`, `"x"`, `{}`, `[]`, `[[]]`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}`, "\x00", strings.Repeat("[", 100_000), `{"a":"` + strings.Repeat("x", 5<<20) + `"}`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`, `[{"jsonrpc":"2.0","id":98,"method":"ping"},{"jsonrpc":"2.0","id":98,"method":"ping"}]`} {
		head, tail, _ := strings.Cut(oneShot, "\n")
		out, errs := pipe(t, head+"\n"+bad+"\n"+tail, "--profile", fixtureProfile, "--feed", fixtureFeed)
		if answers := lines(t, out); answers[float64(1)] == nil || answers["1"] == nil {
			t.Errorf("after %.60q nothing was answered:\n%.2000s\n%s", bad, out, errs)
		}
	}
}
