package inventory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// KeyOf is the key of a unit: the VIN, else rooftop and stock number, else
// rooftop and vehicle id; empty when it has none of them.
func KeyOf(v aap.Vehicle) string {
	switch {
	case v.VIN != "":
		return v.VIN
	case v.Stock != "":
		return v.Rooftop + "/" + v.Stock
	case v.VehicleID != "":
		return v.Rooftop + "//" + v.VehicleID
	}
	return ""
}

// Plan works out what a feed changes. The feed is a full snapshot: listed
// units it lacks become sold and are remembered for as long as the profile
// says. It stores nothing; Store.Apply does, on the same head.
//
// A feed without a unit, one that would take more than Inventory.MaxDrop of
// all listed cars off the list, or one that is older than what every rooftop
// has is refused with a *Refused. A single rooftop for which that is so keeps its
// units and their vouched time while the others update. One car leaving never
// trips a guard, and cars that the feed itself marks sold are not counted: that
// is the dealer's own word. They become sold even where a guard refuses or
// keeps the rest, unless the feed is too old; the change that comes with a
// *Refused holds nothing else.
func Plan(old []Vehicle, head Head, b Batch, p *dealer.Profile, now time.Time) (Change, Outcome, error) {
	change, outcome, err := plan(old, head, b, p, now)
	change.Log = change.log(old, head, b, p, now)
	return change, outcome, err
}

func plan(old []Vehicle, head Head, b Batch, p *dealer.Profile, now time.Time) (Change, Outcome, error) {
	if b.VouchedAt.IsZero() || b.VouchedAt.After(now) {
		b.VouchedAt = now
	}
	pl := &planner{
		profile: p, now: now, head: head, batch: b,
		old: make(map[string]*Vehicle, len(old)), feed: make(map[string]*Vehicle, len(b.Vehicles)),
		kept: map[string]bool{}, all: make([]Vehicle, 0, len(old)+len(b.Vehicles)),
	}
	for i := range old {
		pl.old[old[i].Key] = &old[i]
	}
	pl.collect()
	if refused := pl.guard(); refused != nil {
		return pl.refuse(refused), Outcome{}, refused
	}
	for _, v := range pl.old {
		if pl.away(v.Listing.Rooftop) {
			pl.kept[v.Listing.Rooftop] = true
		}
	}
	if err := pl.merge(); err != nil {
		return Change{}, Outcome{}, err
	}
	pl.remember()
	pl.vouch()
	slices.SortFunc(pl.all, func(a, b Vehicle) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(pl.change.Put, func(a, b Vehicle) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(pl.change.Forget, func(a, b Vehicle) int { return cmp.Compare(a.Key, b.Key) })
	pl.change.All = pl.all
	pl.outcome.Remembered = len(pl.all)
	for i := range pl.all {
		if pl.all[i].State.Listed() {
			pl.outcome.Listed++
		}
	}
	return pl.change, pl.outcome, nil
}

type planner struct {
	profile *dealer.Profile
	now     time.Time
	head    Head
	batch   Batch
	old     map[string]*Vehicle
	// feed is the batch with one unit for each key, order lists the keys.
	feed  map[string]*Vehicle
	order []string
	kept  map[string]bool

	all     []Vehicle
	change  Change
	outcome Outcome
}

// collect merges rows of one unit: the newer dated row wins, then a listed
// one, then the first.
func (pl *planner) collect() {
	for i := range pl.batch.Vehicles {
		v := pl.batch.Vehicles[i]
		if v.Key == "" {
			v.Key = KeyOf(v.Listing)
		}
		if v.Key == "" || pl.away(v.Listing.Rooftop) {
			continue
		}
		v.Listing.Status = ""
		have, ok := pl.feed[v.Key]
		if !ok {
			pl.feed[v.Key] = &v
			pl.order = append(pl.order, v.Key)
			continue
		}
		pl.outcome.Merged++
		if better(&v, have) {
			pl.feed[v.Key] = &v
		}
	}
}

func better(v, than *Vehicle) bool {
	a, errA := time.Parse(time.RFC3339, v.Listing.UpdatedAt)
	b, errB := time.Parse(time.RFC3339, than.Listing.UpdatedAt)
	if errA == nil && errB == nil && !a.Equal(b) {
		return a.After(b)
	}
	return v.State.Listed() && !than.State.Listed()
}

// merge takes the feed's units in.
func (pl *planner) merge() error {
	for _, key := range pl.order {
		v := *pl.feed[key]
		was := pl.old[key]
		if pl.kept[v.Listing.Rooftop] {
			continue // remember keeps what there was
		}
		if was != nil && pl.kept[was.Listing.Rooftop] && pl.outdated(was.Listing.Rooftop) {
			continue // the other rooftop vouched for it later
		}
		if was != nil && pl.away(was.Listing.Rooftop) && !v.State.Listed() {
			continue // it went to the other rooftop
		}
		v.GoneAt = time.Time{}
		pl.heed(&v, was)
		if !v.State.Listed() {
			v.GoneAt = pl.now.UTC()
			if was != nil && !was.State.Listed() && !was.GoneAt.IsZero() {
				v.GoneAt = was.GoneAt
			}
			pl.hidden(v.State)
		}
		delete(pl.old, key)
		pl.all = append(pl.all, v)
		same := false
		if was != nil {
			var err error
			if same, err = equal(was, &v); err != nil {
				return err
			}
		}
		switch {
		case was == nil:
			pl.outcome.Added++
		case same:
			pl.outcome.Unchanged++
			continue
		default:
			pl.outcome.Changed++
			if v.State.Listed() && !was.State.Listed() {
				pl.outcome.Returned++
			}
		}
		pl.change.Put = append(pl.change.Put, v)
	}
	return nil
}

func (pl *planner) hidden(s State) {
	if pl.outcome.Hidden == nil {
		pl.outcome.Hidden = map[State]int{}
	}
	pl.outcome.Hidden[s]++
}

// equal compares what would be stored.
func equal(a, b *Vehicle) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode %s: %w", a.Key, err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("encode %s: %w", b.Key, err)
	}
	return bytes.Equal(x, y), nil
}

