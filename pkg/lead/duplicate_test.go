package lead_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestAnEqualLeadIsADuplicate(t *testing.T) {
	car := func() document {
		return baseLead().with("/vehicle_of_interest", map[string]any{"vin": vinHarbor, "price": 21990}).
			with("/trade_in", map[string]any{"make": "Toyota", "year": 2014, "mileage": 96000}).
			with("/appointment", map[string]any{"appointment_type": "test_drive", "appointment_at": "2026-06-12T10:00:00-07:00"})
	}
	for name, c := range map[string]struct {
		change func(document) document
		equal  bool
	}{
		"unchanged":   {func(d document) document { return d }, true},
		"a fresh key": {func(d document) document { return d.with("/idempotency_key", "fresh") }, true},
		"mail in capitals": {func(d document) document {
			return d.with("/customer/email", "MAYA.ortiz@Example.com").without("/customer/phone")
		}, true},
		"same mail, no phone": {func(d document) document { return d.without("/customer/phone") }, true},
		"same phone, no mail": {func(d document) document {
			return d.without("/customer/email").with("/customer/preferred_contact", "phone")
		}, true},
		"fewer channels": {func(d document) document { return d.with("/consent/allowed_channels", []any{"email"}) }, true},
		"channels in another order": {func(d document) document {
			return d.with("/consent/allowed_channels", []any{"phone", "email"})
		}, true},
		"a channel without contact data": {func(d document) document {
			return d.without("/customer/phone").with("/consent/allowed_channels", []any{"email", "sms"})
		}, true},
		"another name":     {func(d document) document { return d.with("/customer/first_name", "M.") }, true},
		"another message":  {func(d document) document { return d.with("/message", "Hello again") }, true},
		"later submission": {func(d document) document { return d.with("/submitted_at", "2026-06-10T11:59:30Z") }, true},
		"another agent":    {func(d document) document { return d.with("/source_agent/name", "other-agent") }, true},
		"newer price":      {func(d document) document { return d.with("/vehicle_of_interest/price", 20990) }, true},
		"same moment elsewhere": {func(d document) document {
			return d.with("/appointment/appointment_at", "2026-06-12T17:00:00Z")
		}, true},
		"number spelling and case of the trade-in": {func(d document) document {
			return d.with("/trade_in", map[string]any{"make": "TOYOTA ", "year": 2014.0, "mileage": json.Number("9.6e4")})
		}, true},

		"other mail and phone": {func(d document) document {
			return d.with("/customer/email", "lee@example.com").with("/customer/phone", "+13035550111")
		}, false},
		"same phone, other mail": {func(d document) document { return d.with("/customer/email", "other@example.com") }, false},
		"same mail, other phone": {func(d document) document { return d.with("/customer/phone", "+13035550199") }, false},
		"one more channel": {func(d document) document {
			return d.with("/consent/allowed_channels", []any{"email", "phone", "sms"})
		}, false},
		"another channel": {func(d document) document {
			return d.with("/consent/allowed_channels", []any{"email", "sms"})
		}, false},
		"another car":        {func(d document) document { return d.with("/vehicle_of_interest/vin", vinSummit) }, false},
		"no car":             {func(d document) document { return d.without("/vehicle_of_interest") }, false},
		"another trade-in":   {func(d document) document { return d.with("/trade_in/mileage", 97000) }, false},
		"no trade-in":        {func(d document) document { return d.without("/trade_in") }, false},
		"another time":       {func(d document) document { return d.with("/appointment/appointment_at", "2026-06-12T18:00:00Z") }, false},
		"no time":            {func(d document) document { return d.without("/appointment/appointment_at") }, false},
		"another visit":      {func(d document) document { return d.with("/appointment/appointment_type", "sales") }, false},
		"no visit":           {func(d document) document { return d.without("/appointment") }, false},
		"a longer visit":     {func(d document) document { return d.with("/appointment/duration_minutes", 90) }, false},
		"only the car equal": {func(d document) document { return baseLead().with("/vehicle_of_interest/vin", vinHarbor) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			first := s.accept(t, car().bytes())
			s.setClock(noon.Add(time.Hour))
			second := s.accept(t, c.change(car()).bytes())
			if !c.equal {
				if second.Status != aap.LeadReceived || second.LeadID == first.LeadID || len(s.leads(t)) != 2 {
					t.Fatalf("swallowed: %s", second.raw)
				}
				return
			}
			if second.Status != aap.LeadDuplicate || second.LeadID != first.LeadID {
				t.Fatalf("answer is %s, want a duplicate of %s", second.raw, first.LeadID)
			}
			if second.Appointment == nil || second.Appointment.AppointmentID != first.Appointment.AppointmentID || second.Appointment.Status != first.Appointment.Status {
				t.Fatalf("appointment is %+v, want the first one %+v", second.Appointment, first.Appointment)
			}
			if faults := faultsOf(t, aap.LeadSubmit.ResponseSchema(), []byte(second.raw)); len(faults) > 0 {
				t.Fatalf("the answer breaks its schema: %v", faults)
			}
			if len(s.leads(t)) != 1 || len(s.queue.queued()) != 1 {
				t.Fatalf("%d leads, %d queued", len(s.leads(t)), len(s.queue.queued()))
			}
		})
	}
}

