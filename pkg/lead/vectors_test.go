package lead_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// contract is AAP v1.3 as this program publishes it.
var contract = sync.OnceValues(func() (*schema.Set, error) {
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		return nil, err
	}
	return schema.New(aap.V1_3, files)
})

func faultsOf(t counter, file string, payload []byte) []aap.Violation {
	t.Helper()
	set, err := contract()
	if err != nil {
		t.Fatalf("schemas: %v", err)
	}
	faults, err := set.Check(file, payload)
	if err != nil {
		t.Fatalf("schemas: %v", err)
	}
	return faults
}

// send goes the whole way of a payload: schema, then Refuse or Submit.
func (s *shop) send(t counter, payload []byte) (aap.Reply, error) {
	t.Helper()
	if faults := faultsOf(t, aap.LeadSubmit.RequestSchema(), payload); len(faults) > 0 {
		return aap.Reply{}, lead.Refuse(payload, faults)
	}
	return s.Submit(context.Background(), s.profile, aap.V1_3, payload)
}

// outcome is what a vector expects. An empty code is a success.
type outcome struct {
	code aap.Code
	// at are pointer and keyword of faults that must be listed.
	at []string
	// lead and visit are the statuses of a success; no visit, no appointment.
	lead, visit string
	dealer      string
	says        string
}

func received() outcome { return outcome{lead: aap.LeadReceived, dealer: "Harbor"} }

func requested() outcome {
	return outcome{lead: aap.LeadReceived, visit: aap.AppointmentRequested, dealer: "Harbor"}
}

func refused(code aap.Code, at ...string) outcome { return outcome{code: code, at: at} }

