package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// today runs the fixture dealer by the real clock, which is that of a person
// who consents.
func today(t *testing.T, lines string) (base, outbox string) {
	t.Helper()
	dir := t.TempDir()
	profile, err := os.ReadFile(fixtureProfile)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "dealer.yaml"), append(profile, lines...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: fixtureFeed, Data: filepath.Join(dir, "data"),
		Outbox: filepath.Join(dir, "outbox"), Log: slog.New(slog.DiscardHandler),
	})
	return m.URL(), filepath.Join(dir, "outbox")
}

// shopper is a lead without a consent.
func shopper(name string) string {
	return `{"customer":{"first_name":"` + name + `","last_name":"Quist","email":"rosa@quist.example"},"source_agent":{"name":"test"},"message":"` + name + `"}`
}

// TestALeadLeavesForTheApprovedDealerAlone: of what a person declines not a byte
// is sent, and what they accept goes where the form said.
func TestALeadLeavesForTheApprovedDealerAlone(t *testing.T) {
	for _, revision := range revisions {
		a, outboxA := today(t, "")
		b, outboxB := today(t, "")
		north, south := before(t, a), before(t, b)
		h := connect(t, revision, nil, "--agent", "north="+north.URL, "--agent", "south="+south.URL)
		var form *mcp.ElicitParams
		answer := &mcp.ElicitResult{}
		h.person = func(p *mcp.ElicitParams) *mcp.ElicitResult {
			form = p
			return answer
		}
		if n := len(h.names(t)); n != 11 {
			t.Fatalf("%d tools\n%s", n, h.stderr)
		}
		for _, c := range []struct {
			action, reason string
			content        map[string]any
		}{{"decline", "declined", nil}, {"cancel", "cancelled", nil}, {"accept", "no_channel", map[string]any{"email": false}}} {
			answer = &mcp.ElicitResult{Action: c.action, Content: c.content}
			got, isError := h.call(t, "north__aap_lead_submit", shopper("Never"))
			if text := fmt.Sprint(got); !isError || !strings.Contains(text, "reason:"+c.reason) || !strings.Contains(text, "Nothing was sent") {
				t.Errorf("%q, %s: %v", revision, c.action, got)
			}
		}
		answer = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}
		got, isError := h.call(t, "south__aap_lead_submit", shopper("Sent"))
		if isError || got["type"] != "lead.submit.response" {
			t.Fatalf("%q: %v", revision, got)
		}
		to, _ := url.Parse(south.URL)
		if !strings.Contains(form.Message, "("+to.Host+")") || !strings.Contains(form.Message, "Sent Quist") || !strings.Contains(form.Message, "word for word") {
			t.Errorf("%q: the form: %s", revision, form.Message)
		}
		if text := machinetest.Documents(t, outboxB, 1); !strings.Contains(text, "Sent") {
			t.Errorf("%q: %s", revision, text)
		}
		machinetest.Documents(t, outboxA, 0)
		if strings.Contains(north.text(), "Quist") || strings.Contains(south.text(), "Never") || strings.Count(south.text(), "Sent Quist")+strings.Count(south.text(), `"Sent"`) == 0 {
			t.Errorf("%q: sent to north: %s\nto south: %s", revision, north.text(), south.text())
		}
		for _, secret := range []string{"Quist", "rosa@", "word for word"} {
			if strings.Contains(h.stderr.String(), secret) {
				t.Errorf("%q is in the log: %s", secret, h.stderr)
			}
		}
	}
}

// TestAnAnswerForOneDealerIsNoneForAnother: a host cannot carry it over.
func TestAnAnswerForOneDealerIsNoneForAnother(t *testing.T) {
	a, _ := today(t, "")
	b, _ := today(t, "")
	north, south := before(t, a), before(t, b)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(machinetest.Command(t), "mcp", "--agent", "north="+north.URL, "--agent", "south="+south.URL)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(tool, state string) *mcp.CallToolResult {
		params := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(shopper("Rosa")), RequestState: state}
		if state != "" {
			params.InputResponses = mcp.InputResponseMap{"form": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}}
		}
		result, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	forNorth := call("north__aap_lead_submit", "")
	if !forNorth.NeedsInput() {
		t.Fatalf("%+v", forNorth)
	}
	if got := call("south__aap_lead_submit", forNorth.RequestState); !got.NeedsInput() || strings.Contains(south.text(), "Quist") {
		t.Errorf("%+v", got)
	}
	first := call("north__aap_lead_submit", forNorth.RequestState)
	again := call("north__aap_lead_submit", forNorth.RequestState)
	if first.NeedsInput() || first.IsError || fmt.Sprint(first.StructuredContent) != fmt.Sprint(again.StructuredContent) {
		t.Errorf("%+v\n%+v", first, again)
	}
	if got := call("south__aap_lead_submit", ""); !got.NeedsInput() || strings.Contains(south.text(), "Quist") {
		t.Errorf("south rides on north's answer: %+v", got)
	}
}