func TestTheDuplicateWindowEnds(t *testing.T) {
	for name, window := range map[string]time.Duration{"after a day by default": 0, "as set": 90 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			s := open()
			s.profile.Leads.DuplicateWindow = dealer.Duration(window)
			if window == 0 {
				window = 24 * time.Hour
			}
			first := s.accept(t, baseLead().bytes())
			s.setClock(noon.Add(window - time.Second))
			if got := s.accept(t, baseLead().bytes()); got.Status != aap.LeadDuplicate {
				t.Fatalf("a second early: %s", got.raw)
			}
			s.setClock(noon.Add(window + time.Second))
			if got := s.accept(t, baseLead().bytes()); got.Status != aap.LeadReceived || got.LeadID == first.LeadID {
				t.Fatalf("a second late: %s", got.raw)
			}
		})
	}
}

func TestADuplicateNeedsConsentOfItsOwn(t *testing.T) {
	s := open()
	s.accept(t, baseLead().bytes())
	s.refuse(t, baseLead().with("/consent/expires_at", "2026-06-10T11:59:59Z").bytes(), aap.InvalidConsent)
	s.refuse(t, baseLead().with("/customer/preferred_contact", "sms").bytes(), aap.ContactConsentRequired)
}

// Whoever knows a buyer's e-mail address can send a lead with it; that must
// not keep the buyer's own lead, with the phone number, from the dealer.
func TestALeadWithNewContactDataIsNeverSwallowed(t *testing.T) {
	mail := func() document {
		return baseLead().with("/vehicle_of_interest/vin", vinHarbor).without("/customer/phone").with("/consent/allowed_channels", []any{"email"})
	}
	both := func() document { return baseLead().with("/vehicle_of_interest/vin", vinHarbor) }
	phone := func() document {
		return both().without("/customer/email").with("/customer/preferred_contact", "phone").with("/consent/allowed_channels", []any{"phone"})
	}
	s := open()
	first := s.accept(t, mail().bytes())
	richer := s.accept(t, both().bytes())
	if richer.Status != aap.LeadReceived || richer.LeadID == first.LeadID {
		t.Fatalf("the lead with a phone number is swallowed: %s", richer.raw)
	}
	for name, d := range map[string]document{"mail": mail(), "phone": phone(), "both": both()} {
		if got := s.accept(t, d.bytes()); got.Status != aap.LeadDuplicate || got.LeadID != richer.LeadID {
			t.Errorf("%s: answer is %s, want a duplicate of %s", name, got.raw, richer.LeadID)
		}
	}

	// What two leads bring is not what one of them brought.
	s = open()
	s.accept(t, mail().bytes())
	s.accept(t, phone().bytes())
	if got := s.accept(t, both().bytes()); got.Status != aap.LeadReceived || len(s.leads(t)) != 3 || len(s.queue.queued()) != 3 {
		t.Fatalf("the lead with both is swallowed: %s", got.raw)
	}
}
