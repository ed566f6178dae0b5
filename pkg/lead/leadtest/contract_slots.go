package leadtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// morning is when the first slot of the contract begins; slots last half an hour.
var morning = epoch.Add(21 * time.Hour)

func slotAt(n int) time.Time { return morning.Add(time.Duration(n) * 30 * time.Minute) }

func half(n int) lead.Span { return lead.Span{Start: slotAt(n), End: slotAt(n + 1)} }

// claims are n slots from the given one on, with so much room.
func claims(first, n, room int) []lead.Claim {
	var out []lead.Claim
	for i := range n {
		out = append(out, lead.Claim{Span: half(first + i), Room: room})
	}
	return out
}

// visitAt gives v the time of the claims.
func visitAt(v lead.Visit, claims []lead.Claim) lead.Visit {
	v = v.Clone()
	v.Slots, v.State = nil, lead.Booked
	for _, c := range claims {
		v.Slots = append(v.Slots, c.Span)
	}
	v.Start, v.End = claims[0].Start, claims[len(claims)-1].End
	v.History = append(v.History, lead.VisitChange{At: epoch, What: lead.Booked, By: lead.ByBuyer, Start: v.Start})
	return v
}

// booked is entry(n) with a visit.
func booked(n int, claims []lead.Claim) lead.Entry {
	e := entry(n)
	e.Booking = &lead.Booking{Claims: claims, Visit: visitAt(lead.Visit{
		LeadID: e.Record.ID, AppointmentID: fmt.Sprintf("visit-%d", n), Rooftop: "Harbor & Söhne", Type: "test_drive",
		ExpiresAt: e.Record.ExpiresAt, Version: 1,
	}, claims)}
	return e
}

func visit(t *testing.T, s lead.Store, e lead.Entry) lead.Visit {
	t.Helper()
	v, err := s.Visit(t.Context(), store, e.Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sameVisit(t *testing.T, got, want lead.Visit) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("visit changed (-want +got):\n%s", d)
	}
}

// holds checks who takes which slots of the rooftop and kind of entries.
func holds(t *testing.T, s lead.Store, want map[int][]lead.Entry) {
	t.Helper()
	slots, err := s.Slots(t.Context(), store, "Harbor & Söhne", "test_drive", morning.Add(-24*time.Hour), morning.Add(48*time.Hour), epoch)
	if err != nil {
		t.Fatal(err)
	}
	var expected []lead.Slot
	for n, entries := range want {
		slot := lead.Slot{Span: half(n)}
		for _, e := range entries {
			slot.Leads = append(slot.Leads, e.Record.ID)
		}
		slices.Sort(slot.Leads)
		expected = append(expected, slot)
	}
	slices.SortFunc(expected, func(a, b lead.Slot) int { return a.Start.Compare(b.Start) })
	if d := cmp.Diff(expected, slots, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("slots (-want +got):\n%s", d)
	}
}

func visitRoundTrip(t *testing.T, s lead.Store) {
	e := booked(1, claims(0, 3, 1))
	create(t, s, e)
	sameVisit(t, visit(t, s, e), e.Booking.Visit)
	holds(t, s, map[int][]lead.Entry{0: {e}, 1: {e}, 2: {e}})
	all, err := s.Visits(t.Context(), store, morning, morning.Add(time.Second), 10, epoch)
	if err != nil || len(all) != 1 {
		t.Fatalf("Visits = %v, %v", all, err)
	}
	sameVisit(t, all[0], e.Booking.Visit)
	// The store keeps nothing of the caller's memory, nor gives its own away.
	want := e.Booking.Visit.Clone()
	e.Booking.Visit.Slots[0], all[0].Slots[1] = lead.Span{}, lead.Span{}
	all[0].History[0].What = "changed"
	sameVisit(t, visit(t, s, e), want)
	plain := entry(2)
	create(t, s, plain)
	_, err = s.Visit(t.Context(), store, plain.Record.ID, epoch)
	wantErr(t, err, lead.ErrNotFound)
}

