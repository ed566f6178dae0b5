package lead

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
)

var (
	// ErrNotFound: no such lead, key or state.
	ErrNotFound = errors.New("lead not found")
	// ErrKeyTaken: the idempotency key has its answer already.
	ErrKeyTaken = errors.New("idempotency key is taken")
	// ErrDuplicate: an earlier lead within the duplicate window asks for the
	// same and brings all the contact data and channels of this one.
	ErrDuplicate = errors.New("equal lead within the window")
	// ErrConflict: the delivery state is not the expected one.
	ErrConflict = errors.New("delivery state changed meanwhile")
)

// Record is one accepted lead as it is kept. Request is the payload exactly as
// the buyer sent it and holds the full consent: the audit record.
type Record struct {
	ID         string          `json:"id"`
	DealerID   string          `json:"dealer_id"`
	ReceivedAt time.Time       `json:"received_at"`
	Version    string          `json:"version"`
	Request    json.RawMessage `json:"request"`
	// Listing is the dealer's own unit the lead is about, when one matched.
	Listing *aap.Vehicle `json:"listing,omitempty"`
	// Rooftop is the selling location by name.
	Rooftop string `json:"rooftop"`
	// Answer is what the buyer was told; a replay returns it unchanged.
	Answer Answer `json:"answer"`
	// ExpiresAt ends retention; readers treat an expired record as absent.
	ExpiresAt time.Time `json:"expires_at"`
}

// Primary is the request in the form of the primary contract; for one that
// came so, the bytes as they came.
func (r Record) Primary() ([]byte, error) { return r.PrimaryOn(nil) }

// PrimaryOn is Primary for readers at the dealer's: times that it tells in
// words, since the primary contract has no place for them, are on their clock.
func (r Record) PrimaryOn(clock *time.Location) ([]byte, error) {
	v, ok := aap.VersionByLabel(r.Version)
	if !ok {
		v = aap.Primary()
	}
	return wire.UpWith(v, aap.LeadSubmit, r.Request, wire.Context{Clock: clock})
}

// Lead is the request decoded, whichever contract it came under. What only
// that contract has a place for stays in Request. An error may quote the buyer.
func (r Record) Lead() (aap.LeadRequest, error) {
	var req aap.LeadRequest
	primary, err := r.Primary()
	if err == nil {
		err = json.Unmarshal(primary, &req)
	}
	return req, err
}

// Answer is a stored response: data and message as first sent, in the form of
// the primary contract.
type Answer struct {
	Data    json.RawMessage `json:"data"`
	Message string          `json:"message,omitempty"`
}

// Key binds an idempotency key to the payload it came with.
type Key struct {
	Value string
	// Digest identifies the payload: hex SHA-256 of its canonical JSON.
	Digest string
	// Asked is such a digest of the payload without the time of its grant: a
	// consent that this agent asks for again bears another one.
	Asked string
	// LeadID is the lead that the answer is about.
	LeadID string
	// Answer is what the request with this key was told when that was not the
	// answer of its lead: that the lead is a duplicate. Nil: the lead's answer.
	Answer    *Answer
	ExpiresAt time.Time
}

// told is the answer of the key, given that of its lead.
func (k Key) told(first Record) Answer {
	if k.Answer != nil {
		return *k.Answer
	}
	return first.Answer
}

// Entry is everything that Create writes in one transaction.
type Entry struct {
	Record Record
	// Key is nil when the request carried none.
	Key *Key
	// Equal is the duplicate key of the lead: a hex digest, without personal
	// data, of what it asks for, its contact data and its channels. Empty: none.
	Equal string
	// Poorer are the duplicate keys of the leads that ask for the same and
	// bring less: after this one each of them is a duplicate.
	Poorer []string
	// EqualsUntil ends the duplicate window of all these keys.
	EqualsUntil time.Time
	// Instead is the lead that Equal may stand for all the same, because it
	// is being erased, or its consent does not cover any more what this one's
	// does. Empty: none.
	Instead string
	// Booking is the visit that is booked with the lead; nil: none is.
	Booking *Booking
}

// Delivery is how far one target of one lead has come.
type Delivery struct {
	Target string `json:"target"`
	// State is queued, retrying, handed_over, failed or withheld.
	State string `json:"state"`
	// Attempts counts the hand-over attempts that were begun.
	Attempts int `json:"attempts"`
	// Begun is true from before an attempt until its outcome is written: an
	// attempt that finds it set marks its document as a resend.
	Begun     bool      `json:"begun,omitempty"`
	Receipt   string    `json:"receipt,omitempty"`
	LastError string    `json:"last_error,omitempty"`
	UpdatedAt time.Time `json:"updated_at"`
	// FirstAttempt and LastAttempt are when attempts were begun; zero: none was.
	FirstAttempt time.Time `json:"first_attempt,omitzero"`
	LastAttempt  time.Time `json:"last_attempt,omitzero"`
	// NextAttempt is before when no further attempt is planned; zero when none
	// is planned or nobody knows.
	NextAttempt time.Time `json:"next_attempt,omitzero"`
	// Token is the writer's own, so that a write whose answer was lost can be
	// told from an equal one by somebody else.
	Token string `json:"token,omitempty"`
	// Version grows with each write and is what UpdateDelivery compares.
	Version int64 `json:"version"`
}

