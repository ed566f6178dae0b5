package lead_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

// restless is a store that lets others run before and after each operation.
type restless struct{ lead.Store }

func pause() {
	runtime.Gosched()
	if time.Now().UnixNano()&3 == 0 {
		time.Sleep(time.Microsecond)
	}
}

func (r restless) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	pause()
	defer pause()
	return r.Store.Create(ctx, e, now)
}

func (r restless) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	pause()
	defer pause()
	return r.Store.Bind(ctx, dealerID, k, now)
}

func (r restless) ByKey(ctx context.Context, dealerID, key string, now time.Time) (lead.Key, error) {
	pause()
	defer pause()
	return r.Store.ByKey(ctx, dealerID, key, now)
}

func (r restless) ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (string, error) {
	pause()
	defer pause()
	return r.Store.ByEqual(ctx, dealerID, equal, now)
}

// onBothStores runs a test with a store in memory and one on disk, and with a
// source of dealer ids that are used once each, so that the file is opened once.
func onBothStores(t *testing.T, test func(t *testing.T, open func() *shop)) {
	db, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, store := range map[string]lead.Store{"memory": leadtest.NewMemory(), "file": db.Leads()} {
		t.Run(name, func(t *testing.T) {
			n := 0
			test(t, func() *shop {
				s := openOn(restless{store})
				n++
				s.profile.ID = fmt.Sprintf("dealer-%d", n)
				return s
			})
		})
	}
}

func TestParallelRetriesMakeOneLeadAndEqualAnswers(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		rapid.Check(t, func(rt *rapid.T) { parallelRetries(rt, open()) })
	})
}

func parallelRetries(rt *rapid.T, s *shop) {
	// Callers with one key repeat each other; those with another key, or
	// none, send an equal lead.
	keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a", "a", "b", ""}), 2, 8).Draw(rt, "keys")
	answers := make([]taken, len(keys))
	errs := make([]error, len(keys))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, key := range keys {
		payload := baseLead().with("/appointment/appointment_type", "sales")
		if key != "" {
			payload.with("/idempotency_key", key)
		}
		body := payload.bytes()
		wg.Go(func() {
			<-start
			var reply aap.Reply
			if reply, errs[i] = s.submit(body); errs[i] == nil {
				answers[i] = readReply(rt, reply)
			}
		})
	}
	close(start)
	wg.Wait()
	all := s.leads(rt)
	if len(all) != 1 {
		rt.Fatalf("%d leads", len(all))
	}
	byKey := map[string]string{}
	fresh := 0
	for i, key := range keys {
		if errs[i] != nil {
			rt.Fatalf("caller %d: %v", i, errs[i])
		}
		if answers[i].LeadID != all[0].ID {
			rt.Fatalf("caller %d was told %s, stored is %s", i, answers[i].LeadID, all[0].ID)
		}
		if answers[i].Status == aap.LeadReceived {
			fresh++
		}
		if first, known := byKey[key]; known && key != "" && first != answers[i].raw {
			rt.Fatalf("key %s has two answers:\n%s\n%s", key, first, answers[i].raw)
		}
		byKey[key] = answers[i].raw
	}
	if fresh == 0 {
		rt.Fatalf("nobody was told that the lead is received")
	}
	if !slices.Contains(s.queue.queued(), all[0].ID) || len(s.outbox(rt)) != 0 {
		rt.Fatalf("queued %v, outbox %v", s.queue.queued(), s.outbox(rt))
	}
}

func TestParallelConflictingPayloadsHaveOneWinner(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		for range 50 {
			s := open()
			errs := make([]error, 8)
			var wg sync.WaitGroup
			for i := range errs {
				body := keyed("k").with("/trade_in/mileage", i).bytes()
				wg.Go(func() { _, errs[i] = s.submit(body) })
			}
			wg.Wait()
			won := 0
			for _, err := range errs {
				switch {
				case err == nil:
					won++
				case !errors.Is(err, &aap.Error{Code: aap.IdempotencyConflict}):
					t.Fatalf("loser: %v", err)
				}
			}
			if won != 1 || len(s.leads(t)) != 1 {
				t.Fatalf("%d winners, %d leads", won, len(s.leads(t)))
			}
		}
	})
}

func TestTwoBuyersOfOnePhoneAndMailMeet(t *testing.T) {
	// The first lead has both identities; the next two know one each.
	s := open()
	first := s.accept(t, baseLead().bytes())
	mail := s.accept(t, baseLead().without("/customer/phone").bytes())
	phone := s.accept(t, baseLead().without("/customer/email").without("/customer/preferred_contact").bytes())
	for _, got := range []taken{mail, phone} {
		if got.LeadID != first.LeadID || got.Status != aap.LeadDuplicate {
			t.Fatalf("answer is %s", got.raw)
		}
	}
}
