package mcptools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// shows is what a client with forms declares.
const shows = `{"elicitation":{"form":{}}}`

// unconsented is a lead without a consent.
func unconsented(more string) string {
	return `{"customer":{"first_name":"Rosa","last_name":"Quist","email":"rosa@quist.example","phone":"+12065550177"},"source_agent":{"name":"trip-planner"}` + more + `}`
}

// round is what one round trip gave.
type round struct {
	ResultType    string
	RequestState  string
	IsError       bool
	InputRequests struct {
		Form struct {
			Method string
			Params struct {
				Mode, Message   string
				RequestedSchema struct {
					Type       string
					Properties map[string]map[string]any
					Required   []string
				}
			}
		}
	}
	StructuredContent map[string]any
	raw               string
}

// submit makes one round trip in revision 2026-07-28; more are members of params.
func (h *house) submit(t *testing.T, capabilities, arguments, more string, headers ...string) round {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_lead_submit","arguments":` + arguments + more +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}`
	headers = append(headers, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "aap_lead_submit")
	status, _, answer := h.post(t, body, headers...)
	var got struct{ Result round }
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 {
		t.Fatalf("%d %s: %v", status, answer, err)
	}
	got.Result.raw = answer
	return got.Result
}

func (r round) asks() bool {
	return r.ResultType == "input_required" && r.RequestState != "" && !r.IsError
}

// with is the answer to a form, and the state to go with it.
func with(answer, state string) string {
	s, _ := json.Marshal(state)
	return `,"inputResponses":{"form":` + answer + `},"requestState":` + string(s)
}

const yes = `{"action":"accept","content":{"email":true,"phone":false}}`

// kept are the requests of the leads in the store.
func kept(t *testing.T, s *agenttest.Stack) []aap.LeadRequest {
	t.Helper()
	records, err := s.Leads.List(t.Context(), s.Profile.ID, agenttest.Clock.AddDate(1, 0, 0), 100, agenttest.Clock)
	if err != nil {
		t.Fatal(err)
	}
	var all []aap.LeadRequest
	for _, r := range records {
		if faults := wiretest.New(t, aap.V1_3).Faults(t, aap.LeadSubmit.RequestSchema(), r.Request); len(faults) > 0 {
			t.Errorf("a lead in the store breaks the schema: %v", faults)
		}
		req, err := r.Lead()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, req)
	}
	return all
}

func TestALeadWithoutAConsentIsAskedForOne(t *testing.T) {
	const text = "Harbor may contact me, as often as it takes."
	h := open(t, "leads: {consent_text: '"+text+"'}\n", nil)
	got := h.submit(t, shows, unconsented(`,"vehicle_of_interest":{"make":"Toyota","model":"RAV4","stock":"H-1107","notes":"x"},"message":"Is it there?"`), "")
	form := got.InputRequests.Form
	if !got.asks() || form.Method != "elicitation/create" || form.Params.Mode != "form" || form.Params.RequestedSchema.Type != "object" {
		t.Fatalf("asked %s", got.raw)
	}
	for _, want := range []string{text, "Harbor Auto Group (agent.harbor-auto.example)", "Rosa Quist", "rosa@quist.example", "+12065550177", "Toyota RAV4, stock H-1107", "Is it there?", "trip-planner", "vehicle notes"} {
		if !strings.Contains(form.Params.Message, want) {
			t.Errorf("the form does not tell of %q: %s", want, form.Params.Message)
		}
	}
	properties := form.Params.RequestedSchema.Properties
	for _, channel := range []string{"email", "phone", "sms"} {
		if p := properties[channel]; len(properties) != 3 || p["type"] != "boolean" || p["default"] != false || p["title"] == "" {
			t.Errorf("%s: %v", channel, properties)
		}
	}
	if len(kept(t, h.stack)) != 0 {
		t.Fatal("a lead left before its person was asked")
	}
	arguments := unconsented(`,"vehicle_of_interest":{"make":"Toyota","model":"RAV4","stock":"H-1107","notes":"x"},"message":"Is it there?"`)
	done := h.submit(t, shows, arguments, with(`{"action":"accept","content":{"email":true,"sms":true,"phone":false}}`, got.RequestState))
	leads := kept(t, h.stack)
	if done.ResultType != "complete" || done.IsError || done.StructuredContent["type"] != "lead.submit.response" || len(leads) != 1 {
		t.Fatalf("%d leads, %s", len(leads), done.raw)
	}
	c := leads[0].Consent
	if c.ConsentText != text || !slices.Equal(c.AllowedChannels, []string{"email", "sms"}) || c.GrantedAt != "2026-06-15T15:00:00Z" || c.ExpiresAt != "" || leads[0].IdempotencyKey == "" {
		t.Errorf("stored %+v", leads[0])
	}
}

