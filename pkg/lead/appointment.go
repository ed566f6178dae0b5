package lead

import (
	"context"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// proposals is how many free slots a buyer is offered at most.
const proposals = 3

// outcome is what the dealer says to the appointment of a lead.
type outcome struct {
	result aap.AppointmentResult
	// said is a sentence for the buyer.
	said string
	// booking is set exactly when the visit is confirmed.
	booking *Booking
}

// bookingOf is the booking as it is stored with the lead; nil when there is none.
func (o *outcome) bookingOf(r Record) *Booking {
	if o == nil || o.booking == nil {
		return nil
	}
	b := *o.booking
	b.Visit.LeadID, b.Visit.ExpiresAt = r.ID, r.ExpiresAt
	return &b
}

// appoint decides about the visit a lead asks for. Nobody but a free slot that
// is taken with the lead confirms; lost are slots that were free at the last
// look and taken when the lead was to be stored.
func (d *Desk) appoint(ctx context.Context, p *dealer.Profile, s *submission, f found, visitID string, lost [][]Span, now time.Time) outcome {
	asked := s.req.Appointment
	requested := outcome{
		result: aap.AppointmentResult{AppointmentID: visitID, Status: aap.AppointmentRequested},
		said:   nextStep(asked, s.visit, now),
	}
	policy := p.Leads.Appointments[asked.AppointmentType]
	wishes, minutes := wishesOf(s.sent, asked)
	if !policy.Decides(f.rooftop) || !comesHere(s.visit) || len(wishes) == 0 || minutes > longestVisit {
		return requested
	}
	c := calendar{
		Grid: Grid{f.rooftop, policy}, kind: asked.AppointmentType, store: d.Store, dealerID: p.ID, lost: slices.Concat(lost...), now: now,
		earliest: now.Add(policy.LeadTime.Std()), latest: now.Add(policy.Horizon.Std()),
	}
	c.slots = c.count(minutes)
	var claims []Claim
	var free []time.Time
	var err error
	if len(lost) < races {
		claims, err = c.fulfil(ctx, wishes)
	}
	if err == nil && claims == nil {
		free, err = c.propose(ctx, wishes)
	}
	switch zone := f.rooftop.Location(); {
	case err != nil:
		// The lead is worth more than the booking.
		d.log().WarnContext(ctx, "calendar not read, a visit is left to the dealer", "dealer_id", p.ID, "error", err)
		return requested
	case claims != nil:
		b := c.booking(claims, visitID)
		return outcome{
			result:  aap.AppointmentResult{AppointmentID: visitID, Status: aap.AppointmentConfirmed, ConfirmedAt: offsetTime(b.Visit.Start, zone)},
			said:    "The " + visitWords(s.visit) + " is booked for " + spokenTime(b.Visit.Start, zone) + ".",
			booking: b,
		}
	case len(free) > 0:
		out := outcome{
			result: aap.AppointmentResult{AppointmentID: visitID, Status: aap.AppointmentProposed},
			said: "The " + visitWords(s.visit) + " is not booked, because the time asked for is not free; nearest to it is " + spokenTime(free[0], zone) +
				". To book one of the proposed times, submit the lead again with it.",
		}
		for _, at := range free {
			out.result.ProposedTimes = append(out.result.ProposedTimes, offsetTime(at, zone))
		}
		return out
	}
	return requested
}

// calendar is one look at the slots of a rooftop for one visit.
type calendar struct {
	Grid
	kind     string
	store    Calendar
	dealerID string
	// slots is how many the visit takes in a row.
	slots int
	lost  []Span
	now   time.Time
	// A visit begins at earliest or later, and not after latest.
	earliest, latest time.Time
}

// fulfil claims the first free slots that are what the buyer wants; nil when
// there are none.
func (c calendar) fulfil(ctx context.Context, wishes []wish) ([]Claim, error) {
	for _, w := range wishes {
		to := w.from
		if !w.until.IsZero() {
			to = w.until
		}
		if runs := c.within(w.from, to); len(runs) > 0 {
			b, err := c.book(ctx, runs)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				if !w.until.IsZero() && run[len(run)-1].End.After(w.until) {
					continue
				}
				if b.free(run) {
					return b.claim(run), nil
				}
			}
		}
	}
	return nil, nil
}

// propose finds the free slots nearest to the first time asked for that the
// dealer can think of at all; none when there is no such time.
func (c calendar) propose(ctx context.Context, wishes []wish) ([]time.Time, error) {
	at := slices.IndexFunc(wishes, func(w wish) bool {
		return !w.from.After(c.latest) && (!w.from.Before(c.now) || w.until.After(c.now))
	})
	if at < 0 {
		return nil, nil
	}
	wanted := wishes[at].from
	for _, radius := range []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 31 * 24 * time.Hour, 400 * 24 * time.Hour} {
		runs := c.within(wanted.Add(-radius), wanted.Add(radius))
		b, err := c.book(ctx, runs)
		if err != nil {
			return nil, err
		}
		var free []time.Time
		for _, run := range runs {
			if b.free(run) {
				free = append(free, run[0].Start)
			}
		}
		if wide := !wanted.Add(-radius).After(c.earliest) && !wanted.Add(radius).Before(c.latest); len(free) >= proposals || wide {
			return nearest(free, wanted, proposals), nil
		}
	}
	return nil, nil
}

// within lists what may be booked from from until to.
func (c calendar) within(from, to time.Time) [][]Span {
	if from.Before(c.earliest) {
		from = c.earliest
	}
	if to.After(c.latest) {
		to = c.latest
	}
	if to.Before(from) {
		return nil
	}
	return c.Runs(from, to, c.slots)
}

// book reads what is taken during the runs.
func (c calendar) book(ctx context.Context, runs [][]Span) (book, error) {
	b := book{capacity: c.Policy.Capacity, lost: c.lost}
	if len(runs) == 0 {
		return b, nil
	}
	last := runs[len(runs)-1]
	var err error
	b.taken, err = c.store.Slots(ctx, c.dealerID, c.Rooftop.Name, c.kind, runs[0][0].Start, last[len(last)-1].End, c.now)
	for _, slot := range b.taken {
		b.longest = max(b.longest, slot.End.Sub(slot.Start))
	}
	return b, err
}

// booking is the visit that takes the claims.
func (c calendar) booking(claims []Claim, visitID string) *Booking {
	v := Visit{AppointmentID: visitID, Rooftop: c.Rooftop.Name, Type: c.kind, State: Booked, Version: 1}
	v.at(claims)
	v.History = []VisitChange{{At: c.now.UTC().Truncate(time.Second), What: Booked, By: ByBuyer, Start: v.Start}}
	return &Booking{Visit: v, Claims: claims}
}

// at sets the time of the visit.
func (v *Visit) at(claims []Claim) {
	v.Slots = nil
	for _, c := range claims {
		v.Slots = append(v.Slots, c.Span)
	}
	v.Span = Span{claims[0].Start, claims[len(claims)-1].End}
}

// offsetTime writes a time as the rooftop's clock shows it.
func offsetTime(at time.Time, zone *time.Location) string {
	return at.In(zone).Format(time.RFC3339)
}

// spokenTime is a time in words, such as Sunday, May 3, 2026 at 11:00 AM
// (America/Los_Angeles).
func spokenTime(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("Monday, January 2, 2006 at 3:04 PM") + " (" + zone.String() + ")"
}
