package a2a_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

const aapHeader = "https://autoagentprotocol.org/extensions/aap/v1.3"

const information = `{"type":"dealer.information.request"}`

const leadPayload = `{"type":"lead.submit.request","customer":{"first_name":"Rosa","last_name":"Quist","email":"rosa@quist.example"},` +
	`"consent":{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":"Harbor Auto may e-mail me.","scope":["lead_submission"]},` +
	`"source_agent":{"name":"trip-planner"}}`

// withParts makes a SendMessage of the given parts array.
func withParts(parts string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":` + parts + `}}}`
}

func withModes(payload, modes string) string {
	return strings.Replace(message(payload), `"params":{`, `"params":{"configuration":{"acceptedOutputModes":`+modes+`},`, 1)
}

func TestEnvelopeRules(t *testing.T) {
	vin := `{"type":"inventory.vehicle.request","vin":"` + agenttest.ListedVIN + `"}`
	for _, c := range []struct {
		name    string
		profile string
		body    string
		headers []string
		status  int
		rpc     int
		code    aap.Code
		faults  []string
	}{
		{name: "cut JSON", body: `{"jsonrpc":`, rpc: -32700},
		{name: "a lead without id", body: strings.Replace(message(leadPayload), `"id":7,`, ``, 1), rpc: -32600},
		{name: "message/send", body: strings.Replace(message(information), "SendMessage", "message/send", 1), rpc: -32601},
		{name: "text before data", body: withParts(`[{"text":"hi"},{"data":` + information + `}]`)},
		{name: "text only", body: withParts(`[{"text":"find me a Honda"}]`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/parts contains"}},
		{name: "file only", body: withParts(`[{"raw":"aGk=","mediaType":"image/png"}]`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/parts contains"}},
		{name: "capitals in type", body: message(`{"type":"Inventory.Search"}`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/type pattern"}},
		{name: "no type", body: message(`{}`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/type required"}},
		{name: "type null", body: message(`{"type":null}`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/type type"}},
		{name: "type of four words", body: message(`{"type":"a.b.c.d"}`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/type pattern"}},
		{name: "Type is not type", body: message(`{"Type":"dealer.information.request"}`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/type required"}},
		{name: "unknown skill", body: message(`{"type":"lead.general.request"}`), rpc: -32601, code: aap.UnsupportedSkill},
		{name: "an event", body: message(`{"type":"aap.event"}`), rpc: -32601, code: aap.UnsupportedSkill},
		{name: "skill not offered", profile: "skills: [inventory.search]\n", body: message(leadPayload), rpc: -32601, code: aap.UnsupportedSkill},
		{name: "A2A-Version 0.3", body: message(information), headers: []string{"A2A-Version", "0.3"}, rpc: -32009},
		{name: "a2a-version 1.0.1", body: message(information), headers: []string{"a2a-version", "1.0.1"}},
		{name: "an AAP version we lack", body: message(information), headers: []string{"A2A-Extensions", strings.Replace(aapHeader, "v1.3", "v9.9", 1)}, rpc: -32008},
		{name: "an older AAP version", body: message(information), headers: []string{"A2A-Extensions", "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.2"}, rpc: -32008},
		{name: "generic output mode", body: withModes(information, `["application/json"]`)},
		{name: "one output mode of two fits", body: withModes(vin, `["text/html","application/vnd.autoagent.vehicle-detail-response+json"]`)},
		{name: "no output mode fits", body: withModes(vin, `["text/html"]`), rpc: -32005},
		{name: "no messageId", body: strings.Replace(message(information), `"messageId":"m-1",`, ``, 1), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/messageId required"}},
		{name: "no role", body: strings.Replace(message(information), `"role":"ROLE_USER",`, ``, 1), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/role required"}},
		{name: "role of v0.3", body: strings.Replace(message(information), `ROLE_USER`, `user`, 1), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/role const"}},
		{name: "no parts", body: withParts(`[]`), rpc: -32602, code: aap.SchemaValidationFailed, faults: []string{"/message/parts minItems"}},
		{name: "a batch", body: `[` + message(leadPayload) + `]`, rpc: -32600},
		{name: "the quota", profile: "access: {per_minute: 100}\n", body: message(information)},
		{name: "nested 33 deep", body: message(`{"type":"inventory.search.request","filters":` + strings.Repeat(`[`, 33) + strings.Repeat(`]`, 33) + `}`), rpc: -32602, code: aap.SchemaValidationFailed},
		{name: "metadata nested beyond measure", body: strings.Replace(message(information), `"params":{`, `"params":{"metadata":{"a":`+strings.Repeat(`[`, 60)+strings.Repeat(`]`, 60)+`},`, 1), rpc: -32602, code: aap.SchemaValidationFailed},
		{name: "UTF-8 that is none", body: strings.Replace(message(information), `"id":7`, "\"id\":\"\xff\"", 1), rpc: -32700},
		{name: "whole numbers written with a point", body: message(`{"type":"inventory.search.request","filters":{"price_max":30000.0}}`)},
		{name: "the wrong media type on the part", body: withParts(`[{"data":` + information + `,"mediaType":"text/x-odd"}]`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := agenttest.New(t, agenttest.Profile+c.profile)
			w, got := post(t, handler(s), c.body, c.headers...)
			if want := max(c.status, http.StatusOK); w.Code != want {
				t.Errorf("HTTP status %d, want %d", w.Code, want)
			}
			if got.code() != c.rpc {
				t.Fatalf("JSON-RPC code %d, want %d: %s", got.code(), c.rpc, w.Body)
			}
			leads, err := s.Leads.List(t.Context(), s.Profile.ID, agenttest.Clock.Add(time.Hour), 10, agenttest.Clock)
			if err != nil || len(leads) != 0 {
				t.Errorf("%d leads stored (%v), want none", len(leads), err)
			}
			if c.rpc == 0 {
				return
			}
			e := got.aapError(t)
			if e.Code != string(c.code) {
				t.Errorf("AAP code %q, want %q", e.Code, c.code)
			}
			if c.faults != nil && !slices.Equal(e.pointers(), c.faults) {
				t.Errorf("faults %q, want %q", e.pointers(), c.faults)
			}
		})
	}
}

func TestTheIDComesBackAsItWasWritten(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile))
	for _, id := range []string{`7`, `-1.50`, `12345678901234567890`, `1e3`, `"1"`, `""`, `"a\u0000b"`, `"\ud83d"`, `0`} {
		_, got := post(t, h, strings.Replace(message(information), `"id":7`, `"id":`+id, 1))
		if string(got.ID) != id || got.code() != 0 {
			t.Errorf("id %s came back as %s with code %d", id, got.ID, got.code())
		}
	}
	for _, id := range []string{`null`, `{}`, `[]`, `true`} {
		_, got := post(t, h, strings.Replace(message(information), `"id":7`, `"id":`+id, 1))
		if string(got.ID) != "null" || got.code() != -32600 {
			t.Errorf("id %s gave id %s and code %d, want null and -32600", id, got.ID, got.code())
		}
	}
}

func TestAnAnswerIsAMessageOfTheAgent(t *testing.T) {
	_, got := post(t, handler(agenttest.New(t, agenttest.Profile)), message(information))
	var r struct {
		Message map[string]json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(got.Result, &r); err != nil {
		t.Fatal(err)
	}
	if string(r.Message["role"]) != `"ROLE_AGENT"` {
		t.Errorf("role %s", r.Message["role"])
	}
	if id := string(r.Message["messageId"]); id == `"m-1"` || len(id) < 3 {
		t.Errorf("messageId %s must be the agent's own", id)
	}
	if len(r.Message["contextId"]) < 3 {
		t.Error("no contextId")
	}
	for name := range r.Message {
		if !slices.Contains([]string{"messageId", "contextId", "role", "parts"}, name) {
			t.Errorf("the message has a member %q", name)
		}
	}
	var parts []struct {
		MediaType string `json:"mediaType"`
	}
	if err := json.Unmarshal(r.Message["parts"], &parts); err != nil || len(parts) != 1 {
		t.Fatalf("parts %s", r.Message["parts"])
	}
	if want := aap.DealerInformation.ResponseMediaType(); parts[0].MediaType != want {
		t.Errorf("media type %s, want %s", parts[0].MediaType, want)
	}
}

func TestAMessageIDIsNeverTheBuyers(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	body := strings.Replace(message(information), `"m-1"`, `"00000000-0000-7000-8000-000000000001"`, 1)
	w, _ := post(t, handler(s), body)
	if strings.Contains(w.Body.String(), `"messageId":"00000000-0000-7000-8000-000000000001"`) {
		t.Error("the answer repeats the request's messageId")
	}
}

func TestCallerBeyondAHundredCallsWaits(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile+"access: {per_minute: 100}\n"))
	for i := range 100 {
		if w, got := post(t, h, message(information)); w.Code != http.StatusOK || got.code() != 0 {
			t.Fatalf("call %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	w, got := post(t, h, message(information))
	e := got.aapError(t)
	if w.Code != http.StatusTooManyRequests || got.code() != -32002 || e.Code != "RATE_LIMITED" || !e.Retryable {
		t.Errorf("call 101: HTTP %d, code %d, %+v", w.Code, got.code(), e)
	}
	if e.Details.RetryAfterMS != 600 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("retry_after_ms %d, Retry-After %q; want 600 and 1", e.Details.RetryAfterMS, w.Header().Get("Retry-After"))
	}
}

func TestQuotasGrowBackWhileTheAgentsClockStands(t *testing.T) {
	const limits = "access: {per_minute: 6000, leads_per_hour: 1}\n"
	call := func(h http.Handler, payload string) int {
		w, _ := post(t, h, message(payload))
		return w.Code
	}
	t.Run("by the clock of quotas", func(t *testing.T) {
		ticks := agenttest.Clock
		h := ticking(agenttest.New(t, agenttest.Profile+limits), func() time.Time { return ticks })
		for n, c := range []struct {
			after   time.Duration
			payload string
			want    int
		}{
			{0, leadPayload, http.StatusOK},
			{0, leadPayload, http.StatusTooManyRequests},
			{59 * time.Minute, leadPayload, http.StatusTooManyRequests},
			{time.Minute, leadPayload, http.StatusOK},
			{0, leadPayload, http.StatusTooManyRequests},
			{0, information, http.StatusOK},
		} {
			ticks = ticks.Add(c.after)
			if got := call(h, c.payload); got != c.want {
				t.Errorf("call %d, %v after the one before: HTTP %d, want %d", n+1, c.after, got, c.want)
			}
		}
	})
	t.Run("by the real clock when none is given", func(t *testing.T) {
		h := ticking(agenttest.New(t, agenttest.Profile+"access: {per_minute: 600}\n"), nil)
		deadline := time.Now().Add(time.Minute)
		until := func(want int) {
			for call(h, information) != want {
				if time.Now().After(deadline) {
					t.Fatalf("HTTP %d never came", want)
				}
			}
		}
		until(http.StatusTooManyRequests)
		time.Sleep(100 * time.Millisecond)
		until(http.StatusOK)
	})
}