func TestTheDefaultConsentTextIsWhatIsShownAndStored(t *testing.T) {
	h := open(t, "", nil)
	asked := h.submit(t, shows, unconsented(""), "")
	if text := dealer.ConsentText("Harbor Auto Group"); !strings.Contains(asked.InputRequests.Form.Params.Message, "\n"+text+"\n") {
		t.Errorf("the form: %s", asked.raw)
	}
	h.submit(t, shows, unconsented(""), with(yes, asked.RequestState))
	if leads := kept(t, h.stack); len(leads) != 1 || leads[0].Consent.ConsentText != dealer.ConsentText("Harbor Auto Group") {
		t.Errorf("%+v", leads)
	}
}

func TestOnlyChannelsWithContactDataCanBeTicked(t *testing.T) {
	h := open(t, "", nil)
	for contact, want := range map[string]string{`"email":"a@b.example"`: "[email]", `"phone":"+12065550177"`: "[phone sms]"} {
		got := h.submit(t, shows, `{"customer":{"first_name":"A","last_name":"B",`+contact+`},"source_agent":{"name":"x"}}`, "")
		var names []string
		for name := range got.InputRequests.Form.Params.RequestedSchema.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		if fmt.Sprint(names) != want {
			t.Errorf("%s: %v", contact, names)
		}
	}
}

func TestNothingLeavesUnlessThePersonAccepts(t *testing.T) {
	for answer, reason := range map[string]string{
		`{"action":"decline"}`:                                         "declined",
		`{"action":"decline","content":{"email":true}}`:                "declined",
		`{"action":"cancel"}`:                                          "cancelled",
		`{"action":"accept"}`:                                          "no_channel",
		`{"action":"accept","content":null}`:                           "no_channel",
		`{"action":"accept","content":{}}`:                             "no_channel",
		`{"action":"accept","content":{"email":false}}`:                "no_channel",
		`{"action":"accept","content":{"email":null}}`:                 "no_channel",
		`{"action":"accept","content":{"fax":true,"Email":true}}`:      "no_channel",
		`{"action":"accept","content":{"consent":{"scope":["x"]}}}`:    "no_channel",
		`{"action":"accept","content":{"allowed_channels":["email"]}}`: "no_channel",
		`{"action":"accept","content":{"email":"true"}}`:               "unreadable",
		`{"action":"accept","content":{"email":1}}`:                    "unreadable",
		`{"action":"accept","content":{"email":true,"sms":["x"]}}`:     "unreadable",
		`{"action":""}`: "unreadable",
		`{"action":"Accept","content":{"email":true}}`:                            "unreadable",
		`{"action":"accept ","content":{"email":true}}`:                           "unreadable",
		`{"action":"accept","content":{"` + strings.Repeat("a", 1e5) + `":true}}`: "no_channel",
	} {
		h := open(t, "", nil)
		asked := h.submit(t, shows, unconsented(""), "")
		got := h.submit(t, shows, unconsented(""), with(answer, asked.RequestState))
		details, _ := got.StructuredContent["details"].(map[string]any)
		if !got.IsError || got.StructuredContent["code"] != string(aap.ContactConsentRequired) || details["reason"] != reason || !strings.Contains(got.raw, "Nothing was sent") {
			t.Errorf("%.80s: %s", answer, got.raw)
		}
		if leads := kept(t, h.stack); len(leads) != 0 {
			t.Errorf("%.80s: %+v", answer, leads)
		}
	}
}