func TestEveryLeadGetsTheAnswerTheContractDemands(t *testing.T) {
	base := baseLead
	at := func(o outcome, dealer string) outcome { o.dealer = dealer; return o }
	saying := func(o outcome, text string) outcome { o.says = text; return o }
	drive := func(d document) document { return d.with("/appointment/appointment_type", "test_drive") }
	for _, c := range []struct {
		name    string
		payload document
		want    outcome
	}{
		{"smallest lead", base(), saying(received(), "by email")},
		{"lead by phone alone", base().without("/customer/email").without("/customer/preferred_contact"), received()},
		{"empty names pass", base().with("/customer/first_name", "").with("/customer/last_name", ""), received()},
		{"no consent and no last name", base().without("/consent").without("/customer/last_name"),
			refused(aap.ContactConsentRequired, "/consent required", "/customer/last_name required")},
		{"consent under a wrong capital", base().without("/consent").with("/Consent", base()["consent"]),
			refused(aap.ContactConsentRequired)},
		{"no customer", base().without("/customer"), refused(aap.MissingRequiredField, "/customer required")},
		{"no source agent", base().without("/source_agent"), refused(aap.MissingRequiredField, "/source_agent required")},
		{"source agent as text", base().with("/source_agent", "errand-agent"), refused(aap.SchemaValidationFailed, "/source_agent type")},
		{"neither mail nor phone", base().without("/customer/email").without("/customer/phone"),
			refused(aap.SchemaValidationFailed, "/customer/email anyOf", "/customer/phone anyOf")},
		{"unknown member", base().with("/budget", 1), refused(aap.SchemaValidationFailed, "/budget additionalProperties")},
		{"two vehicles of interest", base().with("/vehicle_of_interest", []any{map[string]any{}, map[string]any{}}),
			refused(aap.SchemaValidationFailed, "/vehicle_of_interest type")},

		{"second scope", base().with("/consent/scope", []any{"lead_submission", "marketing"}), refused(aap.InvalidConsent)},
		{"empty scope", base().with("/consent/scope", []any{}), refused(aap.InvalidConsent, "/consent/scope minItems")},
		{"other scope", base().with("/consent/scope", []any{"marketing"}), refused(aap.InvalidConsent, "/consent/scope/0 enum")},
		{"scope absent", base().without("/consent/scope"), refused(aap.InvalidConsent, "/consent/scope required")},
		{"consent is a list", base().with("/consent", []any{}), refused(aap.InvalidConsent, "/consent type")},
		{"empty consent text", base().with("/consent/consent_text", ""), refused(aap.InvalidConsent, "/consent/consent_text minLength")},
		{"blank consent text", base().with("/consent/consent_text", " \n\t\u00a0"), refused(aap.InvalidConsent, "/consent/consent_text pattern")},
		{"no channel", base().with("/consent/allowed_channels", []any{}), refused(aap.InvalidConsent, "/consent/allowed_channels minItems")},
		{"broken grant beside a bad phone", base().with("/consent/scope", []any{}).with("/customer/phone", "12"),
			refused(aap.InvalidConsent, "/consent/scope minItems", "/customer/phone pattern")},
		{"older form with a source agent in the grant", base().with("/consent/source_agent", "errand-agent"),
			refused(aap.SchemaValidationFailed, "/consent/source_agent additionalProperties")},
		{"granted an hour from now", base().with("/consent/granted_at", "2026-06-10T13:00:00Z"),
			refused(aap.InvalidConsent, "/consent/granted_at formatMaximum")},
		{"granted within the tolerance of clocks", base().with("/consent/granted_at", "2026-06-10T12:02:00Z"), received()},
		{"granted past the tolerance", base().with("/consent/granted_at", "2026-06-10T12:02:01Z"), refused(aap.InvalidConsent)},
		{"granted earlier in another offset", base().with("/consent/granted_at", "2026-06-10T13:30:00+02:00"), received()},
		{"expired a second ago", base().with("/consent/expires_at", "2026-06-10T11:59:59Z"),
			refused(aap.InvalidConsent, "/consent/expires_at formatMinimum")},
		{"expires in a second, small letters", base().with("/consent/expires_at", "2026-06-10t12:00:01z"), received()},
		{"expires before it was granted", base().with("/consent/granted_at", "2026-06-10T12:01:00Z").with("/consent/expires_at", "2026-06-10T12:00:30Z"),
			refused(aap.InvalidConsent, "/consent/expires_at formatExclusiveMinimum")},
		{"expires when granted", base().with("/consent/granted_at", "2026-06-10T12:01:00Z").with("/consent/expires_at", "2026-06-10T12:01:00Z"),
			refused(aap.InvalidConsent, "/consent/expires_at formatExclusiveMinimum")},
		{"two faults of time are both listed", base().with("/consent/granted_at", "2026-06-10T14:00:00Z").with("/consent/expires_at", "2026-06-10T13:00:00Z"),
			refused(aap.InvalidConsent, "/consent/granted_at formatMaximum", "/consent/expires_at formatExclusiveMinimum")},

		{"prefers phone, only mail allowed", base().with("/customer/preferred_contact", "phone").with("/consent/allowed_channels", []any{"email"}),
			refused(aap.ContactConsentRequired, "/consent/allowed_channels contains")},
		{"prefers text, only phone allowed", base().with("/customer/preferred_contact", "sms").with("/consent/allowed_channels", []any{"phone"}),
			refused(aap.ContactConsentRequired, "/consent/allowed_channels contains")},
		{"prefers text and allows it", base().with("/customer/preferred_contact", "sms").with("/consent/allowed_channels", []any{"sms"}),
			saying(received(), "by text message")},
		{"prefers any", base().with("/customer/preferred_contact", "any").with("/consent/allowed_channels", []any{"email"}), received()},
		{"only mail allowed, only phone given", base().with("/consent/allowed_channels", []any{"email"}).without("/customer/email").without("/customer/preferred_contact"),
			refused(aap.ContactConsentRequired, "/consent/allowed_channels contains")},
		{"only mail allowed, phone given too", base().with("/consent/allowed_channels", []any{"email"}), received()},
		{"an expired grant outranks the channel", base().with("/consent/expires_at", "2026-06-10T11:59:59Z").with("/consent/allowed_channels", []any{"phone"}),
			refused(aap.InvalidConsent)},
		{"the channel outranks the vehicle", drive(base()).with("/vehicle_of_interest/vin", vinGhost).with("/consent/allowed_channels", []any{"phone"}),
			refused(aap.ContactConsentRequired)},

		{"phone not in E.164", base().with("/customer/phone", "303-555-0142"), refused(aap.SchemaValidationFailed, "/customer/phone pattern")},
		{"wear word for the wanted car", base().with("/vehicle_of_interest/vin", vinHarbor).with("/vehicle_of_interest/condition", "good"),
			refused(aap.InvalidCondition, "/vehicle_of_interest/condition enum")},
		{"sale word for the trade-in", base().with("/trade_in/condition", "used"), refused(aap.InvalidCondition, "/trade_in/condition enum")},
		{"both words crossed", base().with("/trade_in/condition", "used").with("/vehicle_of_interest/condition", "fair"),
			refused(aap.InvalidCondition, "/trade_in/condition enum", "/vehicle_of_interest/condition enum")},
		{"crossed word and bad phone", base().with("/vehicle_of_interest/condition", "good").with("/customer/phone", "12"),
			refused(aap.SchemaValidationFailed, "/customer/phone pattern", "/vehicle_of_interest/condition enum")},
		{"word of no vocabulary", base().with("/vehicle_of_interest/condition", "mint"),
			refused(aap.SchemaValidationFailed, "/vehicle_of_interest/condition enum")},
		{"right words", base().with("/vehicle_of_interest/condition", "cpo").with("/trade_in/condition", "poor"), received()},

		{"a model is enough", base().with("/vehicle_of_interest/model", "Accord"), received()},
		{"an empty vehicle is enough", base().with("/vehicle_of_interest", map[string]any{}).with("/trade_in", map[string]any{}), received()},
		{"car of another rooftop", base().with("/vehicle_of_interest/vin", vinSummit), at(received(), "Summit")},
		{"stock number, case and hyphen aside", base().with("/vehicle_of_interest/stock", "s 3"), at(received(), "Summit")},
		{"rooftop named by the buyer", base().with("/vehicle_of_interest/rooftop", "summit autos"), at(received(), "Summit")},
		{"year, make and model at the rooftop named", base().with("/vehicle_of_interest", map[string]any{"year": 2021, "make": "honda", "model": "ACCORD", "rooftop": "Summit"}),
			at(received(), "Summit")},
		{"year, make and model alone", base().with("/vehicle_of_interest", map[string]any{"year": 2015.0, "make": "Ford", "model": "Focus"}), at(received(), "Summit")},
		{"unknown rooftop", base().with("/vehicle_of_interest/rooftop", "Nowhere"), received()},
		{"null rooftop", base().with("/vehicle_of_interest/rooftop", nil), received()},
		{"rooftop without a phone", base().with("/vehicle_of_interest/vehicle_id", "u4"), at(received(), "Harbor Motor Group")},
		{"sold car, no visit", base().with("/vehicle_of_interest/vin", vinSold), saying(at(received(), "Summit"), "no longer for sale")},
		{"unknown car, no visit", base().with("/vehicle_of_interest/vin", vinGhost), saying(received(), "not found")},
		{"sold car, sales visit", base().with("/vehicle_of_interest/vin", vinSold).with("/appointment/appointment_type", "sales"), at(requested(), "Summit")},
		{"sold car, test drive", drive(base()).with("/vehicle_of_interest/vin", vinSold), refused(aap.VehicleUnavailable)},
		{"sold car by year, make and model, test drive", drive(base()).with("/vehicle_of_interest", map[string]any{"year": 2020, "make": "Chevrolet", "model": "Silverado 1500"}),
			refused(aap.VehicleUnavailable)},
		{"unknown car, test drive", drive(base()).with("/vehicle_of_interest/vin", vinGhost), refused(aap.VehicleNotFound)},
		{"thin vehicle, test drive", drive(base()).with("/vehicle_of_interest/model", "Accord"), requested()},
		{"no vehicle, test drive", drive(base()), requested()},
		{"pending car, test drive", drive(base()).with("/vehicle_of_interest/vin", vinSummit), at(requested(), "Summit")},
		{"status sold on the wanted car", base().with("/vehicle_of_interest/status", "sold"), refused(aap.SchemaValidationFailed, "/vehicle_of_interest/status enum")},
		{"unknown member of the wanted car", base().with("/vehicle_of_interest/sunroof", true), received()},
		{"motorcycle", drive(base()).with("/vehicle_of_interest", map[string]any{"vehicle_type": "motorcycle", "make": "Acme"}), requested()},

		{"sales visit without a time", base().with("/appointment/appointment_type", "sales"), saying(requested(), "propose a time")},
		{"visit at a time", base().with("/appointment", map[string]any{"appointment_type": "service", "appointment_at": "2026-06-12T10:00:00-07:00", "duration_minutes": 30.0}),
			saying(requested(), "confirm the time")},
		{"visit in the past", base().with("/appointment", map[string]any{"appointment_type": "trade_in", "appointment_at": "2026-06-09T10:00:00-07:00"}),
			saying(requested(), "has passed")},
		{"time without offset", base().with("/appointment", map[string]any{"appointment_type": "sales", "appointment_at": "2026-06-12T10:00:00"}),
			refused(aap.SchemaValidationFailed, "/appointment/appointment_at format")},
		{"unknown kind of visit", base().with("/appointment/appointment_type", "handover"), refused(aap.SchemaValidationFailed, "/appointment/appointment_type enum")},
		{"visit of ten minutes", base().with("/appointment", map[string]any{"appointment_type": "sales", "duration_minutes": 10}),
			refused(aap.SchemaValidationFailed, "/appointment/duration_minutes minimum")},
		{"visit without a kind", base().with("/appointment", map[string]any{}), refused(aap.MissingRequiredField, "/appointment/appointment_type required")},
		{"long texts", base().with("/message", strings.Repeat("é", 4001)).with("/idempotency_key", strings.Repeat("k", 129)),
			refused(aap.SchemaValidationFailed, "/message maxLength", "/idempotency_key maxLength")},
		{"texts at their limits", base().with("/message", strings.Repeat("é", 4000)).with("/idempotency_key", strings.Repeat("\U0001F697", 128)), received()},
		{"empty key", base().with("/idempotency_key", ""), refused(aap.SchemaValidationFailed, "/idempotency_key minLength")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open()
			reply, err := s.send(t, c.payload.bytes())
			if c.want.code != "" {
				s.wantRefusal(t, err, c.want)
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			s.wantTaken(t, reply, c.payload.bytes(), c.want)
		})
	}
}

