package lead_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

var errDown = leadtest.ErrDown

type moment = leadtest.Moment

const (
	healthy = leadtest.Healthy
	before  = leadtest.Before
	after   = leadtest.After
)

// flaky is a store and a queue whose operations break as breaks says.
type flaky struct {
	lead.Store
	queue  *queue
	breaks func(op string) moment
}

func (f *flaky) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	return leadtest.BrokenErr(f.breaks("Create"), func() error { return f.Store.Create(ctx, e, now) })
}

func (f *flaky) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	return leadtest.BrokenErr(f.breaks("Bind"), func() error { return f.Store.Bind(ctx, dealerID, k, now) })
}

func (f *flaky) ByKey(ctx context.Context, dealerID, key string, now time.Time) (lead.Key, error) {
	return leadtest.Broken(f.breaks("ByKey"), func() (lead.Key, error) { return f.Store.ByKey(ctx, dealerID, key, now) })
}

func (f *flaky) ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (string, error) {
	return leadtest.Broken(f.breaks("ByEqual"), func() (string, error) { return f.Store.ByEqual(ctx, dealerID, equal, now) })
}

func (f *flaky) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	return leadtest.Broken(f.breaks("Load"), func() (lead.Record, error) { return f.Store.Load(ctx, dealerID, leadID, now) })
}

func (f *flaky) Enqueued(ctx context.Context, dealerID, leadID string) error {
	return leadtest.BrokenErr(f.breaks("Enqueued"), func() error { return f.Store.Enqueued(ctx, dealerID, leadID) })
}

func (f *flaky) Outbox(ctx context.Context, dealerID string, until time.Time, limit int) ([]string, error) {
	return leadtest.Broken(f.breaks("Outbox"), func() ([]string, error) { return f.Store.Outbox(ctx, dealerID, until, limit) })
}

func (f *flaky) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]lead.Slot, error) {
	return leadtest.Broken(f.breaks("Slots"), func() ([]lead.Slot, error) { return f.Store.Slots(ctx, dealerID, rooftop, kind, from, to, now) })
}

func (f *flaky) Visit(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Visit, error) {
	return leadtest.Broken(f.breaks("Visit"), func() (lead.Visit, error) { return f.Store.Visit(ctx, dealerID, leadID, now) })
}

func (f *flaky) UpdateVisit(ctx context.Context, dealerID string, v lead.Visit, claims []lead.Claim, now time.Time) (lead.Visit, error) {
	return leadtest.Broken(f.breaks("UpdateVisit"), func() (lead.Visit, error) { return f.Store.UpdateVisit(ctx, dealerID, v, claims, now) })
}

func (f *flaky) Enqueue(ctx context.Context, leadID string) error {
	return leadtest.BrokenErr(f.breaks("Enqueue"), func() error { return f.queue.Enqueue(ctx, leadID) })
}

// openFlaky is a shop whose desk works through f; the shop's own store and
// queue stay healthy, for looking.
func openFlaky(breaks func(op string) moment) *shop {
	s := open()
	f := &flaky{Store: s.store, queue: s.queue, breaks: breaks}
	s.Store, s.Queue = f, f
	return s
}

func TestEverySingleFaultLeavesOneLeadThatIsQueued(t *testing.T) {
	for _, op := range []string{"Create", "ByKey", "ByEqual", "Load", "Enqueued", "Outbox", "Enqueue"} {
		for m, when := range map[moment]string{before: "before", after: "after"} {
			for _, key := range []string{"", "k"} {
				for call := 1; call <= 3; call++ {
					t.Run(fmt.Sprintf("%s breaks %s its effect, call %d, key %q", op, when, call, key), func(t *testing.T) {
						calls := 0
						s := openFlaky(func(o string) moment {
							if o == op {
								if calls++; calls == call {
									return m
								}
							}
							return healthy
						})
						payload := baseLead()
						if key != "" {
							payload.with("/idempotency_key", key)
						}
						s.untilOneLead(t, payload.bytes(), key != "", 4)
					})
				}
			}
		}
	}
}

// untilOneLead sends the payload times times, as a buyer does whose answers
// get lost, sweeps, and checks that one lead came of it.
func (s *shop) untilOneLead(t counter, payload []byte, keyed bool, times int) {
	t.Helper()
	var answers []taken
	for range times {
		reply, err := s.submit(payload)
		if err == nil {
			answers = append(answers, readReply(t, reply))
			continue
		}
		if _, public := errors.AsType[*aap.Error](err); public || !errors.Is(err, errDown) {
			t.Fatalf("a store's fault reached the buyer as %v", err)
		}
		if strings.Contains(err.Error(), "Maya") || strings.Contains(err.Error(), "example.com") {
			t.Fatalf("the error shows the buyer: %v", err)
		}
	}
	for range 50 {
		if _, err := s.Sweep(context.Background(), s.profile.ID); err == nil {
			break
		}
	}
	all := s.leads(t)
	if len(all) > 1 {
		t.Fatalf("%d leads", len(all))
	}
	for i, a := range answers {
		switch {
		case len(all) == 0 || a.LeadID != all[0].ID:
			t.Fatalf("acknowledged %s, stored %v", a.LeadID, all)
		case keyed && a.raw != answers[0].raw:
			t.Fatalf("answers differ:\n%s\n%s", a.raw, answers[0].raw)
		case i > 0 && !keyed && a.Status != aap.LeadDuplicate:
			t.Fatalf("answer %d is %s", i, a.raw)
		}
	}
	if len(all) == 1 && !slices.Contains(s.queue.queued(), all[0].ID) {
		t.Fatalf("lead %s was never queued", all[0].ID)
	}
	if rest := s.outbox(t); len(rest) != 0 {
		t.Fatalf("the outbox still holds %v", rest)
	}
}

func TestAnyRunOfFaultsLeavesOneLeadThatIsQueued(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		storm := rapid.SliceOfN(rapid.SampledFrom([]moment{healthy, healthy, before, after}), 0, 40).Draw(rt, "storm")
		key := rapid.SampledFrom([]string{"", "k"}).Draw(rt, "key")
		n := 0
		s := openFlaky(func(string) moment {
			if n++; n <= len(storm) {
				return storm[n-1]
			}
			return healthy
		})
		payload := baseLead()
		if key != "" {
			payload.with("/idempotency_key", key)
		}
		s.untilOneLead(rt, payload.bytes(), key != "", 45)
		if len(s.leads(rt)) != 1 {
			rt.Fatalf("no lead although the storm is over")
		}
	})
}
