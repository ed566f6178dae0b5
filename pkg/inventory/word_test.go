package inventory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func (y *yard) do(id string, deed inventory.Deed, price int64) (inventory.Vehicle, error) {
	y.t.Helper()
	desk := inventory.Desk{Store: y.store, Now: func() time.Time { return y.now }}
	return desk.Carry(y.t.Context(), y.profile, inventory.Order{ID: id, Do: deed, Price: price})
}

// takeAt imports a feed that was vouched for at a time.
func (y *yard) takeAt(vouched time.Time, feed ...inventory.Vehicle) inventory.Outcome {
	y.t.Helper()
	head, c, out, err := y.plan(vouched, feed)
	if err != nil {
		y.t.Fatalf("plan: %v", err)
	}
	if _, err := y.store.Apply(y.t.Context(), "demo", head, c); err != nil {
		y.t.Fatal(err)
	}
	return out
}

func TestAWordStandsUntilTheFeedVouchesLater(t *testing.T) {
	dated := func(at time.Time, feed []inventory.Vehicle) []inventory.Vehicle {
		for i := range feed {
			feed[i].Listing.UpdatedAt = at.Format(time.RFC3339)
		}
		return feed
	}
	early, late := noon.Add(-time.Hour), noon.Add(time.Hour)
	for _, c := range []struct {
		name  string
		deed  inventory.Deed
		feed  []inventory.Vehicle
		at    time.Time
		state inventory.State
	}{
		{"sold, in an older feed", inventory.MarkSold, cars("North", 1, 3), early, inventory.Sold},
		{"sold, in a feed of the same moment", inventory.MarkSold, cars("North", 1, 3), noon, inventory.Sold},
		{"sold, in a later feed", inventory.MarkSold, cars("North", 1, 3), late, inventory.Available},
		{"sold, in a later feed that dates its row before", inventory.MarkSold, dated(early, cars("North", 1, 3)), late, inventory.Sold},
		{"sold, in a later feed that dates its row after", inventory.MarkSold, dated(noon.Add(time.Minute), cars("North", 1, 3)), late, inventory.Available},
		{"sold, gone from an older feed", inventory.MarkSold, cars("North", 2, 3), early, inventory.Sold},
		{"sold, sold in a later feed", inventory.MarkSold, with(marked(inventory.Sold, cars("North", 1, 1)), cars("North", 2, 3)), late, inventory.Sold},
		{"held, in an older feed", inventory.Hold, cars("North", 1, 3), early, inventory.Hidden},
		{"held, pending in an older feed", inventory.Hold, with(marked(inventory.Pending, cars("North", 1, 1)), cars("North", 2, 3)), early, inventory.Hidden},
		{"held, pending in a later feed", inventory.Hold, with(marked(inventory.Pending, cars("North", 1, 1)), cars("North", 2, 3)), late, inventory.Pending},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t)
			y.takeAt(noon.Add(-24*time.Hour), cars("North", 1, 3)...)
			if v, err := y.do("n-1", c.deed, 0); err != nil || v.State.Listed() || y.state("N1").Listed() {
				t.Fatalf("%+v %v", v, err)
			}
			y.now = late.Add(time.Hour)
			y.takeAt(c.at, c.feed...)
			if got := y.state("N1"); got != c.state {
				t.Errorf("it is %s, want %s", got, c.state)
			}
			// Once more: an import that changes nothing keeps it so.
			if out := y.takeAt(c.at, c.feed...); y.state("N1") != c.state || out.Changed != 0 {
				t.Errorf("after the same feed again it is %s, %+v", y.state("N1"), out)
			}
		})
	}
}

