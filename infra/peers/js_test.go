// Package peers drives the running agent with clients that nobody here wrote.
package peers

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// jsSDK is the official JavaScript client the agent is held against.
const jsSDK = "@a2a-js/sdk@1.3.0"

// call is one thing the JavaScript buyer does: a payload for SendMessage, or a
// method of its client with params.
type call struct {
	Base      string          `json:"base"`
	Card      string          `json:"card,omitempty"`
	Token     string          `json:"token,omitempty"`
	Extension string          `json:"extension,omitempty"`
	Method    string          `json:"method,omitempty"`
	Payload   json.RawMessage `json:"payload"`
}

// answer is what the buyer's program was given by its SDK.
type answer struct {
	Payload   json.RawMessage
	ContextID string
	Error     *struct {
		Name, Message string
		Code          int
		Data          json.RawMessage
	}
}

const information = `{"type":"dealer.information.request"}`

// TestOfficialJavaScriptClient resolves the card, calls each skill and reads
// each kind of error, naming the AAP extension and not. Two codes are left out:
// this agent never refuses an appointment (it proposes other times), and an
// internal error needs a broken store.
func TestOfficialJavaScriptClient(t *testing.T) {
	folder := npmInstall(t, jsSDK)
	lead := `{"type":"lead.submit.request","customer":{"first_name":"Anna","last_name":"Lee","email":"anna@example.com"},` +
		`"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"js-client"}`
	cases := []struct {
		lines, payload, want string
		code                 aap.Code
	}{
		{payload: information, want: "dealer.information.response"},
		{payload: `{"type":"inventory.facets.request"}`, want: "inventory.facets.response"},
		{payload: `{"type":"inventory.search.request","filters":{"make":["Honda"]}}`, want: "inventory.search.response"},
		{payload: `{"type":"inventory.vehicle.request","stock":"T100"}`, want: "inventory.vehicle.response"},
		{payload: lead + `}`, want: "lead.submit.response"},
		{payload: lead + `,"idempotency_key":"K","message":"1"}`, want: "lead.submit.response"},
		{payload: lead + `,"idempotency_key":"K","message":"2"}`, code: aap.IdempotencyConflict},
		{payload: `{"type":"inventory.general.request"}`, code: aap.UnsupportedSkill},
		{payload: `{"type":"inventory.search.request","filters":{"color":["red"]}}`, code: aap.SchemaValidationFailed},
		{payload: `{"type":"inventory.search.request","sort":{"field":"price"}}`, code: aap.MissingRequiredField},
		{payload: lead + `,"trade_in":{"condition":"used"}}`, code: aap.InvalidCondition},
		{payload: `{"type":"inventory.vehicle.request","stock":"none"}`, code: aap.VehicleNotFound},
		{payload: `{"type":"inventory.vehicle.request","stock":"S201"}`, code: aap.VehicleUnavailable},
		{payload: strings.Replace(lead, `"consent"`, `"nothing"`, 1) + `}`, code: aap.ContactConsentRequired},
		{payload: strings.Replace(lead, `"I agree."`, `" "`, 1) + `}`, code: aap.InvalidConsent},
		{lines: "skills: [inventory.search]\n", payload: `{"type":"inventory.search.request"}`, want: "inventory.search.response"},
		{lines: "skills: [inventory.search]\n", payload: lead + `}`, code: aap.UnsupportedSkill},
		{lines: "access: {per_minute: 1}\n", payload: information, want: "dealer.information.response"},
		{lines: "access: {per_minute: 1}\n", payload: information, code: aap.RateLimited},
	}
	left := map[aap.Code]bool{}
	for _, code := range aap.Codes() {
		left[code] = code != aap.AppointmentTimeUnavailable && code != aap.InternalError
	}
	for name, extension := range map[string]string{"plain A2A": "", "naming the extension": aap.V1_3.ExtensionURI} {
		t.Run(name, func(t *testing.T) {
			bases := map[string]string{}
			var calls []call
			for _, c := range cases {
				if bases[c.lines] == "" {
					bases[c.lines] = serve(t, c.lines) + "/"
				}
				calls = append(calls, call{Base: bases[c.lines], Extension: extension, Payload: json.RawMessage(c.payload)})
			}
			for i, got := range play(t, folder, calls) {
				c := cases[i]
				if c.code == "" {
					if typ := typeOf(got.Payload); typ != c.want || got.ContextID != fmt.Sprintf("visit-%d", i) {
						t.Errorf("%s\ngot %s in context %q, %v\nwant %s", c.payload, typ, got.ContextID, got.Error, c.want)
					}
					continue
				}
				if got.Error == nil || got.Error.Code != c.code.RPC() || got.Error.Message == "" || aapCode(got.Error.Data, extension != "") != string(c.code) {
					t.Errorf("%s\ngot  %+v\nwant %s", c.payload, got.Error, c.code)
					continue
				}
				left[c.code] = false
			}
		})
	}
	for code, unread := range left {
		if unread {
			t.Errorf("no case reads %s", code)
		}
	}
}