func (s *shop) wantRefusal(t *testing.T, err error, want outcome) {
	t.Helper()
	e, ok := errors.AsType[*aap.Error](err)
	if !ok || e.Code != want.code {
		t.Fatalf("got %v, want %s", err, want.code)
	}
	for _, at := range want.at {
		if !slices.ContainsFunc(violations(t, e), func(f aap.Violation) bool { return f.InstanceLocation+" "+f.Keyword == at }) {
			t.Errorf("details.errors lacks %q: %v", at, violations(t, e))
		}
	}
	if len(s.leads(t)) != 0 || len(s.queue.queued()) != 0 || len(s.outbox(t)) != 0 {
		t.Error("a refused lead left a trace")
	}
}

func (s *shop) wantTaken(t *testing.T, reply aap.Reply, payload []byte, want outcome) {
	t.Helper()
	got := readReply(t, reply)
	if faults := faultsOf(t, aap.LeadSubmit.ResponseSchema(), []byte(got.raw)); len(faults) > 0 {
		t.Fatalf("the answer breaks its schema: %v\n%s", faults, got.raw)
	}
	if got.Status != want.lead || got.LeadID == "" {
		t.Errorf("lead is %s %q, want %s", got.Status, got.LeadID, want.lead)
	}
	switch a := got.Appointment; {
	case want.visit == "" && a != nil:
		t.Errorf("an appointment nobody asked for: %+v", *a)
	case want.visit != "" && (a == nil || a.Status != want.visit || a.AppointmentID == "" || a.ConfirmedAt != "" || a.ProposedTimes != nil):
		t.Errorf("appointment is %+v, want %s", a, want.visit)
	}
	if got.Dealer == nil || got.Dealer.Name != want.dealer || got.Dealer.Phone == "" {
		t.Errorf("dealer is %+v, want %s with a phone", got.Dealer, want.dealer)
	}
	if !strings.Contains(got.message, want.says) {
		t.Errorf("message is %q, want %q in it", got.message, want.says)
	}
	for _, private := range []string{"Maya", "Ortiz", "maya.ortiz", "3035550142"} {
		if strings.Contains(got.raw, private) {
			t.Errorf("the answer shows %q", private)
		}
	}
	all := s.leads(t)
	if len(all) != 1 || all[0].ID != got.LeadID || string(all[0].Request) != string(payload) || all[0].Version != "v1.3" {
		t.Errorf("stored are %v, want the payload verbatim under %s", all, got.LeadID)
	}
	if ids := s.queue.queued(); !slices.Equal(ids, []string{got.LeadID}) || len(s.outbox(t)) != 0 {
		t.Errorf("queued are %v, outbox %v; want the lead once", ids, s.outbox(t))
	}
}
