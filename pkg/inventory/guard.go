package inventory

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// guard refuses the import or marks the rooftops that keep what they have.
func (pl *planner) guard() *Refused {
	if len(pl.feed) == 0 && len(pl.old) == 0 {
		return &Refused{Reason: "the feed holds no vehicle that can be identified."}
	}
	if len(pl.feed) == 0 {
		return &Refused{Reason: "the feed holds no vehicle that can be identified; the last good inventory stays."}
	}
	had, dropped := map[string]int{}, map[string]int{}
	total, lost := 0, 0
	for key, v := range pl.old {
		if !v.State.Listed() || pl.away(v.Listing.Rooftop) {
			continue
		}
		total++
		had[v.Listing.Rooftop]++
		if now, ok := pl.feed[key]; !ok || !now.State.Listed() && now.State != Sold {
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
		case pl.outdated(name):
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

// away reports whether the feed is not about the rooftop.
func (pl *planner) away(rooftop string) bool {
	return len(pl.batch.Rooftops) > 0 && !slices.Contains(pl.batch.Rooftops, rooftop)
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

// outdated reports whether the feed is older than the rooftop's news.
func (pl *planner) outdated(rooftop string) bool {
	return pl.batch.VouchedAt.Before(pl.vouchedFor(rooftop))
}

func (pl *planner) tooMany(dropped, had int) bool {
	share := 0.5
	if pl.profile.Inventory.MaxDrop != nil {
		share = *pl.profile.Inventory.MaxDrop
	}
	return dropped > 1 && float64(dropped) > share*float64(had)
}

// saysSold reports whether the feed marks a listed unit sold, and is not too
// old to know.
func (pl *planner) saysSold(v *Vehicle) bool {
	now := pl.feed[v.Key]
	return v.State.Listed() && now != nil && now.State == Sold && !pl.away(v.Listing.Rooftop) &&
		!pl.outdated(v.Listing.Rooftop) && !pl.outdated(now.Listing.Rooftop)
}

// refuse is the change of a refused feed: what it marks sold, nothing else.
func (pl *planner) refuse(r *Refused) Change {
	var c Change
	for _, key := range slices.Sorted(maps.Keys(pl.old)) {
		v := *pl.old[key]
		if pl.saysSold(&v) {
			v.State, v.GoneAt = Sold, pl.now.UTC()
			c.Put = append(c.Put, v)
		}
		c.All = append(c.All, v)
	}
	if r.Sold = len(c.Put); r.Sold == 0 {
		return Change{}
	}
	r.Reason += fmt.Sprintf(" Marked sold in the feed, and so no longer offered: %d.", r.Sold)
	c.Vouched = maps.Clone(pl.head.Vouched)
	return c
}
