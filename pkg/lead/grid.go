package lead

import (
	"cmp"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Grid is the slots of one rooftop and kind of visit. Those of a day begin
// when the rooftop opens and follow each other in real time until it closes,
// so that where its clock is put forward or back none is lost and none comes
// twice.
type Grid struct {
	Rooftop *dealer.Rooftop
	Policy  dealer.AppointmentPolicy
}

// Day lists the slots of a date of the rooftop's calendar, by time, in UTC.
func (g Grid) Day(year int, month time.Month, day int) []Span {
	from, until, open := g.Policy.OpenOn(g.Rooftop, year, month, day)
	if !open || g.Policy.Slot < dealer.Duration(time.Minute) {
		return nil
	}
	zone := g.Rooftop.Location()
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	begin := reaches(midnight.Add(from), zone)
	if y, m, d := begin.In(zone).Date(); y != midnight.Year() || m != midnight.Month() || d != midnight.Day() {
		return nil // the clock jumps over the opening, or over the whole date
	}
	end := reaches(midnight.Add(until), zone)
	length, step := g.Policy.Slot.Std(), g.Policy.Slot.Std()+g.Policy.Buffer.Std()
	slots := make([]Span, 0, max(0, end.Sub(begin)/step+1))
	for at := begin; !at.Add(length).After(end); at = at.Add(step) {
		slots = append(slots, Span{at, at.Add(length)})
	}
	return slots
}

// reaches is the first instant at which a clock in the zone shows the given
// time or a later one. The time is given as if the clock were in UTC.
func reaches(shown time.Time, zone *time.Location) time.Time {
	// No clock is further from UTC.
	at := shown.Add(-26 * time.Hour).In(zone)
	for {
		_, offset := at.Zone()
		begins, ends := at.ZoneBounds()
		found := shown.Add(-time.Duration(offset) * time.Second)
		if found.Before(begins) {
			found = begins
		}
		if ends.IsZero() || found.Before(ends) {
			return found.UTC()
		}
		at = ends.In(zone)
	}
}

// Runs lists every way to take count slots in a row of one day that begins at
// from or later and not after to, by time.
func (g Grid) Runs(from, to time.Time, count int) [][]Span {
	var runs [][]Span
	// A day more at either end covers every jump of a clock.
	year, month, day := from.In(g.Rooftop.Location()).AddDate(0, 0, -1).Date()
	last := to.Add(48 * time.Hour)
	for date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC); date.Before(last); date = date.AddDate(0, 0, 1) {
		slots := g.Day(date.Year(), date.Month(), date.Day())
		for at := 0; at+count <= len(slots); at++ {
			if start := slots[at].Start; !start.Before(from) && !start.After(to) {
				runs = append(runs, slots[at:at+count])
			}
		}
	}
	return runs
}

// count is how many slots a visit of so many minutes takes; one when the
// minutes are 0.
func (g Grid) count(minutes int64) int {
	length, step := int64(g.Policy.Slot.Std()/time.Minute), int64((g.Policy.Slot.Std()+g.Policy.Buffer.Std())/time.Minute)
	if minutes <= length || step <= 0 {
		return 1
	}
	return int(1 + (minutes-length+step-1)/step)
}

// book is what is taken of a grid.
type book struct {
	capacity int
	// taken is sorted by start; none lasts longer than longest.
	taken   []Slot
	longest time.Duration
	// lost are slots that count as taken.
	lost []Span
}

// room is how many visits the slot may hold as a claim says it: the capacity
// less the visits of other slots, of an earlier grid, that overlap it. free
// tells whether there is place for one more.
func (b book) room(s Span) (room int, free bool) {
	first, _ := slices.BinarySearchFunc(b.taken, s.Start.Add(-b.longest), func(t Slot, at time.Time) int { return t.Start.Compare(at) })
	own := 0
	var others []Slot
	for _, t := range b.taken[first:] {
		if !t.Start.Before(s.End) {
			break
		}
		if t.Span.Equal(s) {
			own = len(t.Leads)
		} else if t.Overlaps(s) {
			others = append(others, t)
		}
	}
	room = b.capacity - peak(others)
	return room, own < room
}

// peak is the most visits at one instant. One is reached when a slot begins.
func peak(slots []Slot) int {
	most := 0
	for _, at := range slots {
		n := 0
		for _, s := range slots {
			if !s.Start.After(at.Start) && s.End.After(at.Start) {
				n += len(s.Leads)
			}
		}
		most = max(most, n)
	}
	return most
}

// free reports whether every slot of a run is free.
func (b book) free(run []Span) bool {
	for _, s := range run {
		if _, free := b.room(s); !free || slices.ContainsFunc(b.lost, s.Equal) {
			return false
		}
	}
	return true
}

// claim asks for every slot of a run.
func (b book) claim(run []Span) []Claim {
	claims := make([]Claim, len(run))
	for i, s := range run {
		room, _ := b.room(s)
		claims[i] = Claim{s, room}
	}
	return claims
}

// nearest picks up to n starts by how near they are to at, the earlier one first
// of two that are equally near.
func nearest(starts []time.Time, at time.Time, n int) []time.Time {
	slices.SortStableFunc(starts, func(a, b time.Time) int {
		return cmp.Or(cmp.Compare(a.Sub(at).Abs(), b.Sub(at).Abs()), a.Compare(b))
	})
	return starts[:min(n, len(starts))]
}
