package machine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// object is a JSON object under edit.
type object = map[string]any

// lead is a plain valid lead with edits made to it. A nil value removes the
// member that a dotted path names.
func lead(edits object) string {
	base := object{
		"type":     "lead.submit.request",
		"customer": object{"first_name": "Anna", "last_name": "Lee", "email": "anna@example.com", "phone": "+14155550123", "preferred_contact": "email"},
		"consent": object{"granted_at": "2026-05-01T11:59:00Z", "allowed_channels": []string{"email"},
			"consent_text": "I agree to be contacted about this car.", "scope": []string{"lead_submission"}},
		"source_agent": object{"name": "chatgpt-shopping"},
	}
	for path, value := range edits {
		at := base
		steps := strings.Split(path, ".")
		for _, step := range steps[:len(steps)-1] {
			at = at[step].(object)
		}
		if last := steps[len(steps)-1]; value == nil {
			delete(at, last)
		} else {
			at[last] = value
		}
	}
	b, err := json.Marshal(base)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestLeadVectors(t *testing.T) {
	d := open(t)
	const (
		invalid   = "-32602 SCHEMA_VALIDATION_FAILED "
		noConsent = "-32000 CONTACT_CONSENT_REQUIRED"
		badGrant  = "-32000 INVALID_CONSENT"
		channel   = " /consent/allowed_channels contains"
	)
	for _, v := range []struct {
		name  string
		edits object
		want  string
	}{
		{"a plain lead", nil, "ok"},
		{"no consent outranks the rest", object{"consent": nil, "customer.last_name": nil}, noConsent + " /consent required, /customer/last_name required"},
		{"no customer", object{"customer": nil}, "-32602 MISSING_REQUIRED_FIELD /customer required"},
		{"a wider scope", object{"consent.scope": []string{"lead_submission", "marketing"}}, badGrant + " /consent/scope maxItems, /consent/scope/1 enum"},
		{"an empty scope", object{"consent.scope": []string{}}, badGrant + " /consent/scope minItems"},
		{"no consent text", object{"consent.consent_text": ""}, badGrant + " /consent/consent_text minLength"},
		{"a blank consent text", object{"consent.consent_text": "  "}, badGrant + " /consent/consent_text pattern"},
		{"granted in the future", object{"consent.granted_at": "2026-05-01T13:00:00Z"}, badGrant + " /consent/granted_at formatMaximum"},
		{"granted within clock skew", object{"consent.granted_at": "2026-05-01T12:01:30Z", "message": "skew"}, "ok"},
		{"expired", object{"consent.expires_at": "2026-05-01T11:59:59Z"}, badGrant + " /consent/expires_at formatMinimum"},
		{"a legacy member of consent", object{"consent.source_agent": "x"}, invalid + "/consent/source_agent additionalProperties"},
		{"prefers a channel that is not allowed", object{"customer.preferred_contact": "phone"}, noConsent + channel},
		{"sms is not covered by phone", object{"customer.preferred_contact": "sms", "consent.allowed_channels": []string{"phone"}}, noConsent + channel},
		{"no contact data for any allowed channel", object{"customer.email": nil, "customer.preferred_contact": nil}, noConsent + channel},
		{"a phone that is not E.164", object{"customer.phone": "415-555-0123"}, invalid + "/customer/phone pattern"},
		{"neither mail nor phone", object{"customer.email": nil, "customer.phone": nil, "customer.preferred_contact": nil},
			invalid + "/customer/email anyOf, /customer/phone anyOf"},
		{"trade-in word on the vehicle of interest", object{"vehicle_of_interest": object{"vin": "1HGCV1F30KA000001", "condition": "good"}},
			"-32602 INVALID_CONDITION /vehicle_of_interest/condition enum"},
		{"sale word on the trade-in", object{"trade_in": object{"condition": "used"}}, "-32602 INVALID_CONDITION /trade_in/condition enum"},
		{"a condition in neither vocabulary", object{"trade_in": object{"condition": "mint"}}, invalid + "/trade_in/condition enum"},
		{"a crossed condition among other faults", object{"vehicle_of_interest": object{"condition": "good"}, "customer.phone": "1"},
			invalid + "/customer/phone pattern, /vehicle_of_interest/condition enum"},
		{"a thin vehicle", object{"vehicle_of_interest": object{"model": "Civic"}}, "ok"},
		{"an unknown member of the vehicle", object{"vehicle_of_interest": object{"foo": 1}}, "ok"},
		{"a test drive of a sold car", object{"vehicle_of_interest": object{"vin": "1FTFW1E50NFA00001"}, "appointment": object{"appointment_type": "test_drive"}},
			"-32000 VEHICLE_UNAVAILABLE"},
		{"a test drive of an unknown car", object{"vehicle_of_interest": object{"vin": "2T1BURHE0JC000009"}, "appointment": object{"appointment_type": "test_drive"}},
			"-32000 VEHICLE_NOT_FOUND"},
		{"interest in a sold car without a test drive", object{"vehicle_of_interest": object{"vin": "1FTFW1E50NFA00001"}}, "ok"},
		{"a status of its own making", object{"vehicle_of_interest": object{"status": "sold"}}, invalid + "/vehicle_of_interest/status enum"},
		{"a time without offset", object{"appointment": object{"appointment_type": "sales", "appointment_at": "2026-05-03T18:00:00"}},
			invalid + "/appointment/appointment_at format"},
		{"an appointment type of an older contract", object{"appointment": object{"appointment_type": "handover"}}, invalid + "/appointment/appointment_type enum"},
		{"texts that are too long", object{"message": strings.Repeat("x", 4001), "idempotency_key": strings.Repeat("k", 129)},
			invalid + "/idempotency_key maxLength, /message maxLength"},
		{"source_agent as a string", object{"source_agent": "x"}, invalid + "/source_agent type"},
	} {
		t.Run(v.name, func(t *testing.T) { d.skill(t, lead(v.edits)).want(v.want) })
	}
	a := d.skill(t, lead(object{"consent": nil}))
	if a.fault.Details.Missing != "consent" || a.fault.Details.ExpectedScope != "lead_submission" {
		t.Errorf("details %+v", a.fault.Details)
	}
}

func TestAppointmentIsRequestedNotConfirmed(t *testing.T) {
	d := open(t)
	a := d.skill(t, lead(object{"appointment": object{"appointment_type": "sales"}}))
	a.want("ok")
	visit, _ := a.payload.Data["appointment"].(object)
	if visit["status"] != "requested" || visit["appointment_id"] == "" || visit["confirmed_at"] != nil {
		t.Errorf("appointment %v", visit)
	}
	contact, _ := a.payload.Data["dealer"].(object)
	if contact["phone"] != "+14155550100" || a.payload.Message == "" {
		t.Errorf("dealer %v, message %q", contact, a.payload.Message)
	}
	if plain := d.skill(t, lead(object{"message": "no visit"})); plain.payload.Data["appointment"] != nil {
		t.Errorf("an appointment nobody asked for: %s", plain.body)
	}
}

func TestRetryIsAnsweredWithTheSameLead(t *testing.T) {
	d := open(t)
	body := lead(object{"idempotency_key": "K"})
	first, again := d.skill(t, body), d.skill(t, body)
	first.want("ok")
	again.want("ok")
	if !equalJSON(t, first.payload, again.payload) {
		t.Errorf("first  %s\nagain  %s", first.body, again.body)
	}
	if first.rpc.Result.Message.MessageID == again.rpc.Result.Message.MessageID {
		t.Error("the two answers share a messageId")
	}
	d.skill(t, lead(object{"idempotency_key": "K", "message": "another"})).want("-32000 IDEMPOTENCY_CONFLICT")
	d.skill(t, lead(object{"idempotency_key": "K2", "customer.phone": "1"})).want("-32602 SCHEMA_VALIDATION_FAILED /customer/phone pattern")
	d.skill(t, lead(object{"idempotency_key": "K2", "message": "corrected"})).want("ok")
}

func TestParallelRetriesMakeOneLead(t *testing.T) {
	d := open(t)
	body := lead(object{"idempotency_key": "parallel"})
	answers := make([]answer, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = d.skill(t, body) })
	}
	wg.Wait()
	for _, a := range answers {
		if !equalJSON(t, a.payload, answers[0].payload) {
			t.Fatalf("%s\n%s", a.body, answers[0].body)
		}
	}
	eventually(t, "one document lies in the outbox", func() bool { return len(documents(t, d)) == 1 })
}

