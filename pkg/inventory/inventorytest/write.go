package inventorytest

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

func testEmptyStore(t *testing.T, s inventory.Store) {
	if h, err := s.Head(t.Context(), dealerID); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("Head = %+v, %v; want ErrNotFound", h, err)
	}
	wantFind(t, s, dealerID, inventory.Identifier{VIN: unit(1).Listing.VIN}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "K-00001"}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{VehicleID: "veh 00001"}, nil)
}

func testRoundTrip(t *testing.T, s inventory.Store) {
	noVIN := unit(3)
	noVIN.Key, noVIN.Listing.VIN = "North Lot/K-00003", ""
	hidden := unit(2)
	hidden.State, hidden.GoneAt = inventory.Hidden, now
	all := []inventory.Vehicle{unit(7), hidden, noVIN, full(), unit(1)}
	c := change(all...)
	c.Vouched = map[string]time.Time{"": now, "North Lot": now.Add(-90 * time.Minute), "Süd": now.Add(-48 * time.Hour)}
	h := apply(t, s, dealerID, inventory.Head{}, c)
	if h.Revision != 1 || h.Listed != 3 || h.Kept != 5 || h.ImportedAt.IsZero() {
		t.Errorf("first head = %+v, want revision 1 with 3 listed of 5 kept and the time of writing", h)
	}
	kept := head(t, s, dealerID)
	if kept.Revision != h.Revision || kept.Snapshot != h.Snapshot || kept.Listed != 3 || kept.Kept != 5 || !kept.ImportedAt.Equal(h.ImportedAt) {
		t.Errorf("Head = %+v, want what Apply returned: %+v", kept, h)
	}
	for name, at := range c.Vouched {
		if !kept.Vouched[name].Equal(at) || !h.Vouched[name].Equal(at) {
			t.Errorf("vouched for %q: kept %v, returned %v, want %v", name, kept.Vouched[name], h.Vouched[name], at)
		}
	}
	if len(kept.Vouched) != len(c.Vouched) {
		t.Errorf("vouched = %v, want %v", kept.Vouched, c.Vouched)
	}
	wantSnapshot(t, s, dealerID, all)
	for i := range all {
		wantFind(t, s, dealerID, inventory.Identifier{Stock: all[i].Listing.Stock}, &all[i])
	}
}

func testNoUnits(t *testing.T, s inventory.Store) {
	h := apply(t, s, dealerID, inventory.Head{}, inventory.Change{Vouched: map[string]time.Time{"": now}})
	if h.Revision != 1 || h.Listed != 0 || h.Kept != 0 {
		t.Errorf("head = %+v, want revision 1 of nothing", h)
	}
	wantSnapshot(t, s, dealerID, nil)
	apply(t, s, dealerID, h, change(unit(1)))
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{unit(1)})
}

func testRevisions(t *testing.T, s inventory.Store) {
	h := apply(t, s, dealerID, inventory.Head{}, change(unit(1), unit(2), unit(3)))
	dearer, added := unit(2), unit(4)
	dearer.Listing.Price = number(99999)
	for want := int64(2); want <= 5; want++ {
		dearer.Listing.Price = number(90000 + want)
		all := change(unit(1), dearer, unit(3), added).All
		next := apply(t, s, dealerID, h, inventory.Change{
			Put: []inventory.Vehicle{dearer, added}, All: all, Vouched: map[string]time.Time{"": now.Add(time.Duration(want) * time.Hour)},
		})
		if next.Revision != want {
			t.Fatalf("revision %d, want %d", next.Revision, want)
		}
		if next.Snapshot == h.Snapshot {
			t.Fatalf("a changed generation kept the snapshot %d", h.Snapshot)
		}
		if next.Listed != 4 || next.Kept != 4 {
			t.Errorf("head counts %d listed of %d, want 4 of 4", next.Listed, next.Kept)
		}
		wantSnapshot(t, s, dealerID, all)
		wantFind(t, s, dealerID, inventory.Identifier{VIN: dearer.Listing.VIN}, &dearer)
		h = next
	}
}