func fullSlotWritesNothing(t *testing.T, s lead.Store) {
	first := booked(1, claims(1, 1, 1))
	create(t, s, first)
	// The first slot is free, the second is not.
	second := booked(2, claims(0, 2, 1))
	wantErr(t, s.Create(t.Context(), second, epoch), lead.ErrSlotTaken)
	absent(t, s, second)
	_, err := s.Visit(t.Context(), store, second.Record.ID, epoch)
	wantErr(t, err, lead.ErrNotFound)
	holds(t, s, map[int][]lead.Entry{1: {first}})
	if all, err := s.Visits(t.Context(), store, epoch, morning.Add(48*time.Hour), 10, epoch); err != nil || len(all) != 1 {
		t.Fatalf("Visits = %v, %v; want the first one", all, err)
	}
	// More room than before, and it fits.
	second.Booking.Claims = claims(0, 2, 2)
	create(t, s, second)
	holds(t, s, map[int][]lead.Entry{0: {second}, 1: {first, second}})

	third := booked(3, claims(1, 1, 2))
	third.Key.Value = first.Key.Value
	wantErr(t, s.Create(t.Context(), third, epoch), lead.ErrKeyTaken)
	third.Key, third.Equal = nil, first.Equal
	wantErr(t, s.Create(t.Context(), third, epoch), lead.ErrDuplicate)
	// Less room than there are visits.
	third.Equal, third.Booking.Claims = entry(3).Equal, claims(1, 1, 1)
	wantErr(t, s.Create(t.Context(), third, epoch), lead.ErrSlotTaken)
}

func slotsAreApart(t *testing.T, s lead.Store) {
	first := booked(1, claims(0, 1, 1))
	create(t, s, first)
	for n, change := range []func(*lead.Entry){
		func(e *lead.Entry) { e.Booking.Visit.Rooftop = "Harbor" },
		func(e *lead.Entry) { e.Booking.Visit.Type = "service" },
		func(e *lead.Entry) { e.Record.DealerID = "store-two" },
		func(e *lead.Entry) { e.Booking.Visit.Rooftop = "Harbor & Söhne\x00test" },
	} {
		e := booked(n+2, claims(0, 1, 1))
		change(&e)
		create(t, s, e)
	}
	// A slot that begins at the same time and ends later is another one.
	long := booked(9, []lead.Claim{{Span: lead.Span{Start: slotAt(0), End: slotAt(2)}, Room: 1}})
	long.Booking.Visit.Rooftop = "Annex"
	short := booked(8, claims(0, 1, 1))
	short.Booking.Visit.Rooftop = "Annex"
	create(t, s, long)
	create(t, s, short)
	slots, err := s.Slots(t.Context(), store, "Annex", "test_drive", slotAt(0), slotAt(2), epoch)
	if err != nil || len(slots) != 2 || !slots[0].End.Equal(slotAt(1)) || !slots[1].End.Equal(slotAt(2)) {
		t.Fatalf("slots %v, %v; want the short one and the long one", slots, err)
	}
	holds(t, s, map[int][]lead.Entry{0: {first}})
	_, err = s.Visit(t.Context(), "store-two", first.Record.ID, epoch)
	wantErr(t, err, lead.ErrNotFound)
	if all, err := s.Visits(t.Context(), "store-two", epoch, morning.Add(time.Hour), 10, epoch); err != nil || len(all) != 1 {
		t.Fatalf("another dealer's visits are %v, %v", all, err)
	}
}

func slotRanges(t *testing.T, s lead.Store) {
	var entries []lead.Entry
	for n := range 5 {
		e := booked(9-n, claims(2*n, 1, 1))
		entries = append(entries, e)
		create(t, s, e)
	}
	same := booked(1, claims(4, 1, 2))
	create(t, s, same)
	for _, v := range []struct {
		from, to time.Time
		starts   []int
	}{
		{slotAt(2), slotAt(5), []int{2, 4}},
		{slotAt(3), slotAt(4), nil},
		{slotAt(3).Add(-time.Second), slotAt(4).Add(time.Second), []int{2, 4}},
		{slotAt(2).Add(10 * time.Minute), slotAt(2).Add(11 * time.Minute), []int{2}},
		{slotAt(-10), slotAt(0), nil},
		{slotAt(8), slotAt(99), []int{8}},
		{slotAt(4), slotAt(4), nil},
		{slotAt(6), slotAt(2), nil},
	} {
		slots, err := s.Slots(t.Context(), store, "Harbor & Söhne", "test_drive", v.from, v.to, epoch)
		if err != nil {
			t.Fatal(err)
		}
		var starts []int
		for _, slot := range slots {
			starts = append(starts, int(slot.Start.Sub(morning)/(30*time.Minute)))
		}
		if !slices.Equal(starts, v.starts) {
			t.Errorf("from %s to %s: slots %v, want %v", v.from, v.to, starts, v.starts)
		}
	}
	visits, err := s.Visits(t.Context(), store, slotAt(2), slotAt(8), 10, epoch)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, v := range visits {
		ids = append(ids, v.LeadID)
	}
	want := []string{entries[1].Record.ID, same.Record.ID, entries[2].Record.ID, entries[3].Record.ID}
	if !slices.Equal(ids, want) {
		t.Errorf("visits %v, want %v", ids, want)
	}
	if some, err := s.Visits(t.Context(), store, slotAt(2), slotAt(8), 2, epoch); err != nil || len(some) != 2 || some[1].LeadID != ids[1] {
		t.Errorf("two visits are %v, %v", some, err)
	}
}

