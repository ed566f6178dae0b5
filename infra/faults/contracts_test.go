package faults

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

// once is how seldom a single store or queue operation breaks.
const once = 25

// stormy is a store whose operations break before or after their commit.
type stormy struct {
	lead.Store
	storm *storm
}

func (s stormy) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	return leadtest.BrokenErr(s.storm.breaks(once), func() error { return s.Store.Create(ctx, e, now) })
}

func (s stormy) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	return leadtest.BrokenErr(s.storm.breaks(once), func() error { return s.Store.Bind(ctx, dealerID, k, now) })
}

func (s stormy) ByKey(ctx context.Context, dealerID, key string, now time.Time) (lead.Key, error) {
	return leadtest.Broken(s.storm.breaks(once), func() (lead.Key, error) { return s.Store.ByKey(ctx, dealerID, key, now) })
}

func (s stormy) ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (string, error) {
	return leadtest.Broken(s.storm.breaks(once), func() (string, error) { return s.Store.ByEqual(ctx, dealerID, equal, now) })
}

func (s stormy) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	return leadtest.Broken(s.storm.breaks(once), func() (lead.Record, error) { return s.Store.Load(ctx, dealerID, leadID, now) })
}

func (s stormy) Enqueued(ctx context.Context, dealerID, leadID string) error {
	return leadtest.BrokenErr(s.storm.breaks(once), func() error { return s.Store.Enqueued(ctx, dealerID, leadID) })
}

func (s stormy) Outbox(ctx context.Context, dealerID string, before time.Time, limit int) ([]string, error) {
	return leadtest.Broken(s.storm.breaks(once), func() ([]string, error) { return s.Store.Outbox(ctx, dealerID, before, limit) })
}

func (s stormy) Deliveries(ctx context.Context, dealerID, leadID string) ([]lead.Delivery, error) {
	return leadtest.Broken(s.storm.breaks(once), func() ([]lead.Delivery, error) { return s.Store.Deliveries(ctx, dealerID, leadID) })
}

func (s stormy) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	return leadtest.Broken(s.storm.breaks(once), func() (lead.Delivery, error) { return s.Store.UpdateDelivery(ctx, dealerID, leadID, d) })
}

func (s stormy) Story(ctx context.Context, dealerID, leadID string) ([]lead.Event, error) {
	return leadtest.Broken(s.storm.breaks(once), func() ([]lead.Event, error) { return s.Store.Story(ctx, dealerID, leadID) })
}

func (s stormy) Visit(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Visit, error) {
	return leadtest.Broken(s.storm.breaks(once), func() (lead.Visit, error) { return s.Store.Visit(ctx, dealerID, leadID, now) })
}

// stormyQueue breaks, enqueues twice, and is sent ids of no lead.
type stormyQueue struct {
	lead.Queue
	storm *storm
	bad   *atomic.Int64
}

// poison are messages that nobody's lead is behind.
var poison = []string{"no-such-lead", "0196a3f0-0000-7000-8000-000000000000", "../../etc/passwd", "{\"lead_id\":1}", "a\x00b", "\xff\xfe", " "}

func (q stormyQueue) Enqueue(ctx context.Context, leadID string) error {
	if q.storm.strikes(once) {
		_ = q.Queue.Enqueue(ctx, leadID)
	}
	if q.storm.strikes(once) {
		q.bad.Add(1)
		_ = q.Queue.Enqueue(ctx, poison[q.storm.roll(len(poison))])
	}
	return leadtest.BrokenErr(q.storm.breaks(once), func() error { return q.Queue.Enqueue(ctx, leadID) })
}

// struck is a worker's store that makes the worker die, as far as a handler
// can in a process that goes on: at any step, by a panic.
type struck struct {
	lead.Store
	storm *storm
	// died is told when an outcome died with the worker before it was written.
	died func(leadID, target string)
}

func (s struck) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	begins := d.Begun && d.LastError == ""
	switch m := s.storm.breaks(4 * once); m {
	case before:
		if !begins {
			s.died(leadID, d.Target)
		}
		panic(fmt.Sprintf("killed before the write of lead %s", leadID))
	case after:
		if _, err := s.Store.UpdateDelivery(ctx, dealerID, leadID, d); err != nil && !begins {
			s.died(leadID, d.Target)
		}
		panic(fmt.Sprintf("killed after the write of lead %s", leadID))
	}
	return s.Store.UpdateDelivery(ctx, dealerID, leadID, d)
}
