package lead_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// oldLead is baseLead as AAP v0.1 to v1.0 write it.
func oldLead() document {
	return baseLead().with("/source_agent", "errand-agent").with("/consent/source_agent", "errand-agent")
}

func version(t counter, label string) aap.Version {
	t.Helper()
	v, ok := aap.VersionByLabel(label)
	if !ok {
		t.Fatalf("no version %s", label)
	}
	return v
}

func (s *shop) acceptUnder(t *testing.T, label string, payload []byte) taken {
	t.Helper()
	reply, err := s.Submit(t.Context(), s.profile, version(t, label), payload)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return readReply(t, reply)
}

func TestALeadIsKeptAsItCameAndReadAsTheNewestContractHasIt(t *testing.T) {
	s := open()
	payload := oldLead().with("/vehicle_of_interest", map[string]any{
		"vin": vinHarbor, "status": "In Stock", "zip": "94107", "price": map[string]any{"amount": 21000.4, "currency": "USD"},
	}).with("/appointment", map[string]any{
		"appointment_type": "handover", "requested_windows": []any{map[string]any{"start": "2026-06-12T18:00:00Z"}},
	}).bytes()
	answer := s.acceptUnder(t, "v0.1", payload)
	r := s.leads(t)[0]
	if !bytes.Equal(r.Request, payload) || r.Version != "v0.1" || r.Rooftop != "Harbor" || r.Listing == nil {
		t.Errorf("kept as %s of %s at %q", r.Request, r.Version, r.Rooftop)
	}
	got, err := r.Lead()
	if err != nil {
		t.Fatal(err)
	}
	if got.SourceAgent.Name != "errand-agent" || *got.VehicleOfInterest.Price != 21000 || got.Appointment.AppointmentType != aap.AppointmentSales ||
		got.Appointment.AppointmentAt != "2026-06-12T18:00:00Z" || got.Appointment.Notes != "handover scheduled" || got.Consent.ConsentText == "" {
		t.Errorf("read as %+v %+v", *got.VehicleOfInterest, got.Appointment.Notes)
	}
	if answer.Appointment == nil || answer.Appointment.Status != aap.AppointmentRequested {
		t.Errorf("answered %s", answer.raw)
	}
}

func TestALeadOfTheNewestContractIsReadFromTheBytesAsTheyCame(t *testing.T) {
	r := lead.Record{Version: aap.Primary().Label, Request: json.RawMessage(`{"message":"x"}`)}
	primary, err := r.Primary()
	if err != nil || &primary[0] != &r.Request[0] {
		t.Errorf("%s, %v", primary, err)
	}
	r.Version = "" // of a record older than its version
	if got, err := r.Lead(); err != nil || got.Message != "x" {
		t.Errorf("%q, %v", got.Message, err)
	}
	r.Request = json.RawMessage(`{`)
	if _, err := r.Lead(); err == nil {
		t.Error("broken JSON was read")
	}
}

func TestAKeyBelongsToThePayloadWhateverTheContract(t *testing.T) {
	s := open()
	old, now := oldLead().with("/idempotency_key", "k").bytes(), baseLead().with("/idempotency_key", "k").bytes()
	first := s.acceptUnder(t, "v1.0", old)
	if again := s.acceptUnder(t, "v0.2", old); again.raw != first.raw {
		t.Errorf("the repeat is told %s, the first %s", again.raw, first.raw)
	}
	if reply, found, err := s.Replay(t.Context(), s.profile, old); !found || err != nil || readReply(t, reply).raw != first.raw {
		t.Errorf("replay: %v %v", found, err)
	}
	_, err := s.Submit(t.Context(), s.profile, version(t, "v1.3"), now)
	if e, ok := errors.AsType[*aap.Error](err); !ok || e.Code != aap.IdempotencyConflict {
		t.Errorf("another payload under the key: %v", err)
	}
	if n := len(s.leads(t)); n != 1 {
		t.Errorf("%d leads", n)
	}
}

func TestTheSameWishUnderAnotherContractIsADuplicate(t *testing.T) {
	s := open()
	voi := map[string]any{"vin": vinHarbor}
	visit := map[string]any{"appointment_type": "test_drive", "appointment_at": "2026-06-12T18:00:00Z"}
	window := map[string]any{"appointment_type": "test_drive", "requested_windows": []any{map[string]any{"start": "2026-06-12T18:00:00Z"}}}
	first := s.acceptUnder(t, "v0.1", oldLead().with("/vehicle_of_interest", voi).with("/appointment", window).bytes())
	for label, payload := range map[string]document{"v1.0": oldLead(), "v1.1": baseLead(), "v1.3": baseLead()} {
		got := s.acceptUnder(t, label, payload.with("/vehicle_of_interest", voi).with("/appointment", visit).bytes())
		if got.Status != aap.LeadDuplicate || got.LeadID != first.LeadID {
			t.Errorf("%s: %s", label, got.raw)
		}
	}
}

func TestVisitsThatOnlyAnOldContractTellsApartAreNoDuplicates(t *testing.T) {
	s := open()
	for _, kind := range []string{"handover", "video_call", "phone_call", "showroom_visit"} {
		visit := map[string]any{"appointment_type": kind, "requested_windows": []any{map[string]any{"start": "2026-06-12T18:00:00Z"}}}
		payload := oldLead().with("/appointment", visit).bytes()
		got := s.acceptUnder(t, "v0.1", payload)
		if words := "The " + strings.ReplaceAll(kind, "_", " ") + " is requested, not booked"; got.Status != aap.LeadReceived || !strings.Contains(got.message, words) {
			t.Errorf("%s: %s", kind, got.raw)
		}
		if got := s.acceptUnder(t, "v0.1", payload); got.Status != aap.LeadDuplicate {
			t.Errorf("%s again: %s", kind, got.raw)
		}
	}
}
