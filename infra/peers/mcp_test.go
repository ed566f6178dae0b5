package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// The official peers that the MCP tools are held against.
const (
	mcpSuite    = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	mcpNode     = "node@22.23.3" // the suite needs a newer one than many machines have
	mcpSDK      = "@modelcontextprotocol/sdk"
	mcpSDKAt    = mcpSDK + "@1.32.2"
	mcpClient   = "@modelcontextprotocol/client"
	mcpClientAt = mcpClient + "@2.4.0"
)

// toolCase is a call of a tool and what must come of it.
type toolCase struct {
	lines, tool, arguments string
	want                   string   // the type of the payload
	code                   aap.Code // of the refusal
	rpc                    int      // the protocol error
	onlyHTTP               bool     // whoever starts a command has no quota
}

func toolCases() []toolCase {
	lead := `"customer":{"first_name":"Anna","last_name":"Lee","email":"anna@example.com"},` +
		`"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"host"}`
	return []toolCase{
		{tool: "aap_dealer_information", arguments: `{}`, want: "dealer.information.response"},
		{tool: "aap_inventory_facets", arguments: `{"type":"inventory.facets.request"}`, want: "inventory.facets.response"},
		{tool: "aap_inventory_search", arguments: `{"filters":{"make":["Honda"]}}`, want: "inventory.search.response"},
		{tool: "aap_inventory_vehicle", arguments: `{"stock":"T100"}`, want: "inventory.vehicle.response"},
		{tool: "aap_lead_submit", arguments: `{` + lead + `,"idempotency_key":"K","message":"1"}`, want: "lead.submit.response"},
		{tool: "aap_lead_submit", arguments: `{` + lead + `,"idempotency_key":"K","message":"2"}`, code: aap.IdempotencyConflict},
		{tool: "aap_inventory_search", arguments: `{"filters":{"color":["red"]}}`, code: aap.SchemaValidationFailed},
		{tool: "aap_inventory_search", arguments: `{"sort":{"field":"price"}}`, code: aap.MissingRequiredField},
		{tool: "aap_lead_submit", arguments: `{` + lead + `,"trade_in":{"condition":"used"}}`, code: aap.InvalidCondition},
		{tool: "aap_inventory_vehicle", arguments: `{"stock":"none"}`, code: aap.VehicleNotFound},
		{tool: "aap_inventory_vehicle", arguments: `{"stock":"S201"}`, code: aap.VehicleUnavailable},
		{tool: "aap_lead_submit", arguments: `{` + strings.Replace(lead, `"consent"`, `"nothing"`, 1) + `}`, code: aap.ContactConsentRequired},
		{tool: "aap_lead_submit", arguments: `{` + strings.Replace(lead, `"I agree."`, `" "`, 1) + `}`, code: aap.InvalidConsent},
		{tool: "aap_unknown", arguments: `{}`, rpc: -32602},
		{lines: "skills: [inventory.search]\n", tool: "aap_inventory_search", arguments: `{}`, want: "inventory.search.response"},
		{lines: "skills: [inventory.search]\n", tool: "aap_lead_submit", arguments: `{` + lead + `}`, rpc: -32602},
		// The handshake and the list of tools count as well.
		{lines: "access: {per_minute: 4}\n", tool: "aap_dealer_information", arguments: `{}`, onlyHTTP: true},
		{lines: "access: {per_minute: 4}\n", tool: "aap_dealer_information", arguments: `{}`, onlyHTTP: true},
		{lines: "access: {per_minute: 4}\n", tool: "aap_dealer_information", arguments: `{}`, onlyHTTP: true},
		{lines: "access: {per_minute: 4}\n", tool: "aap_dealer_information", arguments: `{}`, code: aap.RateLimited, onlyHTTP: true},
	}
}

// grouped are the cases of a door by their profile, in order.
func grouped(door string) map[string][]toolCase {
	groups := map[string][]toolCase{}
	for _, c := range toolCases() {
		if door == "HTTP" || !c.onlyHTTP {
			groups[c.lines] = append(groups[c.lines], c)
		}
	}
	return groups
}

// judge holds what a client was given against the case.
func (c toolCase) judge(t *testing.T, isError bool, structured, text []byte, rpc int) {
	t.Helper()
	if c.rpc != 0 || rpc != 0 {
		if rpc != c.rpc {
			t.Errorf("%s %s: protocol error %d, want %d", c.tool, c.arguments, rpc, c.rpc)
		}
		return
	}
	var left, right any
	if json.Unmarshal(structured, &left) != nil || json.Unmarshal(text, &right) != nil || fmt.Sprint(left) != fmt.Sprint(right) {
		t.Errorf("%s: structured content and text differ:\n%s\n%s", c.tool, structured, text)
	}
	if c.want == "" && c.code == "" {
		return
	}
	if got := aapCode(structured, true); isError != (c.code != "") || got != string(c.code) || c.want != "" && typeOf(structured) != c.want {
		t.Errorf("%s %s: %s, isError %v, want %s%s", c.tool, c.arguments, structured, isError, c.want, c.code)
	}
}

