package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// handOverTimeout bounds the queueing of a stored lead, which goes on when the
// buyer has hung up.
const handOverTimeout = 5 * time.Second

// batch is how much of the outbox is read at a time.
const batch = 100

// Replay returns the stored answer, be it that the lead is a duplicate, when
// payload repeats a lead whose idempotency key is known, and false for everything else. It changes nothing,
// so a caller over its quota can still be told what became of its lead; the
// payload need not have passed the schema.
func (d *Desk) Replay(ctx context.Context, p *dealer.Profile, payload []byte) (aap.Reply, bool, error) {
	var head struct {
		Type string `json:"type"`
		Key  string `json:"idempotency_key"`
	}
	if json.Unmarshal(payload, &head) != nil || head.Type != aap.LeadSubmit.RequestType() || head.Key == "" {
		return aap.Reply{}, false, nil
	}
	sum, err := Digest(payload)
	if err != nil {
		return aap.Reply{}, false, nil //nolint:nilerr // not a lead that can have been stored
	}
	key, first, err := d.bound(ctx, p, head.Key)
	if errors.Is(err, ErrNotFound) || err == nil && key.Digest != sum {
		return aap.Reply{}, false, nil
	}
	if err != nil {
		return aap.Reply{}, false, err
	}
	return key.told(first).reply(), true, nil
}

// bound finds what an idempotency key stands for; ErrNotFound when that is
// nothing, or a lead that is gone.
func (d *Desk) bound(ctx context.Context, p *dealer.Profile, value string) (Key, Record, error) {
	now := d.now()
	key, err := d.Store.ByKey(ctx, p.ID, value, now)
	if err != nil {
		return Key{}, Record{}, fmt.Errorf("reading the idempotency key: %w", err)
	}
	first, err := d.Store.Load(ctx, p.ID, key.LeadID, now)
	if err != nil {
		return Key{}, Record{}, fmt.Errorf("loading lead %s for its repeat: %w", key.LeadID, err)
	}
	return key, first, nil
}

// Sweep queues every lead the outbox still holds, whatever its age, and
// returns how many it queued. It goes on past single failures and returns them
// joined; what failed stays in the outbox. A lead that is being submitted at
// this moment may be queued twice, which the worker bears.
func (d *Desk) Sweep(ctx context.Context, dealerID string) (int, error) {
	// Clocks of several processes differ, and a demonstration's clock stands
	// still: no lead is too young.
	before := d.now().AddDate(100, 0, 0)
	queued := 0
	for {
		ids, err := d.Store.Outbox(ctx, dealerID, before, batch)
		if err != nil {
			return queued, fmt.Errorf("reading the outbox: %w", err)
		}
		var faults []error
		for _, id := range ids {
			if err := d.queue(ctx, dealerID, id); err != nil {
				faults = append(faults, err)
				continue
			}
			queued++
		}
		if len(faults) > 0 || len(ids) < batch {
			return queued, errors.Join(faults...)
		}
	}
}

// handOver queues a stored lead. A failure is logged and otherwise left to the
// outbox: the lead is safe and the buyer has been answered.
func (d *Desk) handOver(ctx context.Context, dealerID, leadID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverTimeout)
	defer cancel()
	if err := d.queue(ctx, dealerID, leadID); err != nil {
		d.log().ErrorContext(ctx, "lead waits in the outbox", "lead_id", leadID, "error", err)
	}
}

func (d *Desk) queue(ctx context.Context, dealerID, leadID string) error {
	if err := d.Queue.Enqueue(ctx, leadID); err != nil {
		return fmt.Errorf("queueing lead %s: %w", leadID, err)
	}
	if err := d.Store.Enqueued(ctx, dealerID, leadID); err != nil {
		return fmt.Errorf("taking lead %s out of the outbox: %w", leadID, err)
	}
	return nil
}

// nudge queues a repeated lead again when its first hand-over did not get
// through.
func (d *Desk) nudge(ctx context.Context, r Record) {
	ids, err := d.Store.Outbox(ctx, r.DealerID, r.ReceivedAt.Add(time.Second), batch)
	if err != nil {
		d.log().WarnContext(ctx, "outbox not read", "lead_id", r.ID, "error", err)
		return
	}
	if slices.Contains(ids, r.ID) {
		d.handOver(ctx, r.DealerID, r.ID)
	}
}
