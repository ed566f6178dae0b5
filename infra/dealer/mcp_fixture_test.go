package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// host is an AI host that started `dealer mcp` and holds its pipes.
type host struct {
	*mcp.ClientSession
	stderr *safeBuffer
	asked  atomic.Int32 // forms that were shown
	// person answers them; nil accepts.
	person func(*mcp.ElicitParams) *mcp.ElicitResult
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// revisions are the newest one and the newest with a handshake.
var revisions = []string{"", "2025-11-25"}

// connect starts the compiled command as a host does.
func connect(t *testing.T, revision string, env []string, args ...string) *host {
	t.Helper()
	h := &host{stderr: &safeBuffer{}}
	cmd := exec.Command(machinetest.Command(t), append([]string{"mcp"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = h.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			h.asked.Add(1)
			if h.person != nil {
				return h.person(r.Params), nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("%v\n%s", err, h.stderr)
	}
	h.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return h
}

// names are the tools that the host is shown.
func (h *host) names(t *testing.T) []string {
	t.Helper()
	list, err := h.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, h.stderr)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool; the answer is what both forms of the result hold.
func (h *host) call(t *testing.T, tool, arguments string) (answer map[string]any, isError bool) {
	t.Helper()
	result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, arguments, err, h.stderr)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, text)
	}
	structured, _ := json.Marshal(result.StructuredContent)
	if again, _ := json.Marshal(answer); string(structured) != string(again) {
		t.Errorf("%s: text and structured content differ:\n%s\n%s", tool, again, structured)
	}
	return answer, result.IsError
}

// refused calls a tool that is nobody's and returns what the host is told.
func (h *host) refused(t *testing.T, tool string) string {
	t.Helper()
	result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{}`)})
	if err == nil {
		t.Fatalf("%s was answered: %+v", tool, result)
	}
	return err.Error()
}

// noon is the clock of the agents that are asked.
func noon() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// lot runs an agent with a feed and more lines in its profile, behind those of
// its prices.
func lot(t *testing.T, feed, lines string) (base, outbox string) {
	t.Helper()
	dir := t.TempDir()
	profile, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	const prices = "  includes: all_mandatory_charges\n"
	document := strings.Replace(string(profile), prices, prices+lines, 1)
	for name, body := range map[string]string{"dealer.yaml": document, "feed.json": feed} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "feed.json"), noon(), noon()); err != nil {
		t.Fatal(err)
	}
	outbox = filepath.Join(dir, "outbox")
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: filepath.Join(dir, "feed.json"),
		Data: filepath.Join(dir, "data"), Outbox: outbox, Now: noon, Log: slog.New(slog.DiscardHandler),
	})
	return m.URL(), outbox
}

// fixtureLot is the fixture's own inventory.
func fixtureLot(t *testing.T, lines string) string {
	t.Helper()
	feed, err := os.ReadFile(fixtureFeed)
	if err != nil {
		t.Fatal(err)
	}
	base, _ := lot(t, string(feed), lines)
	return base
}

// counter stands before an agent, counts the messages it is sent and keeps
// what they hold. The agent's card names this address.
type counter struct {
	*httptest.Server
	messages atomic.Int32
	mu       sync.Mutex
	seen     strings.Builder
	// meanwhile, when set, answers in the agent's place when it returns true.
	meanwhile func(w http.ResponseWriter, r *http.Request) bool
}

func before(t *testing.T, base string) *counter {
	t.Helper()
	c := &counter{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		c.mu.Lock()
		c.seen.WriteString(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + "\n" + body.String() + "\n")
		c.mu.Unlock()
		if r.Method == http.MethodPost {
			c.messages.Add(1)
		}
		var message struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(body.Bytes(), &message)
		r.Header.Set("X-Test-Id", string(message.ID))
		if c.meanwhile != nil && c.meanwhile(w, r) {
			return
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.Path, &body)
		if err != nil {
			t.Error(err)
			return
		}
		out.Header = r.Header.Clone()
		resp, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		var answer bytes.Buffer
		_, _ = answer.ReadFrom(resp.Body)
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(bytes.ReplaceAll(answer.Bytes(), []byte(base), []byte(c.URL)))
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *counter) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.String()
}

// buyer is a lead as a model sends it.
func buyer(more string) string {
	return `{"customer":{"first_name":"Rosa","last_name":"Quist","email":"rosa@quist.example"},` +
		`"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree to be contacted by e-mail.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"test"}` + more + `}`
}
