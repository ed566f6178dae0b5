package lead_test

import (
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// A calendar of a year in steps of five minutes that is full but for its last
// day is the dearest question there is.
func TestTheFullestCalendarIsSearchedQuickly(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a year")
	}
	s := open()
	s.profile = calendarProfile(t, "America/Los_Angeles", "00:00-23:59", "", "slot: 5m, horizon: 366d")
	g := gridOf(s.profile)
	end := noon.AddDate(0, 0, 366)
	runs := g.Runs(noon, end, 1)
	var claims []lead.Claim
	for _, run := range runs {
		if run[0].Start.Before(end.Add(-20 * time.Minute)) {
			claims = append(claims, lead.Claim{Span: run[0], Room: 1})
		}
	}
	now := noon
	e := lead.Entry{Record: lead.Record{ID: "everything", DealerID: s.profile.ID, ReceivedAt: now, Request: []byte(`{}`), ExpiresAt: now.AddDate(3, 0, 0)}}
	v := lead.Visit{LeadID: e.Record.ID, Rooftop: "Harbor", Type: "test_drive", State: lead.Booked, ExpiresAt: e.Record.ExpiresAt, Version: 1}
	for _, c := range claims {
		v.Slots = append(v.Slots, c.Span)
	}
	v.Span = lead.Span{Start: claims[0].Start, End: claims[len(claims)-1].End}
	e.Booking = &lead.Booking{Visit: v, Claims: claims}
	if err := s.store.Create(t.Context(), e, now); err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for buyer := range 3 {
		begun := time.Now()
		a := s.accept(t, drive(buyer, "2026-06-20T10:00:00-07:00").bytes())
		best = min(best, time.Since(begun))
		if want := 4; len(runs)-len(claims) < want || a.Appointment.Status != "proposed" || len(a.Appointment.ProposedTimes) != 3 {
			t.Fatalf("%d slots are left, and the buyer is told %s", len(runs)-len(claims), a.raw)
		}
	}
	if best > 3*time.Second {
		t.Errorf("the search took %s", best)
	}
	t.Logf("%d slots searched in %s", len(runs), best)
}
