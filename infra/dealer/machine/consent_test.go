package machine_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/embedded"
)

func TestConsentMustBeWhole(t *testing.T) {
	d := open(t)
	const (
		badGrant  = "-32000 INVALID_CONSENT "
		noConsent = "-32000 CONTACT_CONSENT_REQUIRED "
	)
	for _, v := range []struct {
		name  string
		edits object
		want  string
	}{
		{"null", object{"consent": json.RawMessage("null")}, badGrant + "/consent type"},
		{"a text", object{"consent": "yes"}, badGrant + "/consent type"},
		{"nothing in it", object{"consent": object{}},
			badGrant + "/consent/allowed_channels required, /consent/consent_text required, /consent/granted_at required, /consent/scope required"},
		{"no time", object{"consent.granted_at": nil}, badGrant + "/consent/granted_at required"},
		{"no scope", object{"consent.scope": nil}, badGrant + "/consent/scope required"},
		{"another scope", object{"consent.scope": []string{"marketing"}}, badGrant + "/consent/scope/0 enum"},
		{"the scope twice", object{"consent.scope": []string{"lead_submission", "lead_submission"}}, badGrant + "/consent/scope maxItems, /consent/scope uniqueItems"},
		{"a time without offset", object{"consent.granted_at": "2026-05-01T11:59:00"}, badGrant + "/consent/granted_at format"},
		{"no channel", object{"consent.allowed_channels": []string{}}, badGrant + "/consent/allowed_channels minItems"},
		{"a channel twice", object{"consent.allowed_channels": []string{"email", "email"}}, badGrant + "/consent/allowed_channels uniqueItems"},
		{"a channel of no contract", object{"consent.allowed_channels": []string{"fax"}}, badGrant + "/consent/allowed_channels/0 enum"},
		{"an end before the grant", object{"consent.granted_at": "2026-05-01T11:00:00Z", "consent.expires_at": "2026-05-01T10:00:00Z"}, badGrant + "/consent/expires_at formatExclusiveMinimum"},
		{"a broken grant outranks the rest and lists it", object{"consent.scope": []string{}, "customer.last_name": nil, "message": 1},
			badGrant + "/consent/scope minItems, /customer/last_name required, /message type"},
		{"a broken grant outranks an older member", object{"consent.scope": []string{}, "consent.source_agent": "x"},
			badGrant + "/consent/scope minItems, /consent/source_agent additionalProperties"},
		{"no consent outranks a crossed condition", object{"consent": nil, "trade_in": object{"condition": "new"}}, noConsent + "/consent required, /trade_in/condition enum"},
		{"a faulty payload outranks an expired grant", object{"consent.expires_at": "2026-05-01T11:59:30Z", "customer.phone": "1"},
			"-32602 SCHEMA_VALIDATION_FAILED /customer/phone pattern"},
		{"an expired grant outranks the channel", object{"consent.expires_at": "2026-05-01T11:59:30Z", "customer.preferred_contact": "phone"}, badGrant + "/consent/expires_at formatMinimum"},
		{"the channel outranks the vehicle", object{"customer.preferred_contact": "phone", "vehicle_of_interest": object{"vin": "1FTFW1E50NFA00001"},
			"appointment": object{"appointment_type": "test_drive"}}, noConsent + "/consent/allowed_channels contains"},
	} {
		t.Run(v.name, func(t *testing.T) { d.skill(t, lead(v.edits)).want(strings.TrimSpace(v.want)) })
	}
	if n := len(documents(t, d)); n > 0 {
		t.Errorf("%d leads were taken", n)
	}
}

