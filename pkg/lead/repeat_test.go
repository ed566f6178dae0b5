package lead_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func keyed(key string) document { return baseLead().with("/idempotency_key", key) }

func TestARepeatedKeyGetsTheFirstAnswerWordForWord(t *testing.T) {
	s := open()
	payload := keyed("k-1").with("/appointment/appointment_type", "test_drive").with("/vehicle_of_interest/vin", vinSummit).bytes()
	first := s.accept(t, payload)
	// Everything the answer was made from changes meanwhile.
	s.profile.Rooftops[1].Name, s.profile.Name = "Renamed", "Renamed Group"
	s.Stock = stock()
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
