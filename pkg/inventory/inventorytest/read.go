package inventorytest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

func testFind(t *testing.T, s inventory.Store) {
	plain, dashed, spaced := unit(1), unit(2), unit(3)
	plain.Listing.Stock, plain.Listing.VehicleID = "ab12", "Lot 9-1"
	dashed.Listing.Stock, dashed.Listing.VehicleID = "AB-12", "lot91"
	dashed.State, dashed.GoneAt = inventory.Sold, now
	spaced.Listing.Stock, spaced.Listing.VehicleID = "Ü 77", ""
	apply(t, s, dealerID, inventory.Head{}, change(plain, dashed, spaced))
	vin := func(x string) inventory.Identifier { return inventory.Identifier{VIN: x} }
	stock := func(x string) inventory.Identifier { return inventory.Identifier{Stock: x} }
	vid := func(x string) inventory.Identifier { return inventory.Identifier{VehicleID: x} }
	for _, c := range []struct {
		id   inventory.Identifier
		want *inventory.Vehicle
	}{
		{vin(plain.Listing.VIN), &plain},
		{vin("1c4rjfbg000000001"), nil},
		{vin("AB-12"), nil},
		{stock("ab12"), &plain},
		{stock("AB-12"), &dashed}, // exactly its number, although it is sold
		{stock("Ab 12"), &plain},  // folded: the listed one
		{stock("AB12"), &plain},
		{stock("ü-77"), &spaced},
		{stock("ab123"), nil},
		{stock("Lot 9-1"), nil},
		{vid("Lot 9-1"), &plain},
		{vid("lot91"), &dashed},
		{vid("LOT-91"), &plain},
		{vid("ab12"), nil},
	} {
		wantFind(t, s, dealerID, c.id, c.want)
	}
}

func testFindPrefersListed(t *testing.T, s inventory.Store) {
	a, b, c := unit(1), unit(2), unit(3)
	for _, v := range []*inventory.Vehicle{&a, &b, &c} {
		v.Listing.Stock = "SAME-1"
	}
	a.State, a.GoneAt = inventory.Sold, now
	id := inventory.Identifier{Stock: "SAME-1"}
	h := apply(t, s, dealerID, inventory.Head{}, change(a, b, c))
	wantFind(t, s, dealerID, id, &b)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "same 1"}, &b)

	b.State, b.GoneAt = inventory.Hidden, now
	h = apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{b}, All: change(a, b, c).All})
	wantFind(t, s, dealerID, id, &c)

	c.State, c.GoneAt = inventory.Sold, now
	h = apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{c}, All: change(a, b, c).All})
	wantFind(t, s, dealerID, id, &a) // none is listed: the smallest key

	c.State, c.GoneAt = inventory.InTransit, time.Time{}
	apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{c}, All: change(a, b, c).All})
	wantFind(t, s, dealerID, id, &c)
}

func testRename(t *testing.T, s inventory.Store) {
	v := unit(1)
	h := apply(t, s, dealerID, inventory.Head{}, change(v, unit(2)))
	old := v.Listing
	v.Listing.Stock, v.Listing.VehicleID = "NEW-77", ""
	apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{v}, All: change(v, unit(2)).All})
	wantFind(t, s, dealerID, inventory.Identifier{Stock: old.Stock}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "k00001"}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{VehicleID: old.VehicleID}, nil)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "NEW-77"}, &v)
	wantFind(t, s, dealerID, inventory.Identifier{VIN: old.VIN}, &v)
}

func testSharedName(t *testing.T, s inventory.Store) {
	a, b := unit(1), unit(2)
	a.Listing.Stock, b.Listing.Stock = "Q 5", "q-5"
	h := apply(t, s, dealerID, inventory.Head{}, change(a, b))
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "Q5"}, &a)
	// Putting a again unchanged, next to a renamed b, leaves a its name.
	b.Listing.Stock = "Q6"
	h = apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{a, b}, All: change(a, b).All})
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "Q5"}, &a)
	// b takes the number that a gives up in the same change.
	a.Listing.Stock, b.Listing.Stock = "Q7", "Q 5"
	h = apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{a, b}, All: change(a, b).All})
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "q5"}, &b)
	// Forgetting one of two sharers leaves the other.
	a.Listing.Stock = "Q-5"
	h = apply(t, s, dealerID, h, inventory.Change{Put: []inventory.Vehicle{a}, All: change(a, b).All})
	apply(t, s, dealerID, h, inventory.Change{Forget: []inventory.Vehicle{a}, All: change(b).All})
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "q5"}, &b)
	wantFind(t, s, dealerID, inventory.Identifier{Stock: "Q-5"}, &b)
}

