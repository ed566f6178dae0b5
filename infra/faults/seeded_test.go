package faults

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// taken out of the outbox with its storing: before it is queued.
type forgetfulOutbox struct{ lead.Store }

func (s forgetfulOutbox) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	err := s.Store.Create(ctx, e, now)
	if err == nil {
		_ = s.Enqueued(ctx, e.Record.DealerID, e.Record.ID)
	}
	return err
}

// acknowledged although one in twenty is not stored: queued before recorded.
type hasty struct {
	lead.Store
	storm *storm
}

func (s hasty) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	if s.storm.strikes(20) {
		return nil
	}
	return s.Store.Create(ctx, e, now)
}

// handed over before anything was sent, and nothing else believed.
type boastful struct{ lead.Store }

func (s boastful) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	if d.Begun && d.LastError == "" {
		d.State, d.Begun = lead.HandedOver, false
	} else if d.State == lead.Retrying {
		d.Version++
		return d, nil
	}
	return s.Store.UpdateDelivery(ctx, dealerID, leadID, d)
}

// that an attempt was begun is not kept.
type unmarking struct{ lead.Store }

func (s unmarking) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	d.Begun = false
	return s.Store.UpdateDelivery(ctx, dealerID, leadID, d)
}

// neither keys nor digests are stored with the lead.
type keyless struct{ lead.Store }

func (s keyless) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	e.Key, e.Equal, e.Poorer = nil, "", nil
	return s.Store.Create(ctx, e, now)
}

// what was handed over stays queued and is sent again.
type unbelieving struct {
	lead.Store
	storm *storm
}

func (s unbelieving) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	if d.State == lead.HandedOver && s.storm.strikes(10) {
		d.State, d.Begun, d.LastError = lead.Retrying, true, "seeded"
		_, _ = s.Store.UpdateDelivery(ctx, dealerID, leadID, d)
		return lead.Delivery{}, errDown
	}
	return s.Store.UpdateDelivery(ctx, dealerID, leadID, d)
}

// TestTheLedgerFindsEachMistakeThatWasMadeOnPurpose shows that the other tests
// of this package can fail.
func TestTheLedgerFindsEachMistakeThatWasMadeOnPurpose(t *testing.T) {
	once := func(handle func(context.Context, string) error) func(context.Context, string) error {
		return func(ctx context.Context, id string) error {
			_ = handle(ctx, id)
			return nil
		}
	}
	for _, tt := range []struct {
		mistake string
		kind    string
		leads   int
		bug     func(*storm) bug
	}{
		{"a lead is acknowledged before it is stored", lost, 200, func(s *storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return hasty{store, s} }}
		}},
		{"a lead leaves the outbox before it is queued", lost, 500, func(*storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return forgetfulOutbox{store} }}
		}},
		{"the outbox is never swept", lost, 500, func(*storm) bug { return bug{noSweep: true} }},
		{"a lead is handed over before it is sent", lost, 200, func(*storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return boastful{store} }}
		}},
		{"a message is done with its first attempt", lost, 200, func(*storm) bug { return bug{handle: once} }},
		{"an attempt is not known to have begun", unmarked, 200, func(*storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return unmarking{store} }}
		}},
		{"keys and digests are not stored", twoLeads, 200, func(*storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return keyless{store} }}
		}},
		{"a confirmed lead is sent again", doubled, 200, func(s *storm) bug {
			return bug{store: func(store lead.Store) lead.Store { return unbelieving{store, s} }}
		}},
	} {
		t.Run(tt.mistake, func(t *testing.T) {
			t.Parallel()
			s := openSite(t, tt.bug(newStorm(t)))
			s.weather(tt.leads)
			s.settle(t)
			faults := s.ledger.audit()
			if !slices.ContainsFunc(faults, func(f fault) bool { return f.kind == tt.kind }) {
				t.Errorf("the ledger finds nothing of the kind %q among %d faults: %+v", tt.kind, len(faults), faults)
			}
		})
	}
}
