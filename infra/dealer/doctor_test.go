package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestDoctorTellsTheOutcomeByItsExitCode(t *testing.T) {
	well := running(t, t.TempDir())
	broken := httptest.NewServer(http.NotFoundHandler())
	defer broken.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Setenv("EMPTY_TOKEN", "")
	for _, c := range []struct {
		name     string
		args     []string
		code     int
		out, err string
	}{
		{"a well agent", []string{well}, 0, "PASS  " + well, ""},
		{"an agent without a card", []string{broken.URL}, 1, "FAIL  " + broken.URL, ""},
		{"nobody there", []string{gone.URL}, 3, "UNREACHABLE  " + gone.URL, ""},
		{"no address", []string{"agent"}, 2, "", "no address of an agent"},
		{"no argument", nil, 2, "", "usage: dealer doctor (URL | --stack STACK)"},
		{"a variable that is not there", []string{well, "--token-env", "EMPTY_TOKEN"}, 2, "", "EMPTY_TOKEN"},
		{"a time that is none", []string{well, "--timeout", "0s"}, 2, "", "--timeout"},
		{"a flag that is none", []string{well, "--stak", "x"}, 2, "", "--stak"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, "", append([]string{"doctor"}, c.args...)...)
			if r.code != c.code || !strings.Contains(r.out, c.out) || (c.out == "") != (r.out == "") || !strings.Contains(r.err, c.err) || (c.err == "") != (r.err == "") {
				t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
			}
			if strings.Contains(r.out, "\x1b") {
				t.Errorf("colours outside a terminal: %q", r.out)
			}
		})
	}
}

func TestDoctorPrintsJSON(t *testing.T) {
	const token = "sesame-open-up"
	digest := "access: {tokens: [{name: doctor, sha256: " + dealer.TokenHash(token) + "}]}\n"
	url := running(t, t.TempDir(), digest, "versions: [v1.3, v0.1]\n")
	t.Setenv("AGENT_TOKEN", token)
	r := dealerCommand(t, "", "doctor", url, "--json", "--token-env", "AGENT_TOKEN")
	var report struct {
		Verdict  string
		Versions []string
		Findings []struct{ ID, Verdict string }
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || r.code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
	if report.Verdict != "pass" || fmt.Sprint(report.Versions) != "[v1.3 v0.1]" || len(report.Findings) < 50 || strings.Contains(r.out, token) {
		t.Errorf("%s", r.out)
	}
}

// TestDoctorOfAnAgentThatOnlyEchoes examines a server of the official Go SDK
// that declares AAP and knows nothing of it.
func TestDoctorOfAnAgentThatOnlyEchoes(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(echo{})))
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name":"Other","description":"Echoes.","version":"1","capabilities":{"extensions":[{"uri":%q}]},
			"supportedInterfaces":[{"url":"%s/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"skills":[{"id":"inventory.search","name":"S","description":"S","tags":["s"]},{"id":"lead.submit","name":"L","description":"L","tags":["l"]}]}`, aap.V1_3.ExtensionURI, server.URL)
	})
	r := dealerCommand(t, "", "doctor", server.URL, "--deep", "--json")
	if r.code != 1 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	verdicts := map[string]string{}
	var report struct {
		Findings []struct{ ID, Verdict string }
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		verdicts[f.ID] = f.Verdict
	}
	for id, want := range map[string]string{
		"card.found": "pass", "card.shape": "pass", "contract.spoken": "pass", "card.params": "fail", "card.etag": "warn",
		"errors.parse": "pass", "errors.method": "pass", "skill.answer": "fail", "errors.skill": "fail", "consent.gate": "fail",
	} {
		if verdicts[id] != want {
			t.Errorf("%s: %q, want %s", id, verdicts[id], want)
		}
	}
}
