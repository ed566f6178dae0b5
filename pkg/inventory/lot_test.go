package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// counting is a store that counts its readings.
type counting struct {
	inventory.Store
	heads, snapshots atomic.Int64
}

func (c *counting) Head(ctx context.Context, dealerID string) (inventory.Head, error) {
	c.heads.Add(1)
	return c.Store.Head(ctx, dealerID)
}

func (c *counting) Snapshot(ctx context.Context, dealerID string, h inventory.Head) ([]inventory.Vehicle, error) {
	c.snapshots.Add(1)
	time.Sleep(5 * time.Millisecond) // long enough for the others to arrive
	return c.Store.Snapshot(ctx, dealerID, h)
}

func TestAWarmLotReadsOnlyTheHead(t *testing.T) {
	store := &counting{Store: stored(t, units(t, sixUnits), noon)}
	l, p := inventory.NewLot(store, func() time.Time { return noon }), twoRooftops()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := l.Search(t.Context(), p, aap.SearchRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := store.snapshots.Load(); n != 1 {
		t.Errorf("16 searches at once read %d snapshots, want one", n)
	}
	if n := store.heads.Load(); n != 16 {
		t.Errorf("16 searches read %d heads", n)
	}
}

func TestAnImportShowsAtTheNextRequest(t *testing.T) {
	store := stored(t, units(t, sixUnits), noon)
	l, p := inventory.NewLot(store, func() time.Time { return noon }), twoRooftops()
	search(t, l, p, `{}`)
	head, err := store.Head(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	sold := units(t, sixUnits)
	sold[0].State = inventory.Sold
	if _, err := store.Apply(t.Context(), "demo", head, inventory.Change{Put: sold[:1], All: sold, Vouched: head.Vouched}); err != nil {
		t.Fatal(err)
	}
	if got := search(t, l, p, `{}`); got.Data.Total != 4 {
		t.Errorf("%d found after one was sold, want 4", got.Data.Total)
	}
}

func TestOneDealersIndexNeverAnswersAnother(t *testing.T) {
	store := stored(t, units(t, sixUnits), noon)
	l, p := inventory.NewLot(store, func() time.Time { return noon }), twoRooftops()
	search(t, l, p, `{}`)
	p.ID = "demo2"
	if got := search(t, l, p, `{}`); got.Data.Total != 0 {
		t.Errorf("another dealer is shown %d vehicles", got.Data.Total)
	}
}

func TestSearchesDuringImportsSeeWholeGenerations(t *testing.T) {
	const size = 200
	generation := func(n int) inventory.Change {
		rows := make([]aap.Vehicle, size)
		price := aap.Int(n)
		for i := range rows {
			rows[i] = aap.Vehicle{Stock: fmt.Sprint("U", i), Make: "Kia", Price: &price}
		}
		all := states(rows...)
		return inventory.Change{Put: all, All: all, Vouched: map[string]time.Time{"": noon}}
	}
	store := new(inventorytest.Memory)
	head, err := store.Apply(t.Context(), "demo", inventory.Head{}, generation(1))
	if err != nil {
		t.Fatal(err)
	}
	l, p := inventory.NewLot(store, func() time.Time { return noon }), twoRooftops()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for last := aap.Int(0); ; {
				select {
				case <-done:
					return
				default:
				}
				got := search(t, l, p, `{"sort":{"field":"price","order":"asc"},"pagination":{"limit":100}}`)
				low, high := *got.Data.Vehicles[0].Price, *got.Data.Vehicles[99].Price
				if got.Data.Total != size || low != high || low < last {
					t.Errorf("generation %d to %d of %d units after generation %d", low, high, got.Data.Total, last)
					return
				}
				last = low
			}
		})
	}
	for n := 2; n < 30; n++ {
		if head, err = store.Apply(t.Context(), "demo", head, generation(n)); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	wg.Wait()
}

// failing is a store whose snapshots cannot be read.
type failing struct{ inventory.Store }

func (failing) Snapshot(context.Context, string, inventory.Head) ([]inventory.Vehicle, error) {
	return nil, errors.New("no connection")
}

func TestStorageFaultsAreNotBuyersFaults(t *testing.T) {
	l := inventory.NewLot(failing{stored(t, units(t, sixUnits), noon)}, func() time.Time { return noon })
	_, err := l.Search(t.Context(), twoRooftops(), aap.SearchRequest{})
	var public *aap.Error
	if err == nil || errors.As(err, &public) {
		t.Errorf("error %v, want one that is not for buyers", err)
	}
}

func TestLeadsAreMatchedToUnits(t *testing.T) {
	all := units(t, sixUnits)
	extra := units(t, `[{"stock":"K1","year":2020,"make":"Kia","model":"Rio","trim":"LX","status":"sold"},
		{"stock":"K2","year":2020,"make":"Kia","model":"Rio","trim":"S Premium"},{"stock":"K3","year":2020,"make":"Kia","model":"Rio","trim":"S"}]`)
	all = states(append(listingsOf(all), listingsOf(extra)...)...)
	l, p := lotOf(t, all), twoRooftops()
	year := func(n int64) *aap.Int { i := aap.Int(n); return &i }
	for _, c := range []struct {
		name string
		voi  aap.Vehicle
		want string
	}{
		{"vin", aap.Vehicle{VIN: "1HGFE2F50NH500011"}, "T100"},
		{"a vin that misses may match by stock", aap.Vehicle{VIN: "4T1B11HK5JU600066", Stock: "s200"}, "S200"},
		{"vehicle id", aap.Vehicle{VehicleID: "V-B"}, "T101"},
		{"sold units are returned", aap.Vehicle{VIN: "2FTEW1EP4NK300033"}, "S201"},
		{"year, make and model without case", aap.Vehicle{Year: year(2021), Make: "MAZDA", Model: "mazda3"}, "S200"},
		{"several hits are a match", aap.Vehicle{Year: year(2020), Make: "Kia", Model: "Rio"}, "K2"},
		{"the trim narrows", aap.Vehicle{Year: year(2020), Make: "Kia", Model: "Rio", Trim: "s"}, "K3"},
		{"the trim's first words narrow too", aap.Vehicle{Year: year(2020), Make: "Kia", Model: "Rio", Trim: "S-Premium"}, "K2"},
		{"the trim narrows to a sold unit", aap.Vehicle{Year: year(2020), Make: "kia", Model: "RIO", Trim: "LX"}, "K1"},
		{"another year", aap.Vehicle{Year: year(2019), Make: "Kia", Model: "Rio"}, ""},
		{"a trim nobody has", aap.Vehicle{Year: year(2020), Make: "Kia", Model: "Rio", Trim: "EX"}, ""},
		{"too thin", aap.Vehicle{Make: "Kia", Model: "Rio"}, ""},
		{"nothing", aap.Vehicle{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := l.Match(t.Context(), p, c.voi)
			if c.want == "" {
				if !errors.Is(err, inventory.ErrNotFound) {
					t.Errorf("matched %q, %v; want ErrNotFound", got.Listing.Stock, err)
				}
				return
			}
			if err != nil || got.Listing.Stock != c.want {
				t.Errorf("matched %q, %v; want %q", got.Listing.Stock, err, c.want)
			}
			if got.Listing.Status != "" || got.Key == "" || got.State == "" {
				t.Errorf("unit %q in state %q with listing status %q", got.Key, got.State, got.Listing.Status)
			}
		})
	}
}

func listingsOf(all []inventory.Vehicle) []aap.Vehicle {
	var out []aap.Vehicle
	for _, v := range all {
		row := v.Listing
		row.Status = string(v.State)
		out = append(out, row)
	}
	return out
}