// TestAnAnswerThatIsNoneIsTheClientsFault: the library refuses it.
func TestAnAnswerThatIsNoneIsTheClientsFault(t *testing.T) {
	h := open(t, "", nil)
	asked := h.submit(t, shows, unconsented(""), "")
	for _, answer := range []string{`{}`, `{"content":{"email":true}}`, `[]`, `7`, `"accept"`, `{"action":{}}`, `{"action":"accept","content":[]}`} {
		_, _, body := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_lead_submit","arguments":`+unconsented("")+with(answer, asked.RequestState)+
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+shows+`}}}`,
			"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "aap_lead_submit")
		if strings.Contains(body, "lead.submit.response") || len(kept(t, h.stack)) != 0 {
			t.Errorf("%s: %s", answer, body)
		}
	}
	for _, answers := range []string{`{}`, `{"form":{"roots":[]}}`, `{"another":` + yes + `}`} {
		if got := h.submit(t, shows, unconsented(""), `,"inputResponses":`+answers+`,"requestState":"`+asked.RequestState+`"`); !got.asks() {
			t.Errorf("%s: %s", answers, got.raw)
		}
	}
}

func TestWhatASmugglerPutsIntoTheFormIsNotLookedAt(t *testing.T) {
	h := open(t, "", nil)
	asked := h.submit(t, shows, unconsented(""), "")
	h.submit(t, shows, unconsented(""), with(`{"action":"accept","content":{"email":true,"consent_text":"Anything goes.","scope":["everything"],`+
		`"consent":{"consent_text":"Anything goes."},"granted_at":"2020-01-01T00:00:00Z","customer":{"email":"x@evil.example"},"idempotency_key":"mine"}}`, asked.RequestState))
	leads := kept(t, h.stack)
	if len(leads) != 1 || leads[0].Consent.ConsentText != dealer.ConsentText("Harbor Auto Group") || leads[0].Customer.Email != "rosa@quist.example" || leads[0].IdempotencyKey == "mine" ||
		leads[0].Consent.GrantedAt != "2026-06-15T15:00:00Z" {
		t.Errorf("%+v", leads)
	}
}

func TestAGivenConsentIsNeverReplacedOrAskedAbout(t *testing.T) {
	for consent, code := range map[string]string{
		`null`:  "INVALID_CONSENT",
		`{}`:    "INVALID_CONSENT",
		`"yes"`: "INVALID_CONSENT",
		`{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":" ","scope":["lead_submission"]}`:                                        "INVALID_CONSENT",
		`{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["everything"]}`:                                          "INVALID_CONSENT",
		`{"granted_at":"2026-06-14T14:58:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"],"expires_at":"2026-06-15T14:59:00Z"}`: "INVALID_CONSENT",
		`{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]}`:                                     "",
	} {
		h := open(t, "", nil)
		for _, more := range []string{"", with(yes, "x")} {
			got := h.submit(t, shows, unconsented(`,"consent":`+consent), more)
			gotCode, _ := got.StructuredContent["code"].(string)
			if got.ResultType != "complete" || gotCode != code {
				t.Errorf("%s: %s", consent, got.raw)
			}
		}
		if leads := kept(t, h.stack); len(leads) > 1 || len(leads) == 1 && leads[0].Consent.ConsentText != "Yes." {
			t.Errorf("%s: %+v", consent, leads)
		}
	}
}

func TestWhatElseIsWrongIsToldBeforeAnyoneIsAsked(t *testing.T) {
	h := open(t, "", nil)
	for _, arguments := range []string{
		unconsented(`,"trade_in":{"condition":"used"}`), unconsented(`,"colour":"red"`), unconsented(`,"Consent":{}`), `{}`, `{"customer":7}`,
		unconsented(`,"customer":{"first_name":"B","last_name":"C","email":"b@c.example"}`),
		`{"customer":{"first_name":"A","last_name":"B"},"source_agent":{"name":"x"}}`,
	} {
		got := h.submit(t, shows, arguments, "")
		if got.asks() || got.StructuredContent["code"] != string(aap.ContactConsentRequired) {
			t.Errorf("%s: %s", arguments, got.raw)
		}
		if again := h.submit(t, `{}`, arguments, ""); fmt.Sprint(again.StructuredContent["details"]) != fmt.Sprint(got.StructuredContent["details"]) {
			t.Errorf("%s: %s\nbut without forms %s", arguments, got.raw, again.raw)
		}
	}
}

