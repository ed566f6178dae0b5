package lead

import (
	"context"
	"errors"
	"time"
)

// ErrSlotTaken: a slot has no room for one more visit.
var ErrSlotTaken = errors.New("appointment slot is taken")

// MaxSlot is how long a slot may last at most.
const MaxSlot = 12 * time.Hour

// SlotKept is how long after its end a slot is remembered, so that a clock
// that is set back does not find it free.
const SlotKept = 7 * 24 * time.Hour

// Span is a time from Start until End, which is not part of it; whole seconds.
type Span struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Equal reports whether both begin and end at the same instants.
func (s Span) Equal(t Span) bool { return s.Start.Equal(t.Start) && s.End.Equal(t.End) }

// Overlaps reports whether the two have an instant in common.
func (s Span) Overlaps(t Span) bool { return s.Start.Before(t.End) && t.Start.Before(s.End) }

// Slot is a time at one rooftop for one kind of visit, as it is taken.
type Slot struct {
	Span
	// Leads are those that visit then, by id, in the order of their ids.
	Leads []string
}

// Claim asks for room in a slot, which lasts MaxSlot at most.
type Claim struct {
	Span
	// Room is how many visits the slot may hold, this one among them: 1 or more.
	Room int
}

// Booking is the visit of a new lead with the slots it takes.
type Booking struct {
	Visit  Visit
	Claims []Claim
}

// Calendar keeps visits and the slots they take. It is part of a Store: a
// visit begins with the Create of its lead and ends with its lead. Slots of
// different rooftops and types know nothing of each other; nor do those of one
// rooftop and type that differ in start or end. What Store says of times and errors holds here too.
type Calendar interface {
	// Slots lists what is taken of a rooftop and type and overlaps the time
	// from from until to, by start and then end. Slots without visits are left out.
	Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]Slot, error)
	// Visit returns the visit of a lead, or ErrNotFound.
	Visit(ctx context.Context, dealerID, leadID string, now time.Time) (Visit, error)
	// Visits lists up to limit visits, cancelled ones too, that start at from
	// or later and before to, by start and then lead id.
	Visits(ctx context.Context, dealerID string, from, to time.Time, limit int, now time.Time) ([]Visit, error)
	// UpdateVisit writes v when the stored version is v.Version, and returns v
	// with its version raised. Claims say how much room the slots of v have
	// that the stored visit did not hold; those that v does not hold any more are freed. All or
	// nothing: ErrConflict when the version is another, ErrSlotTaken when a
	// claim finds no room, ErrNotFound when there is no such visit.
	UpdateVisit(ctx context.Context, dealerID string, v Visit, claims []Claim, now time.Time) (Visit, error)
}