func visitMoves(t *testing.T, s lead.Store) {
	e, other := booked(1, claims(0, 2, 1)), booked(2, claims(4, 1, 2))
	create(t, s, e)
	create(t, s, other)
	next, err := s.UpdateVisit(t.Context(), store, visitAt(e.Booking.Visit, claims(1, 2, 1)), claims(1, 2, 1), epoch)
	if err != nil || next.Version != 2 {
		t.Fatalf("version %d, %v", next.Version, err)
	}
	sameVisit(t, visit(t, s, e), next)
	holds(t, s, map[int][]lead.Entry{1: {e}, 2: {e}, 4: {other}})
	if next, err = s.UpdateVisit(t.Context(), store, visitAt(next, claims(4, 1, 2)), claims(4, 1, 2), epoch); err != nil {
		t.Fatal(err)
	}
	holds(t, s, map[int][]lead.Entry{4: {e, other}})
	all, err := s.Visits(t.Context(), store, epoch, morning.Add(48*time.Hour), 10, epoch)
	if err != nil || len(all) != 2 {
		t.Fatalf("Visits = %v, %v; want each visit once", all, err)
	}
	sameVisit(t, all[0], next)
}

func visitCancels(t *testing.T, s lead.Store) {
	e := booked(1, claims(0, 2, 1))
	create(t, s, e)
	off := e.Booking.Visit.Clone()
	off.State, off.Slots = lead.Cancelled, nil
	off, err := s.UpdateVisit(t.Context(), store, off, nil, epoch)
	if err != nil {
		t.Fatal(err)
	}
	sameVisit(t, visit(t, s, e), off)
	holds(t, s, nil)
	next := booked(2, claims(1, 1, 1))
	create(t, s, next)
	holds(t, s, map[int][]lead.Entry{1: {next}})
	if all, err := s.Visits(t.Context(), store, epoch, morning.Add(time.Hour), 10, epoch); err != nil || len(all) != 2 || all[0].State != lead.Cancelled {
		t.Fatalf("Visits = %v, %v; want the cancelled one too", all, err)
	}
}

func visitCannotMove(t *testing.T, s lead.Store) {
	e, other := booked(1, claims(0, 1, 1)), booked(2, claims(2, 1, 1))
	create(t, s, e)
	create(t, s, other)
	_, err := s.UpdateVisit(t.Context(), store, visitAt(e.Booking.Visit, claims(1, 2, 1)), claims(1, 2, 1), epoch)
	wantErr(t, err, lead.ErrSlotTaken)
	stale := visitAt(e.Booking.Visit, claims(5, 1, 1))
	stale.Version = 7
	_, err = s.UpdateVisit(t.Context(), store, stale, claims(5, 1, 1), epoch)
	wantErr(t, err, lead.ErrConflict)
	sameVisit(t, visit(t, s, e), e.Booking.Visit)
	holds(t, s, map[int][]lead.Entry{0: {e}, 2: {other}})
	unknown := visitAt(booked(3, claims(5, 1, 1)).Booking.Visit, claims(5, 1, 1))
	_, err = s.UpdateVisit(t.Context(), store, unknown, claims(5, 1, 1), epoch)
	wantErr(t, err, lead.ErrNotFound)
}

func visitsExpire(t *testing.T, s lead.Store) {
	e := booked(1, claims(0, 1, 1))
	create(t, s, e)
	over := e.Record.ExpiresAt.Add(time.Second)
	_, err := s.Visit(t.Context(), store, e.Record.ID, over)
	wantErr(t, err, lead.ErrNotFound)
	if all, err := s.Visits(t.Context(), store, epoch, over, 10, over); err != nil || len(all) != 0 {
		t.Fatalf("Visits = %v, %v after the retention", all, err)
	}
	taken := func(now time.Time) int {
		slots, err := s.Slots(t.Context(), store, "Harbor & Söhne", "test_drive", morning, morning.Add(time.Hour), now)
		if err != nil {
			t.Fatal(err)
		}
		return len(slots)
	}
	end := slotAt(1).Add(lead.SlotKept)
	if taken(end.Add(-time.Second)) != 1 || taken(end.Add(time.Second)) != 0 {
		t.Errorf("a slot is remembered for another time than %s after its end", lead.SlotKept)
	}
}
