package lead_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func keyed(key string) document { return baseLead().with("/idempotency_key", key) }

func TestARepeatedKeyGetsTheFirstAnswerWordForWord(t *testing.T) {
	s := open()
	payload := keyed("k-1").with("/appointment/appointment_type", "test_drive").with("/vehicle_of_interest/vin", vinSummit).bytes()
	first := s.accept(t, payload)
	// Everything the answer was made from changes meanwhile.
	s.profile.Rooftops[1].Name, s.profile.Name = "Renamed", "Renamed Group"
	s.Stock = lot{}
	second := s.accept(t, payload)
	if first.raw != second.raw || first.Status != aap.LeadReceived {
		t.Fatalf("answers differ:\n%s\n%s", first.raw, second.raw)
	}
	if len(s.leads(t)) != 1 || len(s.queue.queued()) != 1 {
		t.Fatalf("%d leads, %d queued", len(s.leads(t)), len(s.queue.queued()))
	}
}

func TestSpellingOfAPayloadIsNotAConflict(t *testing.T) {
	s := open()
	first := s.accept(t, []byte(`{"type":"lead.submit.request","idempotency_key":"k","customer":{"first_name":"Zoë","last_name":"Ng","email":"z@example.com"},
		"consent":{"granted_at":"2026-06-10T11:58:30Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},
		"source_agent":{"name":"a"},"trade_in":{"mileage":30000,"battery_kwh":10.50}}`))
	second := s.accept(t, []byte(`{"trade_in":{"battery_kwh":1.05E1,"mileage":3e4},"source_agent":{"name":"\u0061"},
		"consent":{"scope":["lead_submission"],"consent_text":"Yes.","allowed_channels":["email"],"granted_at":"2026-06-10T11:58:30Z"},
		"customer":{"email":"z@example.com","last_name":"Ng","first_name":"Zo\u00eb"},"idempotency_key":"k","type":"lead.submit.request"}`))
	if first.raw != second.raw {
		t.Fatalf("answers differ:\n%s\n%s", first.raw, second.raw)
	}
}

func TestAKeyWithAnotherPayloadConflicts(t *testing.T) {
	for name, change := range map[string]func(document) document{
		"message":           func(d document) document { return d.with("/message", "One more thing.") },
		"submission time":   func(d document) document { return d.with("/submitted_at", "2026-06-10T11:59:00Z") },
		"grant":             func(d document) document { return d.with("/consent/granted_at", "2026-06-10T11:58:31Z") },
		"an expired grant":  func(d document) document { return d.with("/consent/expires_at", "2026-06-10T11:59:00Z") },
		"a forbidden way":   func(d document) document { return d.with("/customer/preferred_contact", "sms") },
		"an unknown car":    func(d document) document { return d.with("/vehicle_of_interest/vin", vinGhost) },
		"order of channels": func(d document) document { return d.with("/consent/allowed_channels", []any{"phone", "email"}) },
		"another number":    func(d document) document { return d.with("/trade_in/mileage", 30001) },
		"another buyer": func(d document) document {
			return d.with("/customer/email", "lee@example.com").without("/customer/phone")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			first := s.accept(t, keyed("k-1").with("/trade_in/mileage", 30000).bytes())
			e := s.refuse(t, change(keyed("k-1").with("/trade_in/mileage", 30000)).bytes(), aap.IdempotencyConflict)
			if e.Code.Retryable() || !strings.Contains(e.Message, "new key") {
				t.Errorf("refusal is %v", e)
			}
			if again := s.accept(t, keyed("k-1").with("/trade_in/mileage", 30000).bytes()); again.raw != first.raw {
				t.Errorf("the key lost its answer: %s", again.raw)
			}
			if len(s.leads(t)) != 1 {
				t.Errorf("%d leads", len(s.leads(t)))
			}
		})
	}
}

func TestARefusedLeadDoesNotUseUpItsKey(t *testing.T) {
	s := open()
	for _, broken := range []document{
		keyed("k").with("/consent/expires_at", "2026-06-10T11:00:00Z"),
		keyed("k").with("/customer/preferred_contact", "sms"),
		keyed("k").with("/appointment/appointment_type", "test_drive").with("/vehicle_of_interest/vin", vinGhost),
	} {
		if _, err := s.send(t, broken.bytes()); err == nil {
			t.Fatal("accepted")
		}
	}
	if _, err := s.send(t, keyed("k").with("/customer/phone", "12").bytes()); err == nil {
		t.Fatal("accepted")
	}
	if got := s.accept(t, keyed("k").bytes()); got.Status != aap.LeadReceived {
		t.Fatalf("status is %s", got.Status)
	}
}

func TestARetryIsAnsweredAfterTheGrantExpired(t *testing.T) {
	s := open()
	payload := keyed("k").with("/consent/expires_at", "2026-06-10T12:30:00Z").bytes()
	first := s.accept(t, payload)
	s.setClock(noon.Add(time.Hour))
	if second := s.accept(t, payload); second.raw != first.raw {
		t.Fatalf("answers differ:\n%s\n%s", first.raw, second.raw)
	}
	s.refuse(t, keyed("k2").with("/consent/expires_at", "2026-06-10T12:30:00Z").bytes(), aap.InvalidConsent)
}

