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

func TestGuardsKeepTheLastGoodInventory(t *testing.T) {
	for _, c := range []struct {
		name    string
		feed    []inventory.Vehicle
		vouched time.Duration // after the first feed
		max     *float64
		refused bool
		kept    []string
	}{
		{"nothing identifiable", nil, time.Hour, nil, true, nil},
		{"more than half of all gone", with(cars("North", 1, 10), cars("South", 1, 1)), time.Hour, nil, true, nil},
		{"half of all gone is taken", with(cars("North", 1, 20), cars("South", 1, 10)), time.Hour, nil, false, nil},
		{"a rooftop under half keeps its cars", with(cars("North", 1, 20), cars("South", 1, 4)), time.Hour, nil, false, []string{"South"}},
		{"a rooftop that is missing keeps its cars", cars("North", 1, 20), time.Hour, nil, false, []string{"South"}},
		{"every car under a new number is a drop", with(cars("North", 101, 120), cars("South", 101, 110)), time.Hour, nil, true, nil},
		{"a higher limit lets it pass", cars("North", 1, 20), time.Hour, new(float64(1)), false, nil},
		{"more than half marked sold is the dealer's word", with(marked(inventory.Sold, cars("North", 1, 18)), cars("North", 19, 20), marked(inventory.Sold, cars("South", 1, 10))), time.Hour, nil, false, nil},
		{"more than half hidden", with(marked(inventory.Hidden, cars("North", 1, 18)), cars("North", 19, 20), cars("South", 1, 10)), time.Hour, nil, true, nil},
		{"a rooftop hidden by half keeps its cars", with(cars("North", 1, 20), marked(inventory.Hidden, cars("South", 1, 6)), cars("South", 7, 10)), time.Hour, nil, false, []string{"South"}},
		{"a feed older than the inventory", with(cars("North", 1, 20), cars("South", 1, 10)), -time.Hour, nil, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t)
			y.take(with(cars("North", 1, 20), cars("South", 1, 10))...)
			before := y.head()
			y.profile.Inventory.MaxDrop = c.max
			y.now = y.now.Add(6 * time.Hour)
			head, change, out, err := y.plan(before.Vouched["North"].Add(c.vouched), c.feed)
			var refused *inventory.Refused
			if errors.As(err, &refused) != c.refused || errors.Is(err, inventory.ErrRefused) != c.refused {
				t.Fatalf("refused: %v, want %v", err, c.refused)
			}
			if c.refused {
				if refused.Sold != 0 || len(change.Put)+len(change.Forget)+len(change.All) > 0 {
					t.Errorf("a refused import changes something: %+v", change)
				}
				return
			}
			var kept []string
			for _, k := range out.Kept {
				kept = append(kept, k.Rooftop)
				if !change.Vouched[k.Rooftop].Equal(before.Vouched[k.Rooftop]) {
					t.Errorf("%s is vouched at %v, want its old time", k.Rooftop, change.Vouched[k.Rooftop])
				}
			}
			if diff := cmp.Diff(c.kept, kept); diff != "" {
				t.Errorf("kept rooftops (-want +got):\n%s", diff)
			}
			if _, err := y.store.Apply(t.Context(), "demo", head, change); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(c.kept, "South") && y.state("S10") != inventory.Available {
				t.Errorf("S10 of the kept rooftop is %s", y.state("S10"))
			}
			if got := y.head().Vouched["North"]; !got.Equal(before.Vouched["North"].Add(c.vouched)) {
				t.Errorf("the updated rooftop is vouched at %v", got)
			}
		})
	}
	t.Run("a feed from the future does not block the next one", func(t *testing.T) {
		y := newYard(t)
		_, change, _, err := y.plan(y.now.Add(1000*time.Hour), cars("North", 1, 5))
		if err != nil || !change.Vouched["North"].Equal(y.now) {
			t.Errorf("vouched at %v: %v", change.Vouched["North"], err)
		}
	})
	t.Run("the last car of a small rooftop may leave", func(t *testing.T) {
		y := newYard(t)
		y.take(with(cars("North", 1, 5), cars("South", 1, 1))...)
		if _, out := y.take(cars("North", 1, 5)...); len(out.Kept) > 0 || out.Gone != 1 {
			t.Errorf("%+v", out)
		}
	})
}

func TestWhatTheFeedMarksSoldIsNeverKeptOnOffer(t *testing.T) {
	lot := with(cars("North", 1, 20), cars("South", 1, 10))
	for _, c := range []struct {
		name    string
		feed    []inventory.Vehicle
		late    time.Duration // after the first feed
		sold    bool          // what becomes of S1
		refused bool
	}{
		{"the file is refused", with(marked(inventory.Sold, cars("South", 1, 1)), cars("South", 2, 10)), time.Hour, true, true},
		{"the rooftop keeps its cars", with(cars("North", 1, 20), marked(inventory.Sold, cars("South", 1, 1)), cars("South", 2, 3)), time.Hour, true, false},
		{"the file is older than the inventory", with(cars("North", 1, 20), marked(inventory.Sold, cars("South", 1, 1))), -time.Hour, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t)
			y.take(lot...)
			before := y.head()
			y.now = y.now.Add(6 * time.Hour)
			head, change, out, err := y.plan(before.Vouched["South"].Add(c.late), c.feed)
			var refused *inventory.Refused
			if errors.As(err, &refused) != c.refused {
				t.Fatal(err)
			}
			if change.Empty() == c.sold {
				t.Fatalf("change %+v", change.Put)
			}
			if !c.sold {
				return
			}
			if _, err := y.store.Apply(t.Context(), "demo", head, change); err != nil {
				t.Fatal(err)
			}
			after := y.head()
			if y.state("S1") != inventory.Sold || y.state("S10") != inventory.Available || y.state("N1") != inventory.Available || after.Listed != 29 || after.Kept != 30 {
				t.Errorf("S1 %s, S10 %s, N1 %s, %+v", y.state("S1"), y.state("S10"), y.state("N1"), after)
			}
			if !after.Vouched["South"].Equal(before.Vouched["South"]) {
				t.Error("the cars that stay are vouched for anew")
			}
			if c.refused && (refused.Sold != 1 || !after.Vouched["North"].Equal(before.Vouched["North"])) || !c.refused && out.Hidden[inventory.Sold] != 1 {
				t.Errorf("%+v %+v", refused, out)
			}
			if _, again, _, _ := y.plan(before.Vouched["South"].Add(c.late), c.feed); len(again.Put) > 0 {
				t.Errorf("the same feed again changes %d", len(again.Put))
			}
		})
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
