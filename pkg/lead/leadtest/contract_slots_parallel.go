package leadtest

import (
	"errors"
	"testing"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// crowd is how many buyers want the same slot at once.
const crowd = 100

func parallelSlot(t *testing.T, s lead.Store) {
	const room = 3
	errs := raceOf(crowd, func(n int) error { return s.Create(t.Context(), booked(n, claims(0, 1, room)), epoch) })
	var won []lead.Entry
	for n, err := range errs {
		e := booked(n, claims(0, 1, room))
		switch {
		case err == nil:
			won = append(won, e)
		case !errors.Is(err, lead.ErrSlotTaken):
			t.Fatalf("buyer %d: %v", n, err)
		}
	}
	if len(won) != room {
		t.Fatalf("%d buyers got a slot for %d", len(won), room)
	}
	holds(t, s, map[int][]lead.Entry{0: won})
	if all := list(t, s, store); len(all) != room {
		t.Fatalf("List has %d records, want %d: a buyer without a slot left something", len(all), room)
	}
}

func parallelBooking(t *testing.T, s lead.Store) {
	errs := raceOf(crowd, func(n int) error {
		e := booked(n, claims(0, 1, crowd))
		e.Key.Value, e.Equal, e.Poorer = "one-key", "one-digest", nil
		return s.Create(t.Context(), e, epoch)
	})
	won := booked(winner(t, errs, lead.ErrKeyTaken), claims(0, 1, crowd))
	onlyLead(t, s, won.Record.ID)
	holds(t, s, map[int][]lead.Entry{0: {won}})
}

func parallelMoves(t *testing.T, s lead.Store) {
	const movers = 20
	for n := range movers {
		create(t, s, booked(n, claims(n, 1, 1)))
	}
	target := claims(movers, 1, 1)
	errs := raceOf(movers, func(n int) error {
		_, err := s.UpdateVisit(t.Context(), store, visitAt(booked(n, claims(n, 1, 1)).Booking.Visit, target), target, epoch)
		return err
	})
	won := winner(t, errs, lead.ErrSlotTaken)
	want := map[int][]lead.Entry{movers: {booked(won, target)}}
	for n := range movers {
		if n != won {
			want[n] = []lead.Entry{booked(n, claims(n, 1, 1))}
		}
	}
	holds(t, s, want)
}
