// Package faults breaks everything between a buyer's request and the dealer's
// CRM, at random and again and again, and then counts documents: what was
// acknowledged was delivered, and nothing twice without a reason.
package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// moment says when an operation breaks.
type moment int

const (
	healthy moment = iota
	before         // nothing happened
	after          // it happened, and the answer was lost
)

// dice decides which operations break; a seed makes a run repeatable but for
// the order of goroutines.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
	// share of the operations that break, half of them after their effect.
	share float64
}

func newDice(seed uint64, share float64) *dice {
	return &dice{random: rand.New(rand.NewPCG(seed, seed)), share: share}
}

func (d *dice) float() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.Float64()
}

func (d *dice) moment() moment {
	switch x := d.float(); {
	case x < d.share/2:
		return before
	case x < d.share:
		return after
	}
	return healthy
}

var errBroken = errors.New("connection reset")

func broken[T any](d *dice, do func() (T, error)) (T, error) {
	var zero T
	switch d.moment() {
	case before:
		return zero, errBroken
	case after:
		_, _ = do()
		return zero, errBroken
	}
	return do()
}

func brokenErr(d *dice, do func() error) error {
	_, err := broken(d, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// flakyStore is a lead.Store whose operations break.
type flakyStore struct {
	lead.Store
	dice *dice
}

func (f flakyStore) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	return brokenErr(f.dice, func() error { return f.Store.Create(ctx, e, now) })
}

func (f flakyStore) ByKey(ctx context.Context, dealerID, key string, now time.Time) (lead.Key, error) {
	return broken(f.dice, func() (lead.Key, error) { return f.Store.ByKey(ctx, dealerID, key, now) })
}

func (f flakyStore) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	return broken(f.dice, func() (lead.Record, error) { return f.Store.Load(ctx, dealerID, leadID, now) })
}

func (f flakyStore) Enqueued(ctx context.Context, dealerID, leadID string) error {
	return brokenErr(f.dice, func() error { return f.Store.Enqueued(ctx, dealerID, leadID) })
}

func (f flakyStore) Outbox(ctx context.Context, dealerID string, until time.Time, limit int) ([]string, error) {
	return broken(f.dice, func() ([]string, error) { return f.Store.Outbox(ctx, dealerID, until, limit) })
}

func (f flakyStore) Deliveries(ctx context.Context, dealerID, leadID string) ([]lead.Delivery, error) {
	return broken(f.dice, func() ([]lead.Delivery, error) { return f.Store.Deliveries(ctx, dealerID, leadID) })
}

func (f flakyStore) Story(ctx context.Context, dealerID, leadID string) ([]lead.Event, error) {
	return broken(f.dice, func() ([]lead.Event, error) { return f.Store.Story(ctx, dealerID, leadID) })
}

func (f flakyStore) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	return broken(f.dice, func() (lead.Delivery, error) { return f.Store.UpdateDelivery(ctx, dealerID, leadID, d) })
}

// flakyQueue is a lead.Queue whose operations break.
type flakyQueue struct {
	lead.Queue
	dice *dice
}

func (f flakyQueue) Enqueue(ctx context.Context, leadID string) error {
	return brokenErr(f.dice, func() error { return f.Queue.Enqueue(ctx, leadID) })
}