func TestReleaseBringsBackWhatTheFeedSays(t *testing.T) {
	y := newYard(t)
	y.takeAt(noon.Add(-24*time.Hour), cars("North", 1, 4)...)
	for _, id := range []string{"N1", "N2"} {
		if _, err := y.do(id, inventory.Hold, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := y.do("N1", inventory.MarkSold, 0); err != nil || y.state("N1") != inventory.Sold {
		t.Errorf("held, then sold: %s %v", y.state("N1"), err)
	}
	y.takeAt(noon.Add(-time.Hour), with(marked(inventory.Pending, cars("North", 1, 1)), cars("North", 3, 4))...)
	if v, err := y.do("N1", inventory.Release, 0); err != nil || v.State != inventory.Pending || !v.GoneAt.IsZero() {
		t.Errorf("%+v %v", v, err)
	}
	if v, err := y.do("N2", inventory.Release, 0); err != nil || v.State != inventory.Sold {
		t.Errorf("it left the feed while it was held: %+v %v", v, err)
	}
	if _, err := y.do("N2", inventory.Release, 0); !errors.Is(err, inventory.ErrNothingSaid) {
		t.Errorf("nothing to take back: %v", err)
	}
	if _, err := y.do("N9", inventory.Hold, 0); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such car: %v", err)
	}
	y.takeAt(noon.Add(-time.Minute), with(cars("North", 1, 4), cars("South", 1, 1), states(aap.Vehicle{VehicleID: "N-3", Rooftop: "South", Make: "Kia", Model: "Rio"}))...)
	if _, err := y.do("n3", inventory.Hold, 0); !errors.Is(err, inventory.ErrAmbiguous) {
		t.Errorf("two cars have it: %v", err)
	}
}

func TestAPriceByHandMeansWhatTheProfileSays(t *testing.T) {
	fee := dealer.Fee{Name: "Documentation", Amount: 300}
	for _, c := range []struct {
		name   string
		prices dealer.Prices
		own    []aap.Fee
		want   string
	}{
		{"a complete price", dealer.Prices{Includes: dealer.PricesComplete}, nil, `"price":19000`},
		{"a complete price with its charges listed", dealer.Prices{Includes: dealer.PricesComplete}, []aap.Fee{{Name: "Etch", Amount: 200}}, `"price":19000,"fees":[{"name":"Etch","amount":200}]`},
		{"charges on top", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{fee}}, nil, `"price":19300,"list_price":19000,"fees":[{"name":"Documentation","amount":300}]`},
		{"charges of its own", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{fee}}, []aap.Fee{{Name: "Etch", Amount: 200}}, `"price":19200,"list_price":19000,"fees":[{"name":"Etch","amount":200}]`},
		{"nothing declared", dealer.Prices{}, nil, `"list_price":19000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t)
			y.profile.Prices = c.prices
			feed := func() []inventory.Vehicle {
				out := cars("North", 1, 3)
				out[0].Listing.Fees = c.own
				return out
			}
			y.takeAt(noon.Add(-24*time.Hour), feed()...)
			if _, err := y.do("N1", inventory.Reprice, 19000); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				v, err := y.store.Find(t.Context(), "demo", inventory.Identifier{Stock: "N1"})
				if err != nil {
					t.Fatal(err)
				}
				got := encoded(aap.Vehicle{Price: v.Listing.Price, ListPrice: v.Listing.ListPrice, Fees: v.Listing.Fees})
				if !strings.Contains(got, c.want) || strings.Contains(got, `"price":`) != strings.Contains(c.want, `"price":`) {
					t.Errorf("%s, want %s", got, c.want)
				}
				if v.Listing.UpdatedAt != "2026-05-01T12:00:00Z" {
					t.Errorf("vouched for at %s", v.Listing.UpdatedAt)
				}
				y.takeAt(noon.Add(-time.Hour), feed()...)
			}
		})
	}
}

// TestTheLatestWordOnACarIsTheOneThatCounts mixes imports and orders at random
// and compares with the plain rule.
func TestTheLatestWordOnACarIsTheOneThatCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		y := newYard(t)
		y.takeAt(noon.Add(-time.Hour), cars("North", 1, 6)...)
		fed, hand := noon.Add(-time.Hour), time.Time{}
		var said, want inventory.State = "", inventory.Available
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			y.now = y.now.Add(time.Minute)
			if deed := rapid.SampledFrom([]inventory.Deed{"", inventory.MarkSold, inventory.Hold, inventory.Release}).Draw(rt, "deed"); deed != "" {
				_, err := y.do("N1", deed, 0)
				switch {
				case deed == inventory.Release && said == "":
					if !errors.Is(err, inventory.ErrNothingSaid) {
						rt.Fatalf("release: %v", err)
					}
				case err != nil:
					rt.Fatal(err)
				case deed == inventory.Release:
					said, want = "", inventory.Available
				default:
					hand, said = y.now, inventory.Sold
					if deed == inventory.Hold {
						said = inventory.Hidden
					}
					want = said
				}
			} else {
				vouched := y.now.Add(-time.Duration(rapid.IntRange(0, 3).Draw(rt, "minutes")) * time.Minute)
				if vouched.Before(fed) {
					continue // refused as a whole
				}
				fed = vouched
				y.takeAt(vouched, cars("North", 1, 6)...)
				if vouched.After(hand) {
					said, want = "", inventory.Available
				}
			}
			if got := y.state("N1"); got != want {
				rt.Fatalf("it is %s, want %s", got, want)
			}
		}
	})
}