// TestAConsentIsGivenInTheFormOfOlderContracts: what the person agreed to is
// written as the dealer's contract has it.
func TestAConsentIsGivenInTheFormOfOlderContracts(t *testing.T) {
	base, outbox := today(t, "versions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]\n")
	for i, label := range []string{"v1.2", "v1.1", "v1.0", "v0.2", "v0.1"} {
		v, _ := aap.VersionByLabel(label)
		h := connect(t, "", nil, "--agent", base+a2a.VersionCardPath(v))
		h.person = func(p *mcp.ElicitParams) *mcp.ElicitResult {
			if !strings.Contains(p.Message, "Quist") || !strings.Contains(p.Message, "through the channels I choose") {
				t.Errorf("%s: the form: %s", label, p.Message)
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}
		}
		lead := strings.Replace(shopper("Rosa"), "rosa@", label[1:2]+label[3:]+"@", 1)
		if v.Faults == aap.FaultPath {
			lead = strings.Replace(lead, `{"name":"test"}`, `"test"`, 1)
		}
		answer, isError := h.call(t, "aap_lead_submit", lead)
		if isError || h.asked.Load() != 1 {
			t.Errorf("%s: asked %d times: %v", label, h.asked.Load(), answer)
			continue
		}
		machinetest.Documents(t, outbox, i+1)
	}
}

// TestAClockThatIsFastCostsNobodyTheirConsent: the dealer's clock is eleven minutes
// behind this machine's, as each of its answers says.
func TestAClockThatIsFastCostsNobodyTheirConsent(t *testing.T) {
	behind := func() time.Time { return time.Now().Add(-11 * time.Minute) }
	dir := t.TempDir()
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: fixtureProfile, Feed: fixtureFeed, Data: filepath.Join(dir, "data"),
		Outbox: filepath.Join(dir, "outbox"), Now: behind, Log: slog.New(slog.DiscardHandler),
	})
	slow := before(t, m.URL())
	slow.meanwhile = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Date", behind().UTC().Format(http.TimeFormat))
		return false
	}
	for _, revision := range revisions {
		h := connect(t, revision, nil, "--agent", slow.URL)
		h.person = func(*mcp.ElicitParams) *mcp.ElicitResult {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}
		}
		for range 2 { // the second time what was agreed to is known
			if answer, isError := h.call(t, "aap_lead_submit", shopper("R"+revision)); isError || h.asked.Load() != 1 {
				t.Errorf("%q: asked %d times: %v", revision, h.asked.Load(), answer)
			}
		}
	}
}

// TestAFormNamesTheHostThatTheCardLeadsTo: it is there that a lead goes.
func TestAFormNamesTheHostThatTheCardLeadsTo(t *testing.T) {
	agent := hostile(t, "Agent", "BASE/a2a", says(data(`{"type":"lead.submit.response","data":{"lead_id":"1","status":"received"}}`)))
	card := hostile(t, "Dealer", agent.URL+"/a2a", says("{}"))
	h := connect(t, "", []string{"DEALER_TOKEN="}, "--agent", card.URL)
	var shown string
	h.person = func(p *mcp.ElicitParams) *mcp.ElicitResult {
		shown = p.Message
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}
	}
	if answer, isError := h.call(t, "aap_lead_submit", shopper("Rosa")); isError {
		t.Fatalf("%v", answer)
	}
	if want := "Dealer (" + strings.TrimPrefix(card.URL, "http://") + ", by way of " + strings.TrimPrefix(agent.URL, "http://") + ") would receive:"; !strings.HasPrefix(shown, want) {
		t.Errorf("the form: %s\nwant %s", shown, want)
	}
}

// TestALeadLeavesThroughNoOtherDoor: neither in the arguments of a tool that
// reads, nor with a consent that is none, whoever does the asking.
func TestALeadLeavesThroughNoOtherDoor(t *testing.T) {
	a, outbox := today(t, "")
	only := before(t, a)
	whole := strings.Replace(shopper("Never"), `{"customer"`, `"customer"`, 1)
	for _, approve := range []string{"true", "false"} {
		h := connect(t, "", nil, "--agent", only.URL, "--approve-writes="+approve)
		for _, c := range []struct{ tool, arguments string }{
			{"aap_inventory_search", `{"type":"inventory.search.request","Type":"lead.submit.request",` + whole},
			{"aap_inventory_search", `{"TYPE":"lead.submit.request",` + whole},
			{"aap_inventory_search", `{"x":{"type":"lead.submit.request"},` + whole},
			{"aap_dealer_information", `{` + whole}, {"aap_inventory_vehicle", `{"vin":"1HGCV1F30KA000001",` + whole}, {"aap_inventory_facets", `{` + whole},
			{"aap_inventory_search", `{"filters":{"make":["Honda"],"make":["Never"]}}`},
			{"aap_lead_submit", `{"consent":null,` + whole}, {"aap_lead_submit", `{"consent":{},` + whole}, {"aap_lead_submit", `{"consent":true,` + whole},
			{"aap_lead_submit", `{"Consent":{},` + whole},
			{"aap_lead_submit", `{"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":[],"consent_text":"Yes.","scope":["lead_submission"]},` + whole},
			{"aap_lead_submit", strings.TrimSuffix(buyer(""), "}") + `,` + whole},
		} {
			if answer, isError := h.call(t, c.tool, c.arguments); !isError || answer["type"] != "aap.error" {
				t.Errorf("approve %s: %s %.80s: %v", approve, c.tool, c.arguments, answer)
			}
		}
		if n := h.asked.Load(); n != 0 {
			t.Errorf("approve %s: the person was asked %d times about what nobody takes", approve, n)
		}
	}
	if text := only.text(); only.messages.Load() != 0 || strings.Contains(text, "Never") {
		t.Errorf("sent: %s", text)
	}
	machinetest.Documents(t, outbox, 0)
}
