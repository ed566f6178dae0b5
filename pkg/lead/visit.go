package lead

import (
	"bytes"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Visit states. A visit that nobody booked is none: it is a wish in a lead.
const (
	Booked    = "booked"
	Cancelled = "cancelled"
)

// Visit is one booked appointment as it stands now. It holds nothing of the
// buyer but the id of the lead. Times are whole seconds in UTC.
type Visit struct {
	LeadID string `json:"lead_id"`
	// AppointmentID is the one that the buyer was told.
	AppointmentID string `json:"appointment_id"`
	// Rooftop is the name of the location, Type the AAP appointment type.
	Rooftop string `json:"rooftop"`
	Type    string `json:"type"`
	// Span is the time of the visit; Slots are those that it takes, none when it
	// is cancelled.
	Span
	Slots []Span `json:"slots,omitempty"`
	// State is booked or cancelled.
	State string `json:"state"`
	// History tells what happened, oldest first: the audit trail.
	History []VisitChange `json:"history"`
	// ExpiresAt is the end of the lead's retention.
	ExpiresAt time.Time `json:"expires_at"`
	// Version grows with each write and is what UpdateVisit compares.
	Version int64 `json:"version"`
}

// VisitChange is one line of a visit's history.
type VisitChange struct {
	At time.Time `json:"at"`
	// What is booked, moved or cancelled; By is buyer or dealer.
	What string `json:"what"`
	By   string `json:"by"`
	// Start is when the visit began from then on.
	Start time.Time `json:"start"`
}

// The words of a history.
const (
	Moved    = "moved"
	ByBuyer  = "buyer"
	ByDealer = "dealer"
)

// Booked reports whether the buyer was told that the visit is booked.
func (r Record) Booked() bool {
	return bytes.Contains(r.Answer.Data, []byte(`"status":"`+aap.AppointmentConfirmed+`"`))
}

// Clone shares no memory with v.
func (v Visit) Clone() Visit {
	v.Slots, v.History = slices.Clone(v.Slots), slices.Clone(v.History)
	return v
}

// Freed lists the slots that old took and v does not.
func (v Visit) Freed(old Visit) []Span { return without(old.Slots, v.Slots) }

// Gained lists the claims to slots that v takes and old did not.
func (v Visit) Gained(old Visit, claims []Claim) []Claim {
	gained := without(v.Slots, old.Slots)
	var out []Claim
	for _, c := range claims {
		if slices.ContainsFunc(gained, c.Span.Equal) {
			out = append(out, c)
		}
	}
	return out
}

func without(all, some []Span) []Span {
	var rest []Span
	for _, s := range all {
		if !slices.ContainsFunc(some, s.Equal) {
			rest = append(rest, s)
		}
	}
	return rest
}
