package lead

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Desk takes leads. It is safe for concurrent use, also by several processes
// on one store.
type Desk struct {
	Store Store
	Queue Queue
	// Stock looks up the vehicle of interest. Nil: nothing is looked up.
	Stock Stock
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
	// NewID makes lead and appointment ids, which must be unguessable. Nil: UUIDv7.
	NewID func() string
	// Log is told of faults, by lead id only. Nil: nobody is.
	Log *slog.Logger
	// OnSubmit, when set, is told of each lead that Submit answered.
	OnSubmit func(context.Context, Submitted)
}

// The policy of a profile that leaves a duration at zero.
const (
	defaultDuplicateWindow = 24 * time.Hour
	defaultIdempotencyTTL  = 7 * 24 * time.Hour
	minIdempotencyTTL      = 24 * time.Hour
	defaultRetention       = 2 * 365 * 24 * time.Hour
)

const (
	// attempts bounds how often Submit starts over when what blocked a lead is
	// gone by the time it is read.
	attempts = 4
	// races bounds how often the slots of a lead may be lost to others; after
	// that nothing is booked.
	races = 4
)

// Submit takes a payload that fits the lead.submit request schema of v. The
// checks run in this order: idempotency key, consent, channels, duplicate,
// vehicle, appointment; then the lead is stored whole and queued for delivery.
// A key that is known gets its first answer again, word for word, even when
// the consent has expired since; that the lead is a duplicate is such an
// answer too. A refusal binds no key.
//
// An *aap.Error is the buyer's to mend; any other error means that nothing was
// acknowledged and the buyer may send the same again. Once the lead is stored
// the answer is a success: a lead that could not be queued waits in the outbox.
func (d *Desk) Submit(ctx context.Context, p *dealer.Profile, v aap.Version, payload []byte) (aap.Reply, error) {
	now := d.now()
	s, err := read(p, v, payload)
	if err != nil {
		return aap.Reply{}, err
	}
	reply, known, err := d.known(ctx, s, now)
	if known || err != nil {
		return d.submitted(ctx, reply, true, err)
	}
	if e := CheckConsent(s.req.Consent, p.Leads.ConsentMaxAge.Std(), now); e != nil {
		return aap.Reply{}, e
	}
	if e := checkChannels(s.req.Customer, s.req.Consent); e != nil {
		return aap.Reply{}, e
	}
	var lost [][]Span
	var instead string
	for try := 0; try < attempts; {
		reply, instead, known, err = d.duplicate(ctx, p, s, now)
		if known || err != nil {
			return d.submitted(ctx, reply, false, err)
		}
		entry, err := d.entry(ctx, p, v, s, lost, now)
		if err != nil {
			return aap.Reply{}, err
		}
		entry.Instead = instead
		err = d.Store.Create(ctx, entry, now)
		if err == nil {
			d.handOver(ctx, p.ID, entry.Record.ID)
			return d.submitted(ctx, entry.Record.Answer.reply(), false, nil)
		}
		if errors.Is(err, ErrSlotTaken) {
			// Another buyer was first; what is left is decided anew.
			lost = append(lost, entry.Booking.Visit.Slots)
			continue
		}
		try++
		if !errors.Is(err, ErrKeyTaken) && !errors.Is(err, ErrDuplicate) {
			return aap.Reply{}, fmt.Errorf("storing the lead: %w", err)
		}
		// A parallel request was first; its key or digest is now readable.
		reply, known, err = d.known(ctx, s, now)
		if known || err != nil {
			return d.submitted(ctx, reply, true, err)
		}
	}
	return aap.Reply{}, errors.New("storing the lead: the key changes hands too fast")
}

// submission is a payload in the forms the checks need.
type submission struct {
	dealerID string
	payload  []byte
	req      aap.LeadRequest
	// equal and poorer are the duplicate keys.
	equal  string
	poorer []string
	// sent is the payload as it came, and visit the kind of visit in its words.
	sent  any
	visit string
	// digest and asked are those of Key, set when the request carries a key.
	digest, asked string
}

