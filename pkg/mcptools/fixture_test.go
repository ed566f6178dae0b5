package mcptools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// revisions are those that the official client can speak to a server without
// sessions; the empty one is the newest.
var revisions = []string{"", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// house is a dealer agent behind the handler.
type house struct {
	*httptest.Server
	stack *agenttest.Stack
	log   *bytes.Buffer
}

// open serves a profile with more lines; change may replace parts of the config.
func open(t *testing.T, lines string, change func(*mcptools.Config)) *house {
	t.Helper()
	return openProfile(t, agenttest.Profile+lines, agenttest.Vehicles(), change)
}

// openProfile serves a profile with a lot of its own.
func openProfile(t *testing.T, profile string, vehicles []inventory.Vehicle, change func(*mcptools.Config)) *house {
	t.Helper()
	s := agenttest.With(t, profile, vehicles)
	h := &house{stack: s, log: &bytes.Buffer{}}
	c := mcptools.Config{
		Agent: s.Agent, Replay: s.Agent.Replay, Profiles: dealer.Fixed(s.Profile), Loopback: true,
		Settings: agent.Settings{
			Now: agenttest.Now, Ticks: agenttest.Now, NewID: s.NewID,
			Log: slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
	}
	if change != nil {
		change(&c)
	}
	h.Server = httptest.NewServer(mcptools.NewHandler(c))
	t.Cleanup(h.Close)
	return h
}

// connect is the official client, pinned to a revision.
func (h *house) connect(t *testing.T, revision string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("%q: %v", revision, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool and returns the payload, read from both places.
func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) (payload map[string]any, isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for i, c := range result.Content {
		if _, link := c.(*mcp.ResourceLink); i > 0 && !link {
			t.Fatalf("%s: %T after the text", tool, c)
		}
	}
	text := result.Content[0].(*mcp.TextContent).Text
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	payload = parse(t, []byte(text))
	again, _ := json.Marshal(payload)
	if string(again) != string(structured) {
		t.Errorf("%s: text and structured content differ:\n%s\n%s", tool, again, structured)
	}
	return payload, result.IsError
}

// post sends one request as it stands.
func (h *house) post(t *testing.T, body string, headers ...string) (status int, header http.Header, answer string) {
	t.Helper()
	return h.send(t, http.MethodPost, body, headers...)
}

func (h *house) send(t *testing.T, method, body string, headers ...string) (status int, header http.Header, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, got.Header, string(content)
}

// profiles is a Source that a test may change.
type profiles struct {
	profile *dealer.Profile
	err     error
}

func (p *profiles) Profile(context.Context) (*dealer.Profile, error) { return p.profile, p.err }

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// toolCall is a call in the wire form of the revisions with a handshake.
func toolCall(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// name is the tool of a skill, written out.
var name = map[aap.Skill]string{
	aap.DealerInformation: "aap_dealer_information",
	aap.InventoryFacets:   "aap_inventory_facets",
	aap.InventorySearch:   "aap_inventory_search",
	aap.InventoryVehicle:  "aap_inventory_vehicle",
	aap.LeadSubmit:        "aap_lead_submit",
}

// clock goes on by an hour with each look, so that no quota is ever used up.
func clock() func() time.Time {
	now := agenttest.Clock
	return func() time.Time {
		now = now.Add(time.Hour)
		return now
	}
}
