package inventory_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// yard imports feeds into a store, one day after the other.
type yard struct {
	t       testing.TB
	store   *inventorytest.Memory
	profile *dealer.Profile
	now     time.Time
}

func newYard(t testing.TB) *yard {
	return &yard{t: t, store: new(inventorytest.Memory), profile: twoRooftops(), now: noon}
}

func (y *yard) plan(vouched time.Time, feed []inventory.Vehicle) (inventory.Head, inventory.Change, inventory.Outcome, error) {
	y.t.Helper()
	head, err := y.store.Head(y.t.Context(), "demo")
	var old []inventory.Vehicle
	if err == nil {
		if old, err = y.store.Snapshot(y.t.Context(), "demo", head); err != nil {
			y.t.Fatal(err)
		}
	}
	c, out, err := inventory.Plan(old, head, inventory.Batch{Vehicles: feed, VouchedAt: vouched}, y.profile, y.now)
	return head, c, out, err
}

func (y *yard) take(feed ...inventory.Vehicle) (inventory.Change, inventory.Outcome) {
	y.t.Helper()
	head, c, out, err := y.plan(y.now.Add(-time.Hour), feed)
	if err != nil {
		y.t.Fatalf("plan: %v", err)
	}
	if _, err := y.store.Apply(y.t.Context(), "demo", head, c); err != nil {
		y.t.Fatal(err)
	}
	return c, out
}

func (y *yard) head() inventory.Head {
	h, err := y.store.Head(y.t.Context(), "demo")
	if err != nil {
		y.t.Fatal(err)
	}
	return h
}

func (y *yard) state(stock string) inventory.State {
	y.t.Helper()
	v, err := y.store.Find(y.t.Context(), "demo", inventory.Identifier{Stock: stock})
	if errors.Is(err, inventory.ErrNotFound) {
		return "unknown"
	}
	if err != nil {
		y.t.Fatal(err)
	}
	return v.State
}

// cars are units of a rooftop numbered from to.
func cars(rooftop string, from, to int) []inventory.Vehicle {
	var rows []aap.Vehicle
	for i := from; i <= to; i++ {
		rows = append(rows, aap.Vehicle{Stock: fmt.Sprintf("%s%d", rooftop[:1], i), Rooftop: rooftop, Make: "Kia", Model: "Rio"})
	}
	return states(rows...)
}

func with(lists ...[]inventory.Vehicle) []inventory.Vehicle { return slices.Concat(lists...) }

func marked(s inventory.State, feed []inventory.Vehicle) []inventory.Vehicle {
	for i := range feed {
		feed[i].State = s
	}
	return feed
}

