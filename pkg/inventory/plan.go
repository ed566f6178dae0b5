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
// trips a guard.
func Plan(old []Vehicle, head Head, b Batch, p *dealer.Profile, now time.Time) (Change, Outcome, error) {
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
	if err := pl.guard(); err != nil {
		return Change{}, Outcome{}, err
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
		if v.Key == "" {
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

// guard refuses the import or marks the rooftops that keep what they have.
func (pl *planner) guard() error {
	if len(pl.feed) == 0 {
		return &Refused{Reason: "the feed holds no vehicle that can be identified; the last good inventory stays."}
	}
	had, dropped := map[string]int{}, map[string]int{}
	total, lost := 0, 0
	for key, v := range pl.old {
		if !v.State.Listed() {
			continue
		}
		total++
		had[v.Listing.Rooftop]++
		if now, ok := pl.feed[key]; !ok || !now.State.Listed() {
			lost++
			dropped[v.Listing.Rooftop]++
		}
	}
	if pl.tooMany(lost, total) {
		return &Refused{Had: total, Dropped: lost, Reason: fmt.Sprintf(
			"it would remove %d of %d listed vehicles; the last good inventory stays. Check the export, or raise inventory.max_drop for one import if this is right.", lost, total)}
	}
	rooftops := map[string]bool{}
	for _, v := range pl.feed {
		rooftops[v.Listing.Rooftop] = true
	}
	for name := range had {
		rooftops[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(rooftops)) {
		reason := ""
		vouched := pl.vouchedFor(name)
		switch {
		case pl.batch.VouchedAt.Before(vouched):
			reason = "the feed is older than the inventory it would replace"
		case pl.tooMany(dropped[name], had[name]):
			reason = fmt.Sprintf("the feed would remove %d of %d listed vehicles", dropped[name], had[name])
		default:
			continue
		}
		pl.kept[name] = true
		pl.outcome.Kept = append(pl.outcome.Kept, KeptRooftop{
			Rooftop: name, Reason: reason, Had: had[name], Dropped: dropped[name], Vouched: vouched,
		})
	}
	if len(pl.kept) == len(rooftops) {
		return &Refused{Had: total, Dropped: lost, Reason: pl.outcome.Kept[0].Reason + "; the last good inventory stays."}
	}
	return nil
}

// clockSkew is how far the clocks of the machines that import may differ.
const clockSkew = time.Hour

// vouchedFor is the time of a rooftop's news, zero when it lies ahead: the
// clock was wrong then, and would keep every later feed out until it is right.
func (pl *planner) vouchedFor(rooftop string) time.Time {
	at := pl.head.Vouched[rooftop]
	if at.After(pl.now.Add(clockSkew)) {
		return time.Time{}
	}
	return at
}

func (pl *planner) tooMany(dropped, had int) bool {
	share := 0.5
	if pl.profile.Inventory.MaxDrop != nil {
		share = *pl.profile.Inventory.MaxDrop
	}
	return dropped > 1 && float64(dropped) > share*float64(had)
}

// merge takes the feed's units in.
func (pl *planner) merge() error {
	for _, key := range pl.order {
		v := *pl.feed[key]
		was := pl.old[key]
		if pl.kept[v.Listing.Rooftop] {
			continue // remember keeps what there was
		}
		if was != nil && pl.kept[was.Listing.Rooftop] && pl.batch.VouchedAt.Before(pl.vouchedFor(was.Listing.Rooftop)) {
			continue // the other rooftop vouched for it later
		}
		v.GoneAt = time.Time{}
		if !v.State.Listed() {
			v.GoneAt = pl.now.UTC()
			if was != nil && !was.State.Listed() && !was.GoneAt.IsZero() {
				v.GoneAt = was.GoneAt
			}
			if pl.outcome.Hidden == nil {
				pl.outcome.Hidden = map[State]int{}
			}
			pl.outcome.Hidden[v.State]++
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
		case v.State.Listed() && pl.kept[v.Listing.Rooftop]:
		case v.State.Listed():
			if inFeed := pl.feed[key]; inFeed != nil && pl.kept[inFeed.Listing.Rooftop] {
				break // it moved to a rooftop whose news are not taken
			}
			v.State, v.GoneAt = Sold, pl.now.UTC()
			pl.outcome.Gone++
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