// remember goes through the old units that the feed did not replace.
func (pl *planner) remember() {
	for _, key := range slices.Sorted(maps.Keys(pl.old)) {
		v := *pl.old[key]
		switch {
		case pl.saysSold(&v):
			v.State, v.GoneAt = Sold, pl.now.UTC()
			pl.outcome.Changed++
			pl.hidden(Sold)
			pl.change.Put = append(pl.change.Put, v)
		case v.State.Listed() && pl.kept[v.Listing.Rooftop]:
		case v.State.Listed():
			if inFeed := pl.feed[key]; inFeed != nil && pl.kept[inFeed.Listing.Rooftop] {
				break // it moved to a rooftop whose news are not taken
			}
			v.State, v.GoneAt = Sold, pl.now.UTC()
			pl.outcome.Gone++
			pl.change.Put = append(pl.change.Put, v)
		case v.Word.State != "" && v.Word.Feed != Sold && pl.feed[key] == nil && !pl.kept[v.Listing.Rooftop]:
			v.Word.Feed = Sold // there is nothing to release it to
			pl.change.Put = append(pl.change.Put, v)
		case pl.feed[key] == nil && forgotten(v, pl.profile, pl.now):
			pl.outcome.Forgotten++
			pl.change.Forget = append(pl.change.Forget, v)
			continue
		}
		pl.all = append(pl.all, v)
	}
}

// vouch dates every rooftop that has units.
func (pl *planner) vouch() {
	pl.change.Vouched = map[string]time.Time{}
	for i := range pl.all {
		name := pl.all[i].Listing.Rooftop
		switch {
		case pl.kept[name]:
			if at, ok := pl.head.Vouched[name]; ok {
				pl.change.Vouched[name] = at
			}
		default:
			pl.change.Vouched[name] = pl.batch.VouchedAt.UTC()
		}
	}
}
