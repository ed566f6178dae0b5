package inventorytest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// logged is a change of these units that publishes each at the hour.
func logged(hour int, all ...inventory.Vehicle) inventory.Change {
	c := change(all...)
	c.Log = inventory.Log{Kept: true, Until: now.Add(time.Duration(hour+100) * time.Hour)}
	for _, v := range all {
		c.Log.Entries = append(c.Log.Entries, publication(hour, v))
	}
	return c
}

func publication(hour int, v inventory.Vehicle) inventory.Publication {
	return inventory.Publication{
		At: now.Add(time.Duration(hour) * time.Hour).UTC(), Key: v.Key, VIN: v.Listing.VIN, Stock: v.Listing.Stock, Status: v.State,
		Price: number(int64(20000 + hour)), Fees: []aap.Fee{}, Column: "none", Source: fmt.Sprintf("day <%d>.csv", hour), FeedTime: now.UTC(),
	}
}

func published(t *testing.T, s inventory.Store, at time.Time) []inventory.Publication {
	t.Helper()
	var all []inventory.Publication
	err := s.Published(t.Context(), dealerID, at, func(p inventory.Publication) error {
		all = append(all, p)
		return nil
	})
	if err != nil {
		t.Fatalf("Published: %v", err)
	}
	return all
}

func wantLog(t *testing.T, s inventory.Store, at time.Time, want ...inventory.Publication) {
	t.Helper()
	if d := cmp.Diff(want, published(t, s, at)); d != "" {
		t.Fatalf("log (-want +got):\n%s", d)
	}
}

func testLog(t *testing.T, s inventory.Store) {
	wantLog(t, s, now)
	h := apply(t, s, dealerID, inventory.Head{}, logged(0, unit(1), unit(2)))
	if !h.Logged || !head(t, s, dealerID).Logged {
		t.Error("the head does not say that a log is kept")
	}
	h = apply(t, s, dealerID, h, inventory.Change{All: change(unit(1), unit(2)).All, Log: inventory.Log{Kept: true, Until: now.Add(time.Hour)}})
	h = apply(t, s, dealerID, h, logged(2, unit(2), unit(3)))
	apply(t, s, dealerID, h, logged(3, unit(1)))
	wantLog(t, s, now, publication(0, unit(1)), publication(0, unit(2)), publication(2, unit(2)), publication(2, unit(3)), publication(3, unit(1)))
	wantLog(t, s, now.Add(100*time.Hour), publication(2, unit(2)), publication(2, unit(3)), publication(3, unit(1)))
	wantLog(t, s, now.Add(103*time.Hour))
	enough := errors.New("enough")
	calls := 0
	err := s.Published(t.Context(), dealerID, now, func(inventory.Publication) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("after %d calls: %v", calls, err)
	}
	err = s.Published(t.Context(), "another", now, func(inventory.Publication) error { return enough })
	if err != nil {
		t.Errorf("another dealer's log: %v", err)
	}
	var many []inventory.Vehicle
	for n := range 2500 {
		many = append(many, unit(n))
	}
	apply(t, s, dealerID, head(t, s, dealerID), logged(9, many...))
	if got := published(t, s, now); len(got) != 2505 || got[2504].Key != many[2499].Key {
		t.Errorf("a large import left %d entries", len(got))
	}
}

func testLogOfLostRace(t *testing.T, s inventory.Store) {
	base := apply(t, s, dealerID, inventory.Head{}, logged(0, unit(1)))
	won := apply(t, s, dealerID, base, logged(1, unit(1)))
	if _, err := s.Apply(t.Context(), dealerID, base, logged(2, unit(1))); !errors.Is(err, inventory.ErrConflict) {
		t.Fatalf("a stale base: %v", err)
	}
	apply(t, s, dealerID, won, logged(3, unit(1)))
	wantLog(t, s, now, publication(0, unit(1)), publication(1, unit(1)), publication(3, unit(1)))
}

func testLogGap(t *testing.T, s inventory.Store) {
	h := apply(t, s, dealerID, inventory.Head{}, logged(0, unit(1)))
	h = apply(t, s, dealerID, h, logged(1, unit(2)))
	h = apply(t, s, dealerID, h, change(unit(3)))
	if h.Logged {
		t.Error("the head says a log is kept")
	}
	baseline := logged(4, unit(1))
	baseline.Put = nil // nothing changes but that a log is kept
	h = apply(t, s, dealerID, h, baseline)
	apply(t, s, dealerID, h, logged(5, unit(2)))
	want := []inventory.Publication{publication(0, unit(1)), publication(1, unit(2)), publication(4, unit(1)), publication(5, unit(2))}
	if got := published(t, s, now); !slices.EqualFunc(got, want, func(a, b inventory.Publication) bool { return cmp.Equal(a, b) }) {
		t.Errorf("log (-want +got):\n%s", cmp.Diff(want, got))
	}
}