// read decodes the payload as the primary contract has it. Leads are equal
// whatever contracts they came under; a key belongs to the payload as it came.
func read(p *dealer.Profile, v aap.Version, payload []byte) (*submission, error) {
	s := &submission{dealerID: p.ID, payload: payload}
	primary, err := wire.Up(v, aap.LeadSubmit, payload)
	if err != nil {
		return nil, err
	}
	if err := unmarshal(primary, &s.req); err != nil {
		return nil, err
	}
	value, err := decode(primary)
	if err != nil {
		return nil, err
	}
	doc, _ := value.(map[string]any)
	sent := value
	if v != aap.Primary() {
		if sent, err = decode(payload); err != nil {
			return nil, err
		}
	}
	s.sent, s.visit = sent, visitOf(sent)
	s.equal, s.poorer = equals(p.ID, &s.req, doc, s.visit)
	if s.req.IdempotencyKey != "" {
		s.digest, s.asked = digest(sent), digest(ungranted(sent))
	}
	return s, nil
}

// visitOf is the kind of visit a payload asks for, in its own words.
func visitOf(sent any) string {
	doc, _ := sent.(map[string]any)
	visit, _ := doc["appointment"].(map[string]any)
	kind, _ := visit["appointment_type"].(string)
	return kind
}

// known finds the answer that the request's idempotency key already has;
// IDEMPOTENCY_CONFLICT when the key came with another payload.
func (d *Desk) known(ctx context.Context, s *submission, now time.Time) (aap.Reply, bool, error) {
	if s.req.IdempotencyKey == "" {
		return aap.Reply{}, false, nil
	}
	key, err := d.Store.ByKey(ctx, s.dealerID, s.req.IdempotencyKey, now)
	switch {
	case errors.Is(err, ErrNotFound):
		return aap.Reply{}, false, nil
	case err != nil:
		return aap.Reply{}, false, fmt.Errorf("reading the idempotency key: %w", err)
	case key.Digest != s.digest:
		return aap.Reply{}, false, aap.Errorf(aap.IdempotencyConflict,
			"This idempotency_key already belongs to a lead with another payload. Send a new key with a new or changed lead; repeat a lead with every member unchanged, submitted_at included.")
	}
	first, err := d.Store.Load(ctx, s.dealerID, key.LeadID, now)
	if errors.Is(err, ErrNotFound) {
		return aap.Reply{}, false, nil // it is being erased, and its key with it
	}
	if err != nil {
		return aap.Reply{}, false, fmt.Errorf("loading lead %s for its repeat: %w", key.LeadID, err)
	}
	d.nudge(ctx, first)
	return key.told(first).reply(), true, nil
}

// entry is all that is stored of the submission.
func (d *Desk) entry(ctx context.Context, p *dealer.Profile, v aap.Version, s *submission, lost [][]Span, now time.Time) (Entry, error) {
	f, err := d.match(ctx, p, &s.req)
	if err != nil {
		return Entry{}, err
	}
	r := Record{
		ID: d.newID(), DealerID: p.ID, ReceivedAt: now, Version: v.Label, Request: s.payload,
		Listing: f.listing, ExpiresAt: now.Add(orDefault(p.Leads.Retention, defaultRetention)),
	}
	if f.rooftop != nil {
		r.Rooftop = f.rooftop.Name
	}
	var visit *outcome
	if s.req.Appointment != nil {
		o := d.appoint(ctx, p, s, f, d.newID(), lost, now)
		visit = &o
	}
	if r.Answer, err = accept(r.ID, &s.req, p, f, visit); err != nil {
		return Entry{}, err
	}
	e := Entry{
		Record: r, Equal: s.equal, Poorer: s.poorer, Booking: visit.bookingOf(r),
		EqualsUntil: sooner(now.Add(orDefault(p.Leads.DuplicateWindow, defaultDuplicateWindow)), r.ExpiresAt),
	}
	e.Key = s.key(p, r, now)
	return e, nil
}

// key binds the request's idempotency key to the lead; nil when it has none.
func (s *submission) key(p *dealer.Profile, r Record, now time.Time) *Key {
	if s.req.IdempotencyKey == "" {
		return nil
	}
	ttl := max(orDefault(p.Leads.IdempotencyTTL, defaultIdempotencyTTL), minIdempotencyTTL)
	return &Key{
		Value: s.req.IdempotencyKey, Digest: s.digest, Asked: s.asked, LeadID: r.ID,
		// A key without its lead could not be answered.
		ExpiresAt: sooner(now.Add(ttl), r.ExpiresAt),
	}
}

func orDefault(d dealer.Duration, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d.Std()
}

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (d *Desk) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

func (d *Desk) newID() string {
	if d.NewID == nil {
		return uuid.Must(uuid.NewV7()).String()
	}
	return d.NewID()
}

func (d *Desk) log() *slog.Logger {
	if d.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Log
}