func TestImportReportsWhatItDoes(t *testing.T) {
	y := newYard(t)
	feed := cars("North", 1, 10)
	_, out := y.take(feed...)
	if out.Added != 10 || out.Listed != 10 || out.Remembered != 10 {
		t.Errorf("first import: %+v", out)
	}

	y.now = y.now.Add(24 * time.Hour)
	c, out := y.take(feed...)
	if !c.Empty() || out.Unchanged != 10 || len(c.All) != 10 {
		t.Errorf("the same feed again puts %d and forgets %d: %+v", len(c.Put), len(c.Forget), out)
	}
	if got := y.head().Vouched["North"]; !got.Equal(y.now.Add(-time.Hour)) {
		t.Errorf("vouched %v after the same feed, want the feed's time", got)
	}

	y.now = y.now.Add(24 * time.Hour)
	next := cars("North", 2, 11) // 1 left, 11 is new
	next[0].Listing.Trim = "LX"
	sold := slices.IndexFunc(next, func(v inventory.Vehicle) bool { return v.Listing.Stock == "N5" })
	next[sold].State = inventory.Sold
	_, out = y.take(next...)
	want := inventory.Outcome{
		Added: 1, Changed: 2, Unchanged: 7, Gone: 1, Listed: 9, Remembered: 11,
		Hidden: map[inventory.State]int{inventory.Sold: 1},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if y.state("N1") != inventory.Sold || y.state("N5") != inventory.Sold {
		t.Errorf("N1 is %s, N5 is %s; want both sold", y.state("N1"), y.state("N5"))
	}

	y.now = y.now.Add(24 * time.Hour)
	_, out = y.take(with(next, cars("North", 1, 1))...)
	if out.Returned != 1 || out.Changed != 1 || y.state("N1") != inventory.Available {
		t.Errorf("the car that came back: %+v, state %s", out, y.state("N1"))
	}
}

func TestSoldCarsAreRememberedThenForgotten(t *testing.T) {
	y := newYard(t)
	y.take(cars("North", 1, 4)...)
	rest := cars("North", 2, 4)
	y.now = y.now.Add(24 * time.Hour)
	y.take(rest...)
	y.now = y.now.Add(29 * 24 * time.Hour)
	if c, _ := y.take(rest...); !c.Empty() || y.state("N1") != inventory.Sold {
		t.Errorf("after 29 days N1 is %s, change %+v", y.state("N1"), c)
	}
	y.now = y.now.Add(2 * 24 * time.Hour)
	c, out := y.take(rest...)
	if len(c.Forget) != 1 || out.Forgotten != 1 || y.state("N1") != "unknown" {
		t.Errorf("after 31 days N1 is %s, %+v", y.state("N1"), out)
	}
}

func TestOneCarAtTwoRooftopsIsOneListing(t *testing.T) {
	row := aap.Vehicle{VIN: "1HGFE2F50NH500011", Stock: "N1", Rooftop: "North", UpdatedAt: "2026-04-30T10:00:00Z"}
	moved := row
	moved.Stock, moved.Rooftop, moved.UpdatedAt = "S1", "South", "2026-04-30T11:00:00Z"
	for _, feed := range [][]inventory.Vehicle{states(row, moved), states(moved, row)} {
		y := newYard(t)
		_, out := y.take(feed...)
		if out.Merged != 1 || out.Listed != 1 || y.state("S1") != inventory.Available || y.state("N1") != "unknown" {
			t.Errorf("%+v; N1 %s, S1 %s", out, y.state("N1"), y.state("S1"))
		}
	}
	soldHere := row
	soldHere.Status, soldHere.UpdatedAt, moved.UpdatedAt = "sold", "", ""
	y := newYard(t)
	if _, out := y.take(states(soldHere, moved)...); out.Listed != 1 {
		t.Errorf("a car sold to the other rooftop: %+v", out)
	}
}

func TestAPlanLeadsToTheFeed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		y := newYard(t)
		y.profile.Inventory.MaxDrop = new(float64(1))
		for range rapid.IntRange(1, 4).Draw(rt, "imports") {
			y.now = y.now.Add(24 * time.Hour)
			feed := drawLot(rt)
			c, out := y.take(feed...)
			listed := map[string]bool{}
			for _, v := range feed {
				if v.State.Listed() {
					listed[v.Key] = true
				}
			}
			all, err := y.store.Snapshot(t.Context(), "demo", y.head())
			if err != nil {
				rt.Fatal(err)
			}
			shown := 0
			for _, v := range all {
				if v.State.Listed() != listed[v.Key] {
					rt.Errorf("%s is %s, in the feed listed: %v", v.Key, v.State, listed[v.Key])
				}
				if v.State.Listed() {
					shown++
				}
				if v.State.Listed() != v.GoneAt.IsZero() {
					rt.Errorf("%s is %s and gone at %v", v.Key, v.State, v.GoneAt)
				}
			}
			if shown != len(listed) || out.Listed != shown || out.Remembered != len(all) {
				rt.Errorf("%d listed of %d, want %d; outcome %+v", shown, len(all), len(listed), out)
			}
			if diff := cmp.Diff(encoded(all), encoded(c.All)); diff != "" {
				rt.Errorf("All is not what is stored (-stored +planned):\n%s", diff)
			}
			if again, _ := y.take(feed...); !again.Empty() {
				rt.Errorf("the same feed again puts %d and forgets %d", len(again.Put), len(again.Forget))
			}
		}
	})
}