func TestEqualLeadIsADuplicate(t *testing.T) {
	d := open(t)
	first := d.skill(t, lead(nil))
	again := d.skill(t, lead(object{"idempotency_key": "fresh"}))
	if again.payload.Data["status"] != "duplicate" || again.payload.Data["lead_id"] != first.payload.Data["lead_id"] {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
	other := d.skill(t, lead(object{"appointment": object{"appointment_type": "sales", "appointment_at": "2026-05-03T18:00:00Z"}}))
	if other.payload.Data["status"] != "received" {
		t.Errorf("a lead with a chosen time is swallowed: %s", other.body)
	}
}

// A stranger's lead with a buyer's address does not keep the buyer's own lead
// from the dealer.
func TestALeadThatBringsAPhoneNumberReachesTheOutbox(t *testing.T) {
	d := open(t)
	car := object{"vin": "1HGCV1F30KA000001"}
	junk := d.skill(t, lead(object{"customer.phone": nil, "vehicle_of_interest": car, "message": "junk"}))
	own := d.skill(t, lead(object{"vehicle_of_interest": car, "message": "Please call me.", "idempotency_key": "own",
		"consent.allowed_channels": []string{"email", "phone"}}))
	if own.payload.Data["status"] != "received" || own.payload.Data["lead_id"] == junk.payload.Data["lead_id"] {
		t.Fatalf("the buyer's lead is swallowed: %s", own.body)
	}
	again := d.skill(t, lead(object{"customer.phone": nil, "vehicle_of_interest": car}))
	if again.payload.Data["status"] != "duplicate" {
		t.Errorf("a repeat that brings nothing: %s", again.body)
	}
	id, _ := own.payload.Data["lead_id"].(string)
	eventually(t, "the lead with the phone number is there", func() bool {
		xml := documents(t, d)[id]
		return strings.Contains(xml, "+14155550123") && strings.Contains(xml, "Please call me.")
	})
}

// documents reads what lies in the outbox.
func documents(t *testing.T, d *door) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(d.outbox)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".xml") {
			found[strings.TrimSuffix(e.Name(), ".xml")] = readFile(t, filepath.Join(d.outbox, e.Name()))
		}
	}
	return found
}