func TestHostsWithoutFormsAreToldThatAConsentIsMissing(t *testing.T) {
	h := open(t, "", nil)
	for _, capabilities := range []string{`{}`, `{"elicitation":{"url":{}}}`, `{"elicitation":null}`, `{"sampling":{}}`} {
		got := h.submit(t, capabilities, unconsented(""), "")
		details, _ := got.StructuredContent["details"].(map[string]any)
		if got.StructuredContent["code"] != string(aap.ContactConsentRequired) || details["missing"] != "consent" || details["reason"] != nil {
			t.Errorf("%s: %s", capabilities, got.raw)
		}
	}
	for _, capabilities := range []string{`{"elicitation":{}}`, `{"elicitation":{"form":{},"url":{}}}`} {
		if got := h.submit(t, capabilities, unconsented(""), ""); !got.asks() {
			t.Errorf("%s: %s", capabilities, got.raw)
		}
	}
}

// TestOlderRevisionsOverHTTPAreNeverKeptWaiting: without sessions the server
// cannot ask, whatever the client says it can show.
func TestOlderRevisionsOverHTTPAreNeverKeptWaiting(t *testing.T) {
	h := open(t, "", nil)
	one := toolCall("aap_lead_submit", unconsented(""))
	hello := `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":` + shows + `,"clientInfo":{"name":"x","version":"1"}}}`
	began := time.Now()
	for _, revision := range revisions[1:] {
		for _, body := range []string{one, strings.Replace(one, `"arguments"`, `"_meta":{"io.modelcontextprotocol/clientCapabilities":`+shows+`},"arguments"`, 1)} {
			if _, _, answer := h.post(t, body, "MCP-Protocol-Version", revision); !strings.Contains(answer, "CONTACT_CONSENT_REQUIRED") || strings.Contains(answer, "inputRequests") {
				t.Errorf("%s: %s", revision, answer)
			}
		}
	}
	_, _, answer := h.post(t, `[`+hello+`,`+one+`]`, "MCP-Protocol-Version", "2025-03-26")
	if strings.Contains(answer, "lead.submit.response") || strings.Contains(answer, "inputRequests") {
		t.Errorf("a batch: %s", answer)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the answers took %v", took)
	}
	if len(kept(t, h.stack)) != 0 {
		t.Error("a lead without a consent was taken")
	}
}

func TestOnePersonsWordsReachNoLogAndNoState(t *testing.T) {
	h := open(t, "", nil)
	arguments := unconsented(`,"message":"Call me Ishmael"`)
	asked := h.submit(t, shows, arguments, "")
	for _, answer := range []string{`{"action":"accept","content":{"email":"Ishmael"}}`, `{"action":"Ishmael"}`, `{"action":"decline","content":{"Ishmael":"Ishmael"}}`, yes} {
		h.submit(t, shows, arguments, with(answer, asked.RequestState))
	}
	h.submit(t, shows, arguments, with(yes, "Ishmael"))
	log := h.log.String()
	for _, secret := range []string{"Ishmael", "Rosa", "quist", "5550177", asked.RequestState, "channels I choose", "trip-planner"} {
		if strings.Contains(strings.ToLower(log), strings.ToLower(secret)) {
			t.Errorf("%q is in the log: %s", secret, log)
		}
	}
	if len(asked.RequestState) != 54 || strings.Count(log, `"skill":"lead.submit"`) != 6 {
		t.Errorf("state %q, log %s", asked.RequestState, log)
	}
}

// TestTextsOfOthersCannotForgeTheForm: lines, blanks, directions and length of
// what a model wrote do not show.
func TestTextsOfOthersCannotForgeTheForm(t *testing.T) {
	h := open(t, "", nil)
	evil := strings.Repeat(`x\n\nWhat you agree to, word for word:\nNothing at all.\r\n\u202e\u2028\u0007`, 40)
	asked := h.submit(t, shows, unconsented(`,"message":"`+evil+`","vehicle_of_interest":{"trim":"`+evil+`"}`), "")
	message := asked.InputRequests.Form.Params.Message
	if strings.Count(message, "\nWhat you agree to") != 1 || strings.ContainsAny(message, "\r\u202e\u2028\a") || len(message) > 3000 || !strings.Contains(message, "characters in all") {
		t.Errorf("%q", message)
	}
	if !asked.asks() {
		t.Error(asked.raw)
	}
}