// Delivery states. None claims more than the transport said.
const (
	Queued     = "queued"
	Retrying   = "retrying"
	HandedOver = "handed_over"
	Failed     = "failed"
	Withheld   = "withheld"
)

// Store keeps leads. Implementations are safe for concurrent use by several
// processes; times are compared with the now that is passed in, and what has
// expired is treated as absent even while it is still stored. On return of a
// write it is durable. Errors other than the sentinels are temporary.
type Store interface {
	Calendar
	// Create stores the entry whole or not at all. ErrKeyTaken when the
	// unexpired key exists (checked first), ErrDuplicate when Equal stands
	// unexpired for a lead other than Instead, ErrSlotTaken when a slot of the visit has no room (checked
	// last); nothing is written then. Equal and Poorer stand for this lead
	// from then on, whatever Poorer stood for before. The lead also enters the
	// outbox until Enqueued is called.
	Create(ctx context.Context, e Entry, now time.Time) error
	// Bind stores one more key of a stored lead, with an answer of its own. It
	// is atomic, also against Create and Erase: ErrKeyTaken when an unexpired key
	// of that value exists, whatever it holds, and ErrNotFound when the lead is
	// not stored; nothing is written then.
	Bind(ctx context.Context, dealerID string, k Key, now time.Time) error
	// ByKey returns the unexpired idempotency key, or ErrNotFound.
	ByKey(ctx context.Context, dealerID, key string, now time.Time) (Key, error)
	// ByEqual returns the id of the lead that the unexpired duplicate key
	// stands for, or ErrNotFound.
	ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (string, error)
	// Load returns the unexpired record, or ErrNotFound.
	Load(ctx context.Context, dealerID, leadID string, now time.Time) (Record, error)
	// Enqueued takes the lead out of the outbox; unknown leads are no error.
	Enqueued(ctx context.Context, dealerID, leadID string) error
	// Outbox lists up to limit leads received before the given time that were
	// not marked Enqueued, oldest first.
	Outbox(ctx context.Context, dealerID string, before time.Time, limit int) ([]string, error)
	// Deliveries returns the delivery states of a lead in the order of their
	// target names; none is no error.
	Deliveries(ctx context.Context, dealerID, leadID string) ([]Delivery, error)
	// UpdateDelivery writes d when the stored version is d.Version (0: none
	// stored) and returns d with its version raised; else ErrConflict. A lead
	// that is not stored, or no longer, gets no state: ErrNotFound or, for a
	// version above 0, ErrConflict.
	UpdateDelivery(ctx context.Context, dealerID, leadID string, d Delivery) (Delivery, error)
	// List returns up to limit unexpired records received before the given
	// time, newest first.
	List(ctx context.Context, dealerID string, before time.Time, limit int, now time.Time) ([]Record, error)
	// Note adds an event to the story of a stored lead, once for each id;
	// ErrNotFound when there is no such lead.
	Note(ctx context.Context, dealerID, leadID string, e Event) error
	// Story returns the events of a lead, oldest first; none is no error.
	Story(ctx context.Context, dealerID, leadID string) ([]Event, error)
	// Erase removes all that is stored of the leads, wherever it stands: the
	// records, their deliveries and stories, every key bound to them, their
	// duplicate keys and places in lists and in the outbox; and writes the audit
	// entry. Unknown leads are no error. From its return on nothing written
	// about them succeeds, and the same submission makes a new lead. An Erase
	// that is cut short leaves no record readable whose other parts are gone,
	// and the next one finishes it, whatever leads that is for.
	Erase(ctx context.Context, dealerID string, leadIDs []string, a Audit) error
	// Audit writes an entry of the dealer's account, once for each id.
	Audit(ctx context.Context, dealerID string, a Audit) error
	// Audits returns the account, oldest first.
	Audits(ctx context.Context, dealerID string) ([]Audit, error)
}

// Queue hands lead ids to the delivery worker, at least once each. It carries
// the id only, never personal data.
type Queue interface {
	// Enqueue returns when the id is durably queued.
	Enqueue(ctx context.Context, leadID string) error
}
