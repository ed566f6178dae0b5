package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// formHost is an official client whose person answers forms.
type formHost struct{ sdk, at, mode, protocol string }

func formHosts() []formHost {
	return []formHost{
		{mcpSDK, mcpSDKAt, "", "2025-11-25"},
		{mcpClient, mcpClientAt, "legacy", "2025-11-25"},
		{mcpClient, mcpClientAt, "auto", "2026-07-28"},
		{mcpClient, mcpClientAt, "2026-07-28", "2026-07-28"},
		{"", "", "2026-07-28", "2026-07-28"}, // the Go client
		{"", "", "2025-11-25", "2025-11-25"},
		{"", "", "2025-06-18", "2025-06-18"},
	}
}

func (h formHost) String() string { return strings.TrimSpace(h.at + " " + h.mode) }

// formCall is a call, and what the person makes of a form.
type formCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Form      map[string]any  `json:"form"`
}

// play has the host make the calls at the url, or of the command it starts.
func (h formHost) play(t *testing.T, url string, command []string, calls []formCall) (seen hostSeen) {
	t.Helper()
	if h.sdk != "" {
		runNode(t, npmInstall(t, h.at), "mcp.mjs", map[string]any{"sdk": h.sdk, "url": url, "command": command, "mode": h.mode, "calls": calls}, &seen)
	} else {
		seen = h.playGo(t, url, command, calls)
	}
	// The older client does not tell what it speaks over pipes.
	if len(seen.Answers) != len(calls) || seen.Protocol != h.protocol && (h.sdk != mcpSDK || seen.Protocol != "") {
		t.Fatalf("%d answers to %d calls by %s", len(seen.Answers), len(calls), seen.Protocol)
	}
	return seen
}

func (h formHost) playGo(t *testing.T, url string, command []string, calls []formCall) (seen hostSeen) {
	t.Helper()
	var now hostAnswer
	var form map[string]any
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			schema, err := json.Marshal(r.Params.RequestedSchema)
			shown := shownForm{Message: r.Params.Message}
			if err == nil {
				err = json.Unmarshal(schema, &shown.RequestedSchema)
			}
			now.Shown = append(now.Shown, shown)
			content, _ := form["content"].(map[string]any)
			return &mcp.ElicitResult{Action: fmt.Sprint(form["action"]), Content: content}, err
		},
	})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}
	if len(command) > 0 {
		transport = &mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...)}
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: h.mode})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	seen.Protocol = session.InitializeResult().ProtocolVersion
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen.Tools = make([]hostTool, len(list.Tools))
	for _, c := range calls {
		now, form = hostAnswer{}, c.Form
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			now.Error = &hostError{e.Message, int(e.Code)}
		} else if err != nil {
			t.Fatal(err)
		} else {
			now.Result.IsError = result.IsError
			now.Result.StructuredContent, _ = json.Marshal(result.StructuredContent)
			now.Result.Content = append(now.Result.Content, struct{ Type, Text string }{"text", result.Content[0].(*mcp.TextContent).Text})
		}
		seen.Answers = append(seen.Answers, now)
	}
	return seen
}

// buyer is a lead without a consent.
func buyer(name string) json.RawMessage {
	return json.RawMessage(`{"customer":{"first_name":"Rosa","last_name":"Quist","email":"` + name + `@quist.example","phone":"+14155550123"},"source_agent":{"name":"host"}}`)
}

// visit is what one host did at one dealer, and how the person answered.
func visit() (calls []formCall, reasons []string) {
	agree := map[string]any{"action": "accept", "content": map[string]any{"email": true}}
	for _, c := range toolCases() {
		if c.lines == "" {
			calls = append(calls, formCall{c.tool, json.RawMessage(c.arguments), agree})
			reasons = append(reasons, "")
		}
	}
	for _, c := range []struct {
		name, reason string
		form         map[string]any
	}{
		{"accept", "accept", map[string]any{"action": "accept", "content": map[string]any{"email": true, "phone": false, "sms": true}}},
		{"decline", "declined", map[string]any{"action": "decline"}},
		{"cancel", "cancelled", map[string]any{"action": "cancel"}},
		{"none", "no_channel", map[string]any{"action": "accept", "content": map[string]any{"email": false}}},
	} {
		calls, reasons = append(calls, formCall{"aap_lead_submit", buyer(c.name), c.form}), append(reasons, c.reason)
	}
	return calls, reasons
}