// TestOfficialTypeScriptMCPClients lists and calls each tool and reads each
// refusal with both generations of the client, and the newer one in each way
// it settles the revision.
func TestOfficialTypeScriptMCPClients(t *testing.T) {
	for _, host := range []struct{ sdk, at, mode, protocol string }{
		{mcpSDK, mcpSDKAt, "", "2025-11-25"},
		{mcpClient, mcpClientAt, "legacy", "2025-11-25"},
		{mcpClient, mcpClientAt, "auto", "2026-07-28"},
		{mcpClient, mcpClientAt, "2026-07-28", "2026-07-28"},
	} {
		folder := npmInstall(t, host.at)
		for name, open := range doors {
			if name == forwarded && host.sdk != mcpSDK {
				continue // the strictest reader of the lists is enough
			}
			t.Run(host.at+" "+host.mode+"/"+name, func(t *testing.T) {
				for lines, cases := range grouped(name) {
					seen := hostRun(t, folder, host.sdk, open(t, lines), host.mode, cases)
					protocol := host.protocol
					if name != "HTTP" && host.sdk == mcpSDK {
						protocol = "" // it does not tell
					}
					if seen.Protocol != protocol || !strings.Contains(seen.Instructions, "car dealer") {
						t.Errorf("%q: by %s, instructions %q", lines, seen.Protocol, seen.Instructions)
					}
					seen.judge(t, lines, cases)
				}
			})
		}
	}
}

// toolsOf is how many tools the fixture dealer has with more lines.
func toolsOf(lines string) int {
	if strings.HasPrefix(lines, "skills") {
		return 1
	}
	return 5
}

func (seen hostSeen) judge(t *testing.T, lines string, cases []toolCase) {
	t.Helper()
	// Some clients drop a tool whose schema they cannot read, and say nothing.
	if len(seen.Tools) != toolsOf(lines) {
		t.Errorf("%q: %d tools", lines, len(seen.Tools))
	}
	for _, tool := range seen.Tools {
		if len(tool.InputSchema.Properties) == 0 || tool.Meta["aap_skill_id"] == nil || tool.Annotations["title"] == nil {
			t.Errorf("%+v", tool)
		}
	}
	for i, c := range cases {
		got := seen.Answers[i]
		switch {
		case got.Error != nil:
			c.judge(t, false, nil, nil, got.Error.Code)
		case len(got.Result.Content) == 0:
			t.Errorf("%s: %+v", c.tool, got.Result)
		default:
			c.judge(t, got.Result.IsError, got.Result.StructuredContent, []byte(got.Result.Content[0].Text), 0)
		}
	}
}

// hostSeen is what a TypeScript host was given.
type hostSeen struct {
	Protocol, Instructions string
	Tools                  []hostTool
	Answers                []hostAnswer
}

type hostTool struct {
	Name        string
	InputSchema struct{ Properties map[string]any }
	Annotations map[string]any
	Meta        map[string]any `json:"_meta"`
}

type hostAnswer struct {
	Result struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Type, Text string }
	}
	Error *hostError
	Shown []shownForm
}

type hostError struct {
	Message string
	Code    int
}

// shownForm is a form as a person is shown it.
type shownForm struct {
	Message         string
	RequestedSchema struct {
		Type       string
		Properties map[string]map[string]any
	}
}

func hostRun(t *testing.T, folder, sdk string, at door, mode string, cases []toolCase) (seen hostSeen) {
	t.Helper()
	type call struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var calls []call
	for _, c := range cases {
		calls = append(calls, call{c.tool, json.RawMessage(c.arguments)})
	}
	runNode(t, folder, "mcp.mjs", map[string]any{"sdk": sdk, "url": at.url, "command": at.command, "mode": mode, "calls": calls}, &seen)
	if len(seen.Answers) != len(cases) {
		t.Fatalf("%d answers to %d calls", len(seen.Answers), len(cases))
	}
	return seen
}

// TestOfficialGoMCPClient does the same with the Go client in each revision.
func TestOfficialGoMCPClient(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		for name, open := range doors {
			t.Run(revision+"/"+name, func(t *testing.T) {
				for lines, cases := range grouped(name) {
					client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)
					session, err := client.Connect(t.Context(), open(t, lines).transport(), &mcp.ClientSessionOptions{ProtocolVersion: revision})
					if err != nil {
						t.Fatal(err)
					}
					if got, err := session.ListTools(t.Context(), nil); err != nil || len(got.Tools) != toolsOf(lines) {
						t.Fatalf("%q: %v %v", lines, got, err)
					}
					for _, c := range cases {
						c.call(t, session)
					}
					if err := session.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// call makes the call of the case with the Go client.
func (c toolCase) call(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		c.judge(t, false, nil, nil, int(e.Code))
		return
	}
	if err != nil || len(result.Content) == 0 {
		t.Fatalf("%s: %v %v", c.tool, result, err)
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	c.judge(t, result.IsError, structured, []byte(result.Content[0].(*mcp.TextContent).Text), 0)
}