func TestChannelsThatAreAllowed(t *testing.T) {
	d := open(t)
	for name, edits := range map[string]object{
		"any":                     {"customer.preferred_contact": "any"},
		"no preference":           {"customer.preferred_contact": nil},
		"phone":                   {"customer.preferred_contact": "phone", "consent.allowed_channels": []string{"email", "phone"}},
		"sms":                     {"customer.preferred_contact": "sms", "consent.allowed_channels": []string{"sms"}},
		"a phone nobody may call": {"customer.phone": "+14155550177"},
		"an end in the future":    {"consent.expires_at": "2026-05-01T12:00:01Z"},
	} {
		edits["trade_in"] = object{"year": 2014, "make": name, "model": "x"}
		a := d.skill(t, lead(edits))
		a.want("ok")
		if a.payload.Data["status"] != "received" {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}

func TestNoFollowUpIsPromisedOnAChannelWithoutContactData(t *testing.T) {
	d := open(t)
	a := d.skill(t, lead(object{"customer.phone": nil, "customer.preferred_contact": "phone", "consent.allowed_channels": []string{"phone", "email"}}))
	a.want("ok")
	if strings.Contains(a.payload.Message, "by phone") {
		t.Errorf("no number was given: %s", a.body)
	}
	if b := d.skill(t, lead(object{"customer.email": "ben@example.com", "customer.phone": nil})); !strings.Contains(b.payload.Message, "by email") {
		t.Errorf("the preferred channel is not named: %s", b.body)
	}
}

func TestAGrantWithoutEndHasTheDealersEnd(t *testing.T) {
	d := open(t, add("leads: {consent_max_age: 24h}"))
	d.skill(t, lead(object{"consent.granted_at": "2026-04-30T11:00:00Z"})).want("-32000 INVALID_CONSENT /consent/granted_at formatMinimum")
	d.skill(t, lead(object{"consent.granted_at": "2026-04-30T11:00:00Z", "consent.expires_at": "2026-06-01T00:00:00Z"})).want("ok")
	d.skill(t, lead(object{"consent.granted_at": "2026-04-30T13:00:00Z", "message": "within the day"})).want("ok")
}

func TestARetryIsAnsweredAlthoughTheGrantHasEnded(t *testing.T) {
	c := startClock(noon)
	d := openLot(t, readFile(t, "testdata/feed.json"), 5, c.now)
	body := lead(object{"idempotency_key": "late", "consent.expires_at": "2026-05-01T13:00:00Z"})
	first := d.skill(t, body)
	first.want("ok")
	c.advance(23 * time.Hour)
	again := d.skill(t, body)
	again.want("ok")
	if !equalJSON(t, first.payload, again.payload) {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
	d.skill(t, lead(object{"consent.expires_at": "2026-05-01T13:00:00Z"})).want("-32000 INVALID_CONSENT /consent/expires_at formatMinimum")
	d.skill(t, lead(object{"idempotency_key": "late", "consent.expires_at": "2026-05-01T13:00:00Z", "message": "x"})).want("-32000 IDEMPOTENCY_CONFLICT")
}

func TestTheGrantIsKeptAsItWasGiven(t *testing.T) {
	d := open(t)
	const text = "I agree – “Demo Group” may write to me. \\ \u00e9"
	a := d.skill(t, lead(object{"consent.consent_text": text, "consent.expires_at": "2027-01-01T00:00:00+01:00"}))
	a.want("ok")
	id, _ := a.payload.Data["lead_id"].(string)
	eventually(t, "the document is there", func() bool { return documents(t, d)[id] != "" })
	if strings.Contains(documents(t, d)[id], "may write to me") {
		t.Error("the consent is in the XML")
	}
	d.stop()
	db, err := embedded.Open(filepath.Clean(d.config.Data))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	record, err := db.Leads().Load(t.Context(), "demo-group", id, noon)
	if err != nil {
		t.Fatal(err)
	}
	var kept struct{ Consent object }
	if err := json.Unmarshal(record.Request, &kept); err != nil {
		t.Fatal(err)
	}
	want := object{"granted_at": "2026-05-01T11:59:00Z", "allowed_channels": []string{"email"}, "consent_text": text,
		"scope": []string{"lead_submission"}, "expires_at": "2027-01-01T00:00:00+01:00"}
	if !equalJSON(t, kept.Consent, want) {
		t.Errorf("kept %v", kept.Consent)
	}
}
