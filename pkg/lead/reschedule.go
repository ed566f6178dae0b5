package lead

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

var (
	// ErrNoCalendar: the profile books no visits of this type at this rooftop.
	ErrNoCalendar = errors.New("the profile books no such visits there")
	// ErrNotTold: the change stands, and the CRM was not told.
	ErrNotTold = errors.New("the change is made, but the lead was not queued to tell the CRM")
)

// NoSlot is the error of a move to a time that is no free slot.
type NoSlot struct {
	// Nearest are free slots near the time, the nearest one first.
	Nearest []time.Time
}

// Error names no time; who tells the caller words Nearest.
func (*NoSlot) Error() string { return "the time is no free slot" }

// farthest is how far ahead a dealer may move a visit.
const farthest = 400 * 24 * time.Hour

// Move books the lead's visit at another time, at once or not at all, and frees
// its old slots; a cancelled visit is booked again. The dealer is bound by
// opening hours and capacity, not by lead time and horizon. The lead then goes
// once more to every target that had it, with the new time.
//
// ErrNotFound when the lead has no booked visit, ErrNoCalendar, *NoSlot; when
// ErrNotTold, the visit has moved all the same.
func (a Archive) Move(ctx context.Context, p *dealer.Profile, leadID string, to time.Time) (Visit, error) {
	var tried, lost []Span
	return a.change(ctx, p.ID, leadID, "move_visit", func(v Visit, last error) (Visit, []Claim, error) {
		if errors.Is(last, ErrSlotTaken) {
			lost = append(lost, tried...)
		}
		if v.State == Booked && v.Start.Equal(to) {
			return v, nil, nil
		}
		now := a.now()
		policy, known := p.Leads.Appointments[v.Type]
		rooftop := p.Rooftop(v.Rooftop)
		if !known || rooftop == nil {
			return v, nil, ErrNoCalendar
		}
		c := calendar{
			Grid: Grid{rooftop, policy}, kind: v.Type, store: calendarWithout{a.Store, v.LeadID}, dealerID: p.ID, lost: lost, now: now,
			earliest: now, latest: now.Add(farthest),
		}
		c.slots = c.count(int64(v.End.Sub(v.Start) / time.Minute))
		wishes := []wish{{from: to}}
		claims, err := c.fulfil(ctx, wishes)
		if err != nil {
			return v, nil, err
		}
		if claims == nil {
			free, err := c.propose(ctx, wishes)
			if err != nil {
				return v, nil, err
			}
			return v, nil, &NoSlot{free}
		}
		v.at(claims)
		v.State, tried = Booked, v.Slots
		return v.noted(Moved, now), claims, nil
	})
}

// Cancel frees the slots of the lead's visit and keeps the lead, which then goes
// once more to every target that had it. A visit that is cancelled stays so.
// ErrNotFound when the lead has no booked visit; when ErrNotTold, the visit is
// cancelled all the same.
func (a Archive) Cancel(ctx context.Context, dealerID, leadID string) (Visit, error) {
	return a.change(ctx, dealerID, leadID, "cancel_visit", func(v Visit, _ error) (Visit, []Claim, error) {
		if v.State == Cancelled {
			return v, nil, nil
		}
		v.State, v.Slots = Cancelled, nil
		return v.noted(Cancelled, a.now()), nil, nil
	})
}

// change makes a change to the stored visit, again when somebody else has
// changed it or taken its slots meanwhile; last is how that ended. What adds
// nothing to the history is no change.
func (a Archive) change(ctx context.Context, dealerID, leadID, action string, to func(v Visit, last error) (Visit, []Claim, error)) (Visit, error) {
	var last error
	for try := 0; ; try++ {
		old, err := a.Store.Visit(ctx, dealerID, leadID, a.now())
		if err != nil {
			return old, err
		}
		next, claims, err := to(old.Clone(), last)
		if err != nil || len(next.History) == len(old.History) {
			return old, err
		}
		next, err = a.Store.UpdateVisit(ctx, dealerID, next, claims, a.now())
		if (errors.Is(err, ErrConflict) || errors.Is(err, ErrSlotTaken)) && try < races {
			last = err
			continue
		}
		if err != nil {
			return old, err
		}
		if err := a.tell(ctx, dealerID, leadID, action); err != nil {
			return next, fmt.Errorf("%w: %w", ErrNotTold, err)
		}
		return next, a.Store.Audit(ctx, dealerID, a.entry(action, 1))
	}
}

// tell has the lead sent once more, as soon as no hand-over is under way that
// may have begun before the change.
func (a Archive) tell(ctx context.Context, dealerID, leadID, action string) error {
	for wait := 25 * time.Millisecond; ; wait *= 2 {
		_, err := a.Resend(ctx, dealerID, leadID, nil, action)
		if !errors.Is(err, ErrUnderWay) || wait > longestTell {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// longestTell is the longest pause before a hand-over under way is waited for
// no more, some six seconds in all.
const longestTell = 3200 * time.Millisecond

// noted adds what the dealer did to the history.
func (v Visit) noted(what string, now time.Time) Visit {
	v.History = append(v.History, VisitChange{At: now.UTC().Truncate(time.Second), What: what, By: ByDealer, Start: v.Start})
	return v
}

// calendarWithout leaves one lead out: its own slots are no hindrance to it.
type calendarWithout struct {
	Calendar
	leadID string
}

func (o calendarWithout) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]Slot, error) {
	all, err := o.Calendar.Slots(ctx, dealerID, rooftop, kind, from, to, now)
	for i := range all {
		all[i].Leads = slices.DeleteFunc(all[i].Leads, func(id string) bool { return id == o.leadID })
	}
	return all, err
}
