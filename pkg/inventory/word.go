package inventory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Word is what the dealer said about one unit by hand, since when, and what
// the feed says of its state.
//
// A word stands until the feed knows better: an import leaves it alone while
// the feed vouched for the unit no later than the word was said, and ends it
// when the feed vouched for it later. The time of the feed's word on a unit is
// that of its row where the feed dates rows, else that of the whole feed. So a
// file exported before the sale that still lists the car changes nothing,
// however late it is imported; one exported after it has the last word.
type Word struct {
	// State is Sold or Hidden, or empty when nothing was said of it.
	State   State     `json:"state,omitempty"`
	StateAt time.Time `json:"state_at,omitzero"`
	// Feed is the state that the feed gives meanwhile; it comes back with Release.
	Feed State `json:"feed,omitempty"`
	// Price is the number said in whole dollars, as the feed's price column
	// would hold it; nil when none was.
	Price   *aap.Int  `json:"price,omitempty"`
	PriceAt time.Time `json:"price_at,omitzero"`
}

// Deed is what a dealer does to one unit by hand.
type Deed string

// The deeds. MarkSold and Hold take the unit off the list, Release takes back
// either of them, Reprice gives it another price.
const (
	MarkSold Deed = "sold"
	Hold     Deed = "hold"
	Release  Deed = "release"
	Reprice  Deed = "price"
)

// Order is one deed on the unit that ID names: a VIN, a stock number or a
// vehicle id. Price is for Reprice, in whole dollars.
type Order struct {
	ID    string
	Do    Deed
	Price int64
}

var (
	// ErrAmbiguous: several units have the identifier.
	ErrAmbiguous = errors.New("several vehicles have this identifier")
	// ErrNothingSaid: there is no word by hand to take back.
	ErrNothingSaid = errors.New("nothing was said by hand about this vehicle")
)

// Desk carries out orders on a store. It is safe for concurrent use.
type Desk struct {
	Store Store
	Now   func() time.Time
}

// orderTries is how often an order is planned again after an import or another
// order was faster.
const orderTries = 20

// Carry out an order; it shows at the next request everywhere. The result is
// the unit afterwards. ErrNotFound when the dealer has no such unit.
func (d Desk) Carry(ctx context.Context, p *dealer.Profile, o Order) (Vehicle, error) {
	for try := 1; ; try++ {
		v, err := d.carry(ctx, p, o)
		if !errors.Is(err, ErrConflict) || try == orderTries {
			return v, err
		}
	}
}

func (d Desk) carry(ctx context.Context, p *dealer.Profile, o Order) (Vehicle, error) {
	head, err := d.Store.Head(ctx, p.ID)
	if err != nil {
		return Vehicle{}, err
	}
	all, err := d.Store.Snapshot(ctx, p.ID, head)
	if err != nil {
		return Vehicle{}, err
	}
	change, v, err := PlanOrder(all, head, o, p, d.Now())
	if err != nil {
		return Vehicle{}, err
	}
	_, err = d.Store.Apply(ctx, p.ID, head, change)
	return v, err
}

// PlanOrder works out what an order changes and returns the unit afterwards.
// It stores nothing; Store.Apply does, on the same head.
func PlanOrder(all []Vehicle, head Head, o Order, p *dealer.Profile, now time.Time) (Change, Vehicle, error) {
	at, err := named(all, o.ID, p, now)
	if err != nil {
		return Change{}, Vehicle{}, err
	}
	v := all[at]
	if err := v.carry(o, p, now.UTC()); err != nil {
		return Change{}, v, err
	}
	change := Change{Put: []Vehicle{v}, All: slices.Clone(all), Vouched: maps.Clone(head.Vouched)}
	change.All[at] = v
	change.Log = change.log(all, head, Batch{Source: "dealer vehicle " + string(o.Do), VouchedAt: now}, p, now)
	return change, v, nil
}