// TestOfficialJavaScriptClientMeetsAccessRules: tokens, strict headers and what
// A2A has besides messages.
func TestOfficialJavaScriptClientMeetsAccessRules(t *testing.T) {
	folder := npmInstall(t, jsSDK)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte("sesame")))
	open, guarded, strict := serve(t, "")+"/", serve(t, "access: {tokens: [{name: buyer, sha256: "+digest+"}]}\n")+"/", serve(t, "access: {require_a2a_headers: true}\n")+"/"
	task, payload := json.RawMessage(`{"id":"t-1"}`), json.RawMessage(information)
	cases := []struct {
		call call
		code int
		name string // of the SDK's error
	}{
		{call{Base: guarded, Payload: payload}, -32010, ""},
		{call{Base: guarded, Token: "guess", Payload: payload}, -32010, ""},
		{call{Base: guarded, Token: "sesame", Payload: payload}, 0, ""},
		{call{Base: strict, Payload: payload}, -32008, "ExtensionSupportRequiredError"},
		{call{Base: strict, Extension: aap.V1_3.ExtensionURI, Payload: payload}, 0, ""},
		{call{Base: open, Extension: "urn:another", Payload: payload}, 0, ""},
		{call{Base: open, Extension: strings.Replace(aap.V1_3.ExtensionURI, "1.3", "1.2", 1), Payload: payload}, -32008, "ExtensionSupportRequiredError"},
		{call{Base: open, Method: "getTask", Payload: task}, -32001, "TaskNotFoundError"},
		{call{Base: open, Method: "cancelTask", Payload: task}, -32001, "TaskNotFoundError"},
		{call{Base: open, Method: "listTasks", Payload: json.RawMessage(`{"contextId":"c","status":0,"pageSize":10,"pageToken":""}`)}, 0, ""},
		{call{Base: open, Payload: json.RawMessage(`"Do you have a Honda?"`)}, -32602, "RequestMalformedError"},
		{call{Base: open, Payload: json.RawMessage(`[` + information + `]`)}, -32602, "RequestMalformedError"},
	}
	var calls []call
	for _, c := range cases {
		calls = append(calls, c.call)
	}
	for i, got := range play(t, folder, calls) {
		c := cases[i]
		if c.code == 0 {
			if got.Error != nil || len(got.Payload) == 0 {
				t.Errorf("%+v: %+v", c.call, got.Error)
			}
			continue
		}
		if got.Error == nil || got.Error.Code != c.code || c.name != "" && got.Error.Name != c.name {
			t.Errorf("%+v: %+v, want %d %s", c.call, got.Error, c.code, c.name)
		}
	}
}

// TestOfficialJavaScriptClientSpeaksEveryContract starts from each contract's
// own card, except that of AAP v0.1: the SDK reads no snake_case.
func TestOfficialJavaScriptClientSpeaksEveryContract(t *testing.T) {
	folder := npmInstall(t, jsSDK)
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	base := serve(t, "versions: ["+strings.Join(labels, ", ")+"]\n") + "/"
	var calls []call
	for _, v := range aap.Versions() {
		if v != aap.Primary() && v.Card != aap.CardManifest {
			for _, payload := range []string{information, `{"type":"inventory.vehicle.request","stock":"S201"}`} {
				calls = append(calls, call{Base: base, Card: a2a.VersionCardPath(v)[1:], Extension: v.ExtensionURI, Payload: json.RawMessage(payload)})
			}
		}
	}
	for i, got := range play(t, folder, calls) {
		if i%2 == 0 && (got.Error != nil || typeOf(got.Payload) != "dealer.information.response") {
			t.Errorf("%s: %s %+v", calls[i].Card, got.Payload, got.Error)
		}
		if i%2 == 1 && (got.Error == nil || aapCode(got.Error.Data, true) != string(aap.VehicleUnavailable)) {
			t.Errorf("%s: %s %+v", calls[i].Card, got.Payload, got.Error)
		}
	}
}

// play has the JavaScript buyer make the calls, in order.
func play(t *testing.T, folder string, calls []call) []answer {
	t.Helper()
	var answers []answer
	runNode(t, folder, "call.mjs", calls, &answers)
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	return answers
}

func typeOf(payload json.RawMessage) string {
	var p struct{ Type string }
	_ = json.Unmarshal(payload, &p)
	return p.Type
}

// aapCode is the code of the aap.error in error.data: the bare object for
// callers who name the extension, the last entry of the array for others.
func aapCode(data json.RawMessage, bare bool) string {
	if !bare {
		var entries []json.RawMessage
		if json.Unmarshal(data, &entries) != nil || len(entries) == 0 {
			return ""
		}
		data = entries[len(entries)-1]
	}
	var e struct{ Type, Code string }
	if json.Unmarshal(data, &e) != nil || e.Type != "aap.error" {
		return ""
	}
	return e.Code
}