func TestAKeyIsKeptAWeekAndNeverUnderADay(t *testing.T) {
	for name, c := range map[string]struct {
		ttl  time.Duration
		kept time.Duration
	}{
		"by default":   {0, 7 * 24 * time.Hour},
		"as set":       {72 * time.Hour, 72 * time.Hour},
		"at least 24h": {time.Hour, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			s.profile.Leads.IdempotencyTTL = dealer.Duration(c.ttl)
			s.profile.Leads.DuplicateWindow = dealer.Duration(time.Minute)
			first := s.accept(t, keyed("k").bytes())
			s.setClock(noon.Add(c.kept - time.Minute))
			if second := s.accept(t, keyed("k").bytes()); second.raw != first.raw {
				t.Fatalf("forgotten early: %s", second.raw)
			}
			s.setClock(noon.Add(c.kept + time.Minute))
			if third := s.accept(t, keyed("k").bytes()); third.LeadID == first.LeadID || third.Status != aap.LeadReceived {
				t.Fatalf("still known: %s", third.raw)
			}
		})
	}
}

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
		"unchanged":              {func(d document) document { return d }, true},
		"a fresh key":            {func(d document) document { return d.with("/idempotency_key", "fresh") }, true},
		"mail in capitals":       {func(d document) document { return d.with("/customer/email", "MAYA.ortiz@Example.com") }, true},
		"same phone, other mail": {func(d document) document { return d.with("/customer/email", "other@example.com") }, true},
		"same mail, other phone": {func(d document) document { return d.with("/customer/phone", "+13035550199") }, true},
		"same mail, no phone":    {func(d document) document { return d.without("/customer/phone") }, true},
		"another name":           {func(d document) document { return d.with("/customer/first_name", "M.") }, true},
		"another message":        {func(d document) document { return d.with("/message", "Hello again") }, true},
		"later submission":       {func(d document) document { return d.with("/submitted_at", "2026-06-10T11:59:30Z") }, true},
		"another agent":          {func(d document) document { return d.with("/source_agent/name", "other-agent") }, true},
		"newer price":            {func(d document) document { return d.with("/vehicle_of_interest/price", 20990) }, true},
		"same moment elsewhere": {func(d document) document {
			return d.with("/appointment/appointment_at", "2026-06-12T17:00:00Z")
		}, true},
		"number spelling and case of the trade-in": {func(d document) document {
			return d.with("/trade_in", map[string]any{"make": "TOYOTA ", "year": 2014.0, "mileage": json.Number("9.6e4")})
		}, true},

		"other mail and phone": {func(d document) document {
			return d.with("/customer/email", "lee@example.com").with("/customer/phone", "+13035550111")
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

func TestReplayAnswersOnlyAKnownKeyWithItsPayload(t *testing.T) {
	s := open()
	payload := keyed("k").bytes()
	first := s.accept(t, payload)
	ctx := context.Background()
	reply, ok, err := s.Replay(ctx, s.profile, append([]byte("\n "), payload...))
	if err != nil || !ok {
		t.Fatalf("Replay = %v, %v", ok, err)
	}
	if got := readReply(t, reply); got.raw != first.raw {
		t.Fatalf("answers differ:\n%s\n%s", first.raw, got.raw)
	}
	other := profile()
	other.ID = "another-dealer"
	for name, c := range map[string]struct {
		p       *dealer.Profile
		payload []byte
	}{
		"another payload": {s.profile, keyed("k").with("/message", "x").bytes()},
		"another key":     {s.profile, keyed("k2").bytes()},
		"no key":          {s.profile, baseLead().bytes()},
		"another skill":   {s.profile, keyed("k").with("/type", "inventory.search.request").bytes()},
		"another dealer":  {other, payload},
		"key of a number": {s.profile, keyed("k").with("/idempotency_key", 5).bytes()},
		"no JSON":         {s.profile, payload[:len(payload)-1]},
		"two documents":   {s.profile, append(bytes.Clone(payload), payload...)},
		"nothing":         {s.profile, nil},
		"deep nesting":    {s.profile, []byte(`{"type":"lead.submit.request","idempotency_key":"k","x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`)},
	} {
		if _, ok, err := s.Replay(ctx, c.p, c.payload); ok || err != nil {
			t.Errorf("%s: Replay = %v, %v; want no answer", name, ok, err)
		}
	}
	if len(s.leads(t)) != 1 || len(s.queue.queued()) != 1 {
		t.Fatalf("Replay left a trace: %d leads, %d queued", len(s.leads(t)), len(s.queue.queued()))
	}
}

func TestDealersDoNotShareKeysOrDuplicates(t *testing.T) {
	s := open()
	first := s.accept(t, keyed("k").bytes())
	s.profile = profile()
	s.profile.ID = "another-dealer"
	second := s.accept(t, keyed("k").with("/message", "Hello").bytes())
	if second.Status != aap.LeadReceived || second.LeadID == first.LeadID {
		t.Fatalf("answer is %s", second.raw)
	}
}

func TestSettingsOfTheProfileDecide(t *testing.T) {
	t.Run("age of a grant without an end", func(t *testing.T) {
		s := open()
		s.profile.Leads.ConsentMaxAge = dealer.Duration(30 * 24 * time.Hour)
		old := "2026-05-01T00:00:00Z"
		e := s.refuse(t, baseLead().with("/consent/granted_at", old).bytes(), aap.InvalidConsent)
		if !strings.Contains(e.Message, "consent.granted_at") {
			t.Errorf("message is %s", e.Message)
		}
		s.accept(t, baseLead().with("/consent/granted_at", old).with("/consent/expires_at", "2026-07-01T00:00:00Z").bytes())
	})
	t.Run("no limit by default", func(t *testing.T) {
		open().accept(t, baseLead().with("/consent/granted_at", "2019-05-01T00:00:00Z").bytes())
	})
	t.Run("test drive needs a vehicle", func(t *testing.T) {
		s := open()
		s.profile.Leads.TestDriveNeedsVehicle = true
		e := s.refuse(t, baseLead().with("/appointment/appointment_type", "test_drive").bytes(), aap.MissingRequiredField)
		if f := violations(t, e); len(f) != 1 || f[0].InstanceLocation != "/vehicle_of_interest" || f[0].Keyword != "required" {
			t.Errorf("faults are %v", f)
		}
		s.accept(t, baseLead().with("/appointment/appointment_type", "sales").bytes())
	})
	t.Run("retention", func(t *testing.T) {
		s := open()
		got := s.accept(t, baseLead().bytes())
		s.profile.Leads.Retention = dealer.Duration(48 * time.Hour)
		other := s.accept(t, baseLead().with("/trade_in/make", "Kia").bytes())
		for id, kept := range map[string]time.Duration{got.LeadID: 2 * 365 * 24 * time.Hour, other.LeadID: 48 * time.Hour} {
			r, err := s.store.Load(context.Background(), s.profile.ID, id, noon)
			if err != nil || !r.ExpiresAt.Equal(noon.Add(kept)) {
				t.Errorf("%s is kept until %v, %v; want %v", id, r.ExpiresAt, err, kept)
			}
		}
	})
	t.Run("a key and a window never outlive the lead", func(t *testing.T) {
		s := open()
		s.profile.Leads.Retention = dealer.Duration(2 * time.Hour)
		first := s.accept(t, keyed("k").bytes())
		s.setClock(noon.Add(3 * time.Hour))
		if got := s.accept(t, keyed("k").bytes()); got.Status != aap.LeadReceived || got.LeadID == first.LeadID {
			t.Fatalf("answer is %s", got.raw)
		}
	})
}

func TestTheRecordSaysWhatTheLeadIsAbout(t *testing.T) {
	s := open()
	for _, c := range []struct {
		voi     map[string]any
		listing string
		rooftop string
	}{
		{map[string]any{"vin": vinSummit}, vinSummit, "Summit"},
		{map[string]any{"vin": vinGhost, "stock": "H-7"}, vinHarbor, "Harbor"},
		{map[string]any{"vin": vinSold}, vinSold, "Summit"},
		// Several cars may be a 2015 Ford Focus: none is named for the dealer.
		{map[string]any{"year": 2015, "make": "Ford", "model": "Focus"}, "", "Summit"},
		{map[string]any{"model": "Focus"}, "", "Harbor"},
		{nil, "", "Harbor"},
	} {
		d := baseLead()
		if c.voi != nil {
			d.with("/vehicle_of_interest", c.voi)
		}
		got := s.accept(t, d.bytes())
		r, err := s.store.Load(context.Background(), s.profile.ID, got.LeadID, noon)
		if err != nil {
			t.Fatal(err)
		}
		vin := ""
		if r.Listing != nil {
			vin = r.Listing.VIN
		}
		if vin != c.listing || r.Rooftop != c.rooftop || !r.ReceivedAt.Equal(noon) {
			t.Errorf("%v: listing %q at %q, want %q at %q", c.voi, vin, r.Rooftop, c.listing, c.rooftop)
		}
	}
}

func TestRefusalsTellWhatToDoAndAreNotRetryable(t *testing.T) {
	s := open()
	drive := baseLead().with("/appointment/appointment_type", "test_drive")
	for _, vin := range []string{vinGhost, vinSold} {
		_, err := s.submit(drive.with("/vehicle_of_interest/vin", vin).bytes())
		e, ok := errors.AsType[*aap.Error](err)
		if !ok || e.Code.Retryable() || !strings.Contains(e.Message, "inventory.search") || strings.Contains(e.Message, vin) {
			t.Errorf("%v", err)
		}
	}
}

var _ lead.Stock = lot(nil)