// carry changes the unit itself.
func (v *Vehicle) carry(o Order, p *dealer.Profile, now time.Time) error {
	switch o.Do {
	case MarkSold, Hold:
		if v.Word.State == "" {
			v.Word.Feed = v.State
		}
		v.Word.State, v.Word.StateAt = Sold, now
		if o.Do == Hold {
			v.Word.State = Hidden
		}
		if v.State.Listed() || v.GoneAt.IsZero() {
			v.GoneAt = now
		}
		v.State = v.Word.State
	case Release:
		if v.Word.State == "" {
			return ErrNothingSaid
		}
		v.State = v.Word.Feed
		v.Word.State, v.Word.Feed, v.Word.StateAt = "", "", time.Time{}
		if v.State.Listed() {
			v.GoneAt = time.Time{}
		}
	case Reprice:
		if o.Price <= 0 {
			return fmt.Errorf("%d is no price", o.Price)
		}
		price := aap.Int(o.Price)
		v.Word.Price, v.Word.PriceAt = &price, now
		v.reprice(p.Prices)
	default:
		return fmt.Errorf("%q is nothing to do to a vehicle", o.Do)
	}
	return nil
}

// reprice shows the price that was said, as the profile says what prices hold.
// Charges that the unit lists by itself replace the profile's.
func (v *Vehicle) reprice(prices dealer.Prices) {
	l := &v.Listing
	own := l.Fees
	if len(own) > 0 && prices.Includes == dealer.PricesWithoutFees {
		prices.AddFees = nil
		for _, f := range own {
			prices.AddFees = append(prices.AddFees, dealer.Fee{Name: f.Name, Amount: int64(f.Amount)})
		}
	}
	l.Price, l.ListPrice, l.Fees = prices.Publish(int64(*v.Word.Price))
	if l.Fees == nil && sum(own) < *v.Word.Price {
		l.Fees = own
	}
	l.UpdatedAt = stamp(v.Word.PriceAt)
}

func sum(fees []aap.Fee) (total aap.Int) {
	for _, f := range fees {
		total += f.Amount
	}
	return total
}

// named is the position of the unit that an identifier names: exactly before
// folded, listed before not. A number that several listed units share names none.
func named(all []Vehicle, id string, p *dealer.Profile, now time.Time) (int, error) {
	id = strings.TrimSpace(id)
	best, found := 0, []int(nil)
	for i := range all {
		rank := all[i].rank(id)
		if rank == 0 || forgotten(all[i], p, now) {
			continue
		}
		if rank > best {
			best, found = rank, found[:0]
		}
		if rank == best {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, ErrNotFound
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("%w: %s and %s", ErrAmbiguous, all[found[0]].Key, all[found[1]].Key)
}

// rank says how well an identifier names the unit; 0: not at all.
func (v *Vehicle) rank(id string) int {
	l, folded, rank := &v.Listing, FoldID(id), 0
	switch {
	case id == "":
		return 0
	case strings.EqualFold(id, l.VIN), id == v.Key:
		rank = 5
	case id == l.Stock, id == l.VehicleID:
		rank = 3
	case l.Stock != "" && folded == FoldID(l.Stock), l.VehicleID != "" && folded == FoldID(l.VehicleID):
		rank = 1
	default:
		return 0
	}
	if v.State.Listed() || v.Word.State != "" {
		rank++
	}
	return rank
}

// heed lets stand in v, a row of the feed, what was said by hand about the unit
// it replaces, as far as the feed does not know better.
func (pl *planner) heed(v, was *Vehicle) {
	if was == nil || was.Word == (Word{}) {
		return
	}
	w, vouched := was.Word, pl.rowVouched(v)
	switch {
	case w.State == "":
	case vouched.After(w.StateAt):
		if v.State != w.State {
			pl.outcome.Overruled++
		}
	default:
		v.Word.State, v.Word.StateAt, v.Word.Feed = w.State, w.StateAt, v.State
		v.State = w.State
		pl.outcome.ByHand++
	}
	switch {
	case w.Price == nil:
	case vouched.After(w.PriceAt):
		pl.outcome.Overruled++
	default:
		v.Word.Price, v.Word.PriceAt = w.Price, w.PriceAt
		v.reprice(pl.profile.Prices)
		pl.outcome.ByHand++
	}
}

// rowVouched is when the feed vouched for a row.
func (pl *planner) rowVouched(v *Vehicle) time.Time {
	at, err := time.Parse(time.RFC3339, v.Listing.UpdatedAt)
	if err != nil || at.After(pl.batch.VouchedAt) {
		return pl.batch.VouchedAt
	}
	return at
}