func testConflict(t *testing.T, s inventory.Store) {
	first := apply(t, s, dealerID, inventory.Head{}, change(unit(1)))
	second := apply(t, s, dealerID, first, change(unit(1), unit(2)))
	for name, base := range map[string]inventory.Head{
		"no head yet":      {},
		"an older one":     first,
		"one from nowhere": {Revision: 77, Snapshot: 77},
	} {
		stale := change(unit(3), unit(4))
		stale.Forget = []inventory.Vehicle{unit(1)}
		if h, err := s.Apply(t.Context(), dealerID, base, stale); !errors.Is(err, inventory.ErrConflict) {
			t.Errorf("Apply on %s = %+v, %v; want ErrConflict", name, h, err)
		}
		empty := inventory.Change{All: stale.All, Vouched: map[string]time.Time{"": now.Add(time.Hour)}}
		if h, err := s.Apply(t.Context(), dealerID, base, empty); !errors.Is(err, inventory.ErrConflict) {
			t.Errorf("empty Apply on %s = %+v, %v; want ErrConflict", name, h, err)
		}
	}
	if h := head(t, s, dealerID); h.Revision != second.Revision || h.Snapshot != second.Snapshot || !h.Vouched[""].Equal(now) {
		t.Errorf("head after conflicts = %+v, want %+v", h, second)
	}
	one, two := unit(1), unit(2)
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{one, two})
	wantFind(t, s, dealerID, inventory.Identifier{VIN: one.Listing.VIN}, &one)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: two.Listing.Stock}, &two)
	wantFind(t, s, dealerID, inventory.Identifier{VIN: unit(3).Listing.VIN}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: unit(4).Listing.Stock}, nil)
	apply(t, s, dealerID, second, change(unit(1), unit(2), unit(3)))
}

func testEmptyChange(t *testing.T, s inventory.Store) {
	first := apply(t, s, dealerID, inventory.Head{}, change(unit(1), unit(2)))
	later := now.Add(6 * time.Hour)
	second := apply(t, s, dealerID, first, inventory.Change{All: change(unit(1), unit(2)).All, Vouched: map[string]time.Time{"": later}})
	if second.Revision != 2 || second.Snapshot != first.Snapshot || second.Listed != 2 || second.Kept != 2 {
		t.Errorf("head after an empty change = %+v, want revision 2 on snapshot %d with 2 of 2", second, first.Snapshot)
	}
	if got := head(t, s, dealerID).Vouched[""]; !got.Equal(later) {
		t.Errorf("vouched at %v, want %v", got, later)
	}
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{unit(1), unit(2)})
	if _, err := s.Snapshot(t.Context(), dealerID, first); err != nil {
		t.Errorf("Snapshot by the earlier head of the same generation: %v", err)
	}
}

func testForget(t *testing.T, s inventory.Store) {
	h := apply(t, s, dealerID, inventory.Head{}, change(unit(1), unit(2), unit(3)))
	h = apply(t, s, dealerID, h, inventory.Change{Forget: []inventory.Vehicle{unit(2)}, All: change(unit(1), unit(3)).All})
	if h.Listed != 2 || h.Kept != 2 {
		t.Errorf("head counts %d listed of %d, want 2 of 2", h.Listed, h.Kept)
	}
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{unit(1), unit(3)})
	gone := unit(2).Listing
	wantFind(t, s, dealerID, inventory.Identifier{VIN: gone.VIN}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: gone.Stock}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{VehicleID: gone.VehicleID}, nil)
	back := unit(2)
	back.Listing.Notes = "traded back in"
	apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{back}, All: change(unit(1), back, unit(3)).All})
	wantFind(t, s, dealerID, inventory.Identifier{Stock: gone.Stock}, &back)
}

func testLarge(t *testing.T, s inventory.Store) {
	r := rand.New(rand.NewPCG(3, 1415))
	all := units(3000)
	for i := range all {
		all[i].Listing.Description = noise(r, 2000)
		if i%7 == 0 {
			all[i].State, all[i].GoneAt = inventory.Sold, now
		}
	}
	h := apply(t, s, dealerID, inventory.Head{}, change(all...))
	wantSnapshot(t, s, dealerID, all)
	for _, i := range []int{0, 1, 1500, 2999} {
		wantFind(t, s, dealerID, inventory.Identifier{VIN: all[i].Listing.VIN}, &all[i])
		wantFind(t, s, dealerID, inventory.Identifier{VehicleID: all[i].Listing.VehicleID}, &all[i])
	}
	fewer := all[:120]
	apply(t, s, dealerID, h, inventory.Change{Forget: all[120:], All: fewer})
	wantSnapshot(t, s, dealerID, fewer)
	wantFind(t, s, dealerID, inventory.Identifier{VIN: all[2999].Listing.VIN}, nil)
}
