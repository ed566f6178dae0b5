package a2a_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestConversations plays each recorded conversation and compares every byte.
// A file holds prose, optional profile lines, then requests and their answers.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Errorf("%s does not say what it guards", file)
	}
	profile := agenttest.Profile
	var out []txtar.File
	var pending string
	h := http.Handler(nil)
	for _, f := range a.Files {
		switch kind, _, _ := strings.Cut(f.Name, " "); kind {
		case "profile":
			profile += string(f.Data)
			out = append(out, f)
		case "request":
			if h == nil {
				h = handler(agenttest.New(t, profile))
			}
			pending = exchangeText(t, h, string(f.Data))
			out = append(out, f, txtar.File{Name: strings.Replace(f.Name, "request", "response", 1), Data: []byte(pending)})
		case "response":
			if got, want := pending, string(f.Data); got != want && !*update {
				t.Errorf("%s, %s:\n got %s\nwant %s", file, f.Name, got, want)
			}
		default:
			t.Fatalf("%s: unknown section %q", file, f.Name)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: a.Comment, Files: out}), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(out) != len(a.Files) {
		t.Errorf("%s: a request has no response; run with -update and read what it writes", file)
	}
}

// handler serves s with clocks that stand, so that no quota grows back.
func handler(s *agenttest.Stack) http.Handler { return ticking(s, agenttest.Now) }

// ticking is handler with a clock of quotas of its own; nil is the default.
func ticking(s *agenttest.Stack, ticks func() time.Time) http.Handler {
	return a2a.NewHandler(a2a.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Settings: agent.Settings{Now: agenttest.Now, Ticks: ticks, NewID: s.NewID}})
}

// exchangeText sends one request written as "METHOD PATH", headers, a blank
// line and a body, and writes the answer the same way.
func exchangeText(t *testing.T, h http.Handler, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		t.Fatalf("request line %q", lines[0])
	}
	r := httptest.NewRequest(method, path, strings.NewReader(strings.TrimSpace(body)))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", w.Code)
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(w.Header()[name], ", "))
	}
	fmt.Fprintf(&b, "\n%s", w.Body)
	return b.String()
}

// post sends a JSON body and decodes the answer.
func post(t *testing.T, h http.Handler, body string, headers ...string) (*httptest.ResponseRecorder, reply) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/a2a", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, decode(t, w.Body.Bytes())
}

// reply is an answer taken apart.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func decode(t *testing.T, body []byte) reply {
	t.Helper()
	var r reply
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&r); err != nil {
		t.Fatalf("answer %q: %v", body, err)
	}
	return r
}

// code is the JSON-RPC error code, 0 for a result.
func (r reply) code() int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// aapError is the AAP error within a bare error.data.
func (r reply) aapError(t *testing.T) aapError {
	t.Helper()
	var e aapError
	if r.Error == nil {
		t.Fatalf("a result where an error was expected: %s", r.Result)
	}
	if len(r.Error.Data) > 0 && r.Error.Data[0] == '{' {
		if err := json.Unmarshal(r.Error.Data, &e); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

type aapError struct {
	Type      string `json:"type"`
	ErrorID   string `json:"error_id"`
	Code      string `json:"code"`
	Retryable bool   `json:"retryable"`
	Details   struct {
		Errors []struct {
			InstanceLocation, Keyword, Error string
		} `json:"errors"`
		RetryAfterMS int64 `json:"retry_after_ms"`
	} `json:"details"`
}

// pointers lists "pointer keyword" of each listed fault.
func (e aapError) pointers() []string {
	var out []string
	for _, v := range e.Details.Errors {
		out = append(out, v.InstanceLocation+" "+v.Keyword)
	}
	return out
}

// message wraps a payload in a SendMessage with id 7.
func message(payload string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
}
