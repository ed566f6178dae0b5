package lead

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Archive is what a dealer does with the leads that were taken. Every change
// is written to the dealer's account.
type Archive struct {
	Store Store
	Queue Queue
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

var (
	// ErrUnderWay: a target is being handed the lead at this moment.
	ErrUnderWay = errors.New("a hand-over of the lead is under way")
	// ErrNoConsent: the consent covers no channel any more.
	ErrNoConsent = errors.New("the consent covers no channel any more")
)

// attemptTime is longer than any attempt lasts that has not ended: the longest
// timeout of a target is 5 minutes.
const attemptTime = 6 * time.Minute

// page is how many records are in memory at a time.
const page = 100

// Each calls do for every lead received since the given time, newest first,
// and holds few in memory. Leads that come or go meanwhile may or may not be
// among them.
func (a Archive) Each(ctx context.Context, dealerID string, since time.Time, do func(Record) error) error {
	now := a.now()
	before := now.AddDate(100, 0, 0) // clocks differ, and one may stand still
	limit := page
	told := map[string]bool{} // of those received at the very edge of the last page
	for {
		records, err := a.Store.List(ctx, dealerID, before, limit, now)
		if err != nil {
			return fmt.Errorf("listing leads: %w", err)
		}
		fresh := 0
		for _, r := range records {
			if r.ReceivedAt.Before(since) {
				return nil
			}
			if told[r.ID] {
				continue
			}
			fresh++
			if err := do(r); err != nil {
				return err
			}
		}
		if len(records) < limit {
			return nil
		}
		// The next page begins with the leads of the same moment once more.
		edge := records[len(records)-1].ReceivedAt
		if !edge.Equal(before.Add(-1)) {
			clear(told)
		}
		for _, r := range records {
			if r.ReceivedAt.Equal(edge) {
				told[r.ID] = true
			}
		}
		before = edge.Add(1)
		if limit = page; fresh == 0 || len(told) >= page {
			limit = 2*len(told) + page
		}
	}
}

// Of returns the ids of the person's leads, newest first.
func (a Archive) Of(ctx context.Context, dealerID string, who Person) ([]string, error) {
	var ids []string
	err := a.Each(ctx, dealerID, time.Time{}, func(r Record) error {
		theirs, err := who.Sent(r)
		if err != nil {
			return fmt.Errorf("lead %s cannot be read", r.ID)
		}
		if theirs {
			ids = append(ids, r.ID)
		}
		return nil
	})
	return ids, err
}

// Erase removes the leads and finishes erasures that were cut short.
func (a Archive) Erase(ctx context.Context, dealerID string, leadIDs []string) error {
	return a.Store.Erase(ctx, dealerID, leadIDs, a.entry("erase", len(leadIDs)))
}

// Revoke notes that the buyer took the consent of the leads back, for the
// channels or, when there are none, for all. by says how the buyer's word came.
// What was not handed over before is not handed over without a channel left.
func (a Archive) Revoke(ctx context.Context, dealerID string, leadIDs, channels []string, by string) error {
	for _, id := range leadIDs {
		e := Event{ID: uuid.NewString(), At: a.now().UTC(), Kind: Revoked, Channels: channels, By: by}
		if err := a.Store.Note(ctx, dealerID, id, e); err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("lead %s: %w", id, err)
		}
	}
	return a.Store.Audit(ctx, dealerID, a.entry("revoke", len(leadIDs)))
}

// Resend queues the lead once more for the targets named, or for all that had
// it or gave up; a document that may have arrived before is marked as a resend.
// It returns the targets that it was queued for, also when the rest met with an
// error. ErrNotFound when there is no such lead or target, ErrUnderWay when a
// target is being served, ErrNoConsent when it may not be handed over any more.
// The worker looks at the consent again.
func (a Archive) Resend(ctx context.Context, dealerID, leadID string, targets []string, by string) ([]string, error) {
	r, err := a.Store.Load(ctx, dealerID, leadID, a.now())
	if err != nil {
		return nil, err
	}
	if err := a.covered(ctx, r); err != nil {
		return nil, err
	}
	states, err := a.Store.Deliveries(ctx, dealerID, leadID)
	if err != nil {
		return nil, err
	}
	// Nothing is changed before all of it may be.
	states, err = a.chosen(states, targets)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, d := range states {
		if err = a.setBack(ctx, dealerID, leadID, d, by); err != nil {
			break
		}
		asked = append(asked, d.Target)
	}
	if err != nil && len(asked) == 0 {
		return nil, err
	}
	// A target that was set back waits for the queue, whatever became of the others.
	if err = errors.Join(err, a.Queue.Enqueue(ctx, leadID)); err != nil {
		return asked, err
	}
	return asked, a.Store.Audit(ctx, dealerID, a.entry("resend", 1))
}

// chosen are the states of the targets, or all when none is named.
func (a Archive) chosen(states []Delivery, targets []string) ([]Delivery, error) {
	if len(targets) > 0 {
		states = slices.DeleteFunc(states, func(d Delivery) bool { return !slices.Contains(targets, d.Target) })
	}
	for _, name := range targets {
		if !slices.ContainsFunc(states, func(d Delivery) bool { return d.Target == name }) {
			return nil, fmt.Errorf("target %q: %w", name, ErrNotFound)
		}
	}
	for _, d := range states {
		if d.Begun && d.LastError == "" && d.State != HandedOver && a.now().Sub(d.UpdatedAt) < attemptTime {
			return nil, ErrUnderWay
		}
	}
	return states, nil
}

// setBack has the next hand-over to the target begin anew.
func (a Archive) setBack(ctx context.Context, dealerID, leadID string, d Delivery, by string) error {
	e := Event{ID: uuid.NewString(), At: a.now().UTC(), Kind: ResendAsked, Target: d.Target, By: by}
	if err := a.Store.Note(ctx, dealerID, leadID, e); err != nil {
		return err
	}
	// Handed over or perhaps: the next document is a second one.
	d.Begun = d.Begun || d.State == HandedOver
	d.State, d.LastError, d.UpdatedAt = Queued, "the dealer asked for it once more", a.now()
	d.NextAttempt = time.Time{}
	_, err := a.Store.UpdateDelivery(ctx, dealerID, leadID, d)
	if errors.Is(err, ErrConflict) {
		return ErrUnderWay
	}
	return err
}

func (a Archive) covered(ctx context.Context, r Record) error {
	story, err := a.Store.Story(ctx, r.DealerID, r.ID)
	if err != nil {
		return err
	}
	request, err := r.Lead()
	if err != nil {
		return fmt.Errorf("lead %s cannot be read", r.ID)
	}
	if len(Channels(request.Customer, Remaining(request.Consent, story))) == 0 {
		return ErrNoConsent
	}
	return nil
}

// Exported writes an export of so many leads to the account.
func (a Archive) Exported(ctx context.Context, dealerID string, leads int) error {
	return a.Store.Audit(ctx, dealerID, a.entry("export", leads))
}

func (a Archive) entry(action string, leads int) Audit {
	return Audit{ID: uuid.NewString(), At: a.now().UTC(), Action: action, Leads: leads}
}

func (a Archive) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

// Overall is the state of a lead over all its targets: the one that most needs
// the dealer's eye. A lead that no target has begun with is queued.
func Overall(states []Delivery) string {
	for _, state := range []string{Failed, Withheld, Retrying, Queued, HandedOver} {
		if slices.ContainsFunc(states, func(d Delivery) bool { return d.State == state }) {
			return state
		}
	}
	return Queued
}