// TestOfficialMCPClientsShowForms: each client at the compiled command, over
// each transport, lists and calls each tool, reads each refusal, and has its
// person accept, decline, close and leave blank the form for a consent. What was
// accepted reaches store and CRM, and of the rest not a byte reaches the dealer.
func TestOfficialMCPClientsShowForms(t *testing.T) {
	for _, h := range formHosts() {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			for door, open := range map[string]func(*testing.T) (url string, command []string, p premises, stop func(), seen func() string){
				"stdio": func(t *testing.T) (string, []string, premises, func(), func() string) {
					p := newPremises(t, "")
					return "", append([]string{machinetest.Command(t), "mcp"}, p.args()...), p, func() {}, nil
				},
				"HTTP": func(t *testing.T) (string, []string, premises, func(), func() string) {
					p := newPremises(t, "")
					base, stop := p.run(t)
					return base + "/mcp", nil, p, stop, nil
				},
				"forwarding": func(t *testing.T) (string, []string, premises, func(), func() string) {
					w := newWire(t)
					p := newPremises(t, "url: "+w.URL+"\n")
					base, stop := p.run(t)
					w.target, _ = url.Parse(base)
					return "", []string{machinetest.Command(t), "mcp", "--agent", w.URL}, p, stop, w.text
				},
			} {
				t.Run(door, func(t *testing.T) { h.visits(t, door, open) })
			}
		})
	}
}

func (h formHost) visits(t *testing.T, door string, open func(*testing.T) (string, []string, premises, func(), func() string)) {
	url, command, place, stop, wire := open(t)
	calls, reasons := visit()
	seen := h.play(t, url, command, calls)
	if len(seen.Tools) != 5 {
		t.Errorf("%d tools", len(seen.Tools))
	}
	cases := toolCases()
	asks := door != "HTTP" || h.protocol == "2026-07-28"
	for i, got := range seen.Answers {
		if reasons[i] == "" {
			if got.Error != nil {
				cases[i].judge(t, false, nil, nil, got.Error.Code)
			} else {
				cases[i].judge(t, got.Result.IsError, got.Result.StructuredContent, []byte(got.Result.Content[0].Text), 0)
			}
			// A lead that fits its schema needs approval on its way to a dealer elsewhere.
			leaves := door == "forwarding" && cases[i].tool == "aap_lead_submit" && !slices.Contains([]aap.Code{aap.InvalidCondition, aap.ContactConsentRequired}, cases[i].code)
			if (len(got.Shown) == 1) != leaves || len(got.Shown) > 1 {
				t.Errorf("%s: %d forms", cases[i].arguments, len(got.Shown))
			}
			continue
		}
		if !asks {
			if code := aapCode(got.Result.StructuredContent, true); code != string(aap.ContactConsentRequired) || len(got.Shown) != 0 {
				t.Errorf("%s: %s", calls[i].Arguments, got.Result.StructuredContent)
			}
			continue
		}
		if len(got.Shown) != 1 || !strings.Contains(got.Shown[0].Message, dealer.ConsentText("Demo Group")) || len(got.Shown[0].RequestedSchema.Properties) != 3 {
			t.Fatalf("%s: shown %+v, %+v", calls[i].Arguments, got.Shown, got.Error)
		}
		if reasons[i] == "accept" {
			if got.Result.IsError || typeOf(got.Result.StructuredContent) != "lead.submit.response" {
				t.Errorf("%s", got.Result.StructuredContent)
			}
		} else if !strings.Contains(string(got.Result.StructuredContent), `"reason":"`+reasons[i]+`"`) || !got.Result.IsError {
			t.Errorf("want %s: %s", reasons[i], got.Result.StructuredContent)
		}
	}
	if wire != nil {
		for _, name := range []string{"decline", "cancel", "none"} {
			if strings.Contains(wire(), name+"@quist.example") {
				t.Errorf("%s reached the dealer", name)
			}
		}
	}
	h.kept(t, door, asks, place, stop)
}

// kept holds what is at the dealer when the host has gone.
func (h formHost) kept(t *testing.T, door string, asks bool, place premises, stop func()) {
	t.Helper()
	want := []string{"anna@example.com"}
	if asks {
		want = append(want, "accept@quist.example")
	}
	if door != "stdio" { // there the dealer ends with the host
		if text := machinetest.Documents(t, place.outbox, len(want)); !strings.Contains(text, "<adf>") || strings.Contains(text, "accept@quist.example") != asks || strings.Contains(text, "decline") {
			t.Errorf("in the outbox: %s", text)
		}
	}
	stop()
	var emails []string
	for _, lead := range place.leads(t) {
		emails = append(emails, lead.Customer.Email)
		if c := lead.Consent; lead.Customer.Email == "accept@quist.example" &&
			(c.ConsentText != dealer.ConsentText("Demo Group") || !slices.Equal(c.AllowedChannels, []string{"email", "sms"}) || lead.IdempotencyKey == "") {
			t.Errorf("stored %+v", lead)
		}
	}
	slices.Sort(emails)
	slices.Sort(want)
	if !slices.Equal(slices.Compact(emails), want) {
		t.Errorf("stored %v, want %v", emails, want)
	}
}
