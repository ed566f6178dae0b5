package inventory_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

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
