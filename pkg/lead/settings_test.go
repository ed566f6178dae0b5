package lead_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

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
	for _, c := range []struct {
		voi     map[string]any
		listing string
		rooftop string
	}{
		{map[string]any{"vin": vinSummit}, vinSummit, "Summit"},
		{map[string]any{"vin": vinGhost, "stock": "H-7"}, vinHarbor, "Harbor"},
		{map[string]any{"vin": vinSold}, vinSold, "Summit"},
		// The VIN is another car's; the car that fits by name is not this one.
		{map[string]any{"vin": vinGhost, "year": 2015, "make": "Ford", "model": "Focus"}, "", "Summit"},
		{map[string]any{"stock": "--", "year": 2026, "make": "Kia", "model": "EV6"}, "", "Annex"},
		// Several cars may be a 2015 Ford Focus: none is named for the dealer.
		{map[string]any{"year": 2015, "make": "Ford", "model": "Focus"}, "", "Summit"},
		{map[string]any{"model": "Focus"}, "", "Harbor"},
		{nil, "", "Harbor"},
	} {
		s, d := open(), baseLead()
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