func TestLeadReachesTheOutboxAsADF(t *testing.T) {
	d := open(t)
	for _, v := range []struct {
		name  string
		edits object
		holds []string
	}{
		{"names and source", object{"message": "1"}, []string{`<name part="full">Anna Lee</name>`, `<name part="first">Anna</name>`,
			`<name part="last">Lee</name>`, `<vendorname>North</vendorname>`, `chatgpt-shopping`, `General inquiry`}},
		{"certified", object{"vehicle_of_interest": object{"vin": "1HGCV1F30KA000001", "condition": "cpo"}, "message": "2"},
			[]string{`<vehicle interest="buy" status="used">`, `certified pre-owned`, `<make>Honda</make>`}},
		{"test drive in dealer time", object{"vehicle_of_interest": object{"vin": "1HGCV1F30KA000001"}, "message": "Hi.",
			"appointment": object{"appointment_type": "test_drive", "appointment_at": "2026-05-03T18:00:00Z"}},
			[]string{`interest="test-drive"`, `Hi. Requested test-drive: 2026-05-03 11:00 PT.`}},
		{"the previous day in Denver", object{"vehicle_of_interest": object{"vin": "JM1BK32F781234567"}, "message": "4",
			"appointment": object{"appointment_type": "test_drive", "appointment_at": "2026-05-04T03:30:00Z"}},
			[]string{`2026-05-03 21:30 MT`, `<vendorname>South</vendorname>`}},
		{"trade-in", object{"trade_in": object{"year": 2014, "make": "Toyota", "model": "Corolla", "condition": "good", "mileage": 96000}, "message": "5"},
			[]string{`interest="trade-in"`, `<condition>good</condition>`, `<odometer units="mi">96000</odometer>`}},
		{"stock decides the vendor", object{"vehicle_of_interest": object{"stock": "S200", "price": 32995}, "message": "6"},
			[]string{`<vendorname>South</vendorname>`, `<price type="quote" currency="USD">32995</price>`}},
	} {
		t.Run(v.name, func(t *testing.T) {
			a := d.skill(t, lead(v.edits))
			a.want("ok")
			id, _ := a.payload.Data["lead_id"].(string)
			var xml string
			eventually(t, "the document is there", func() bool { xml = documents(t, d)[id]; return xml != "" })
			for _, want := range v.holds {
				if !strings.Contains(xml, want) {
					t.Errorf("%s is not in\n%s", want, xml)
				}
			}
			if !strings.HasPrefix(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?adf version=\"1.0\"?>\n<adf>") {
				t.Errorf("frame: %.120s", xml)
			}
			if strings.Contains(xml, "I agree to be contacted") {
				t.Error("the consent text is in the XML")
			}
		})
	}
}