func testIsolation(t *testing.T, s inventory.Store) {
	mine, theirs := unit(1), unit(1)
	theirs.Listing.Notes = "the other dealer's"
	const other = dealerID + "-2"
	h := apply(t, s, dealerID, inventory.Head{}, change(mine, unit(2)))
	if _, err := s.Head(t.Context(), other); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("Head of a dealer without imports: %v, want ErrNotFound", err)
	}
	wantFind(t, s, other, inventory.Identifier{VIN: mine.Listing.VIN}, nil)
	if got, err := s.Snapshot(t.Context(), other, h); err == nil && len(got) > 0 {
		t.Errorf("Snapshot by another dealer's head shows %d units", len(got))
	}
	apply(t, s, other, inventory.Head{}, change(theirs))
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{mine, unit(2)})
	wantSnapshot(t, s, other, []inventory.Vehicle{theirs})
	wantFind(t, s, dealerID, inventory.Identifier{VIN: mine.Listing.VIN}, &mine)
	wantFind(t, s, other, inventory.Identifier{VIN: mine.Listing.VIN}, &theirs)
	wantFind(t, s, other, inventory.Identifier{Stock: unit(2).Listing.Stock}, nil)
	apply(t, s, other, head(t, s, other), inventory.Change{Forget: []inventory.Vehicle{theirs}})
	wantFind(t, s, dealerID, inventory.Identifier{VIN: mine.Listing.VIN}, &mine)
}

func testOwnership(t *testing.T, s inventory.Store) {
	v := full()
	apply(t, s, dealerID, inventory.Head{}, change(v))
	got, err := s.Snapshot(t.Context(), dealerID, head(t, s, dealerID))
	if err != nil {
		t.Fatal(err)
	}
	got[0].Listing.Photos[0] = "https://img.example.com/scribble.jpg"
	found, err := s.Find(t.Context(), dealerID, inventory.Identifier{VIN: v.Listing.VIN})
	if err != nil {
		t.Fatal(err)
	}
	found.Listing.OtherAttributes["abs"] = "scribble"
	if h := head(t, s, dealerID); h.Vouched != nil {
		h.Vouched[""] = time.Time{}
	}
	want := full()
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{want})
	wantFind(t, s, dealerID, inventory.Identifier{VIN: v.Listing.VIN}, &want)
	if at := head(t, s, dealerID).Vouched[""]; !at.Equal(now) {
		t.Errorf("vouched at %v, want %v", at, now)
	}
}

func testRace(t *testing.T, s inventory.Store) {
	base := apply(t, s, dealerID, inventory.Head{}, change(unit(0)))
	const racers = 8
	var wg sync.WaitGroup
	heads, errs := make([]inventory.Head, racers), make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			mark := unit(i + 1)
			mark.Listing.Notes = fmt.Sprint("import ", i)
			c := change(unit(0), mark)
			c.Put = []inventory.Vehicle{mark}
			heads[i], errs[i] = s.Apply(t.Context(), dealerID, base, c)
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("imports %d and %d both won from revision %d", winner, i, base.Revision)
		case !errors.Is(err, inventory.ErrConflict):
			t.Errorf("import %d: %v, want ErrConflict", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("no import won")
	}
	mark := unit(winner + 1)
	mark.Listing.Notes = fmt.Sprint("import ", winner)
	wantSnapshot(t, s, dealerID, []inventory.Vehicle{unit(0), mark})
	if h := head(t, s, dealerID); h.Revision != heads[winner].Revision {
		t.Errorf("revision %d, want the winner's %d", h.Revision, heads[winner].Revision)
	}
	for i := range racers {
		id := inventory.Identifier{VIN: unit(i + 1).Listing.VIN}
		if i == winner {
			wantFind(t, s, dealerID, id, &mark)
		} else {
			wantFind(t, s, dealerID, id, nil)
		}
	}
}

func testWholeGenerations(t *testing.T, s inventory.Store) {
	const generations, size = 12, 60
	generation := func(n int64) inventory.Change {
		all := units(size + int(n%3))
		for i := range all {
			all[i].Listing.Notes = fmt.Sprint("generation ", n)
		}
		c := change(all...)
		if n%3 == 0 { // the generation before had two units more
			c.Forget = []inventory.Vehicle{unit(size), unit(size + 1)}
		}
		return c
	}
	h := apply(t, s, dealerID, inventory.Head{}, generation(1))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for reads := 0; ; {
				select {
				case <-done:
					if reads > 0 {
						return
					}
				default:
				}
				seen, err := s.Head(t.Context(), dealerID)
				if err != nil {
					t.Errorf("Head during an import: %v", err)
					return
				}
				all, err := s.Snapshot(t.Context(), dealerID, seen)
				if errors.Is(err, inventory.ErrConflict) {
					continue
				}
				if err != nil {
					t.Errorf("Snapshot during an import: %v", err)
					return
				}
				reads++
				want := fmt.Sprint("generation ", seen.Revision)
				if len(all) != size+int(seen.Revision%3) {
					t.Errorf("generation %d has %d units", seen.Revision, len(all))
					return
				}
				for _, v := range all {
					if v.Listing.Notes != want {
						t.Errorf("generation %d shows a unit of %q", seen.Revision, v.Listing.Notes)
						return
					}
				}
			}
		})
	}
	for n := int64(2); n <= generations; n++ {
		next, err := s.Apply(t.Context(), dealerID, h, generation(n))
		if err != nil {
			t.Errorf("import %d: %v", n, err)
			break
		}
		h = next
	}
	close(done)
	wg.Wait()
}
