package cloud

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Sweep queues the leads that were taken while the queue was out of reach. It
// is called on a schedule; its error makes the function fail, which alarms.
func Sweep(profiles dealer.Source, desk *lead.Desk, log *slog.Logger, metrics *Metrics) func(context.Context) error {
	return func(ctx context.Context) error {
		p, err := profiles.Profile(ctx)
		if err != nil {
			return fmt.Errorf("the outbox was not swept: %w", err)
		}
		n, err := desk.Sweep(ctx, p.ID)
		if n > 0 {
			log.WarnContext(ctx, "leads queued late", "leads", n)
			metrics.Leads(LeadQueuedLate, n)
		}
		metrics.LeadWaits(longestInOutbox(ctx, desk, p.ID))
		if err != nil {
			return fmt.Errorf("the outbox was not swept: %w", err)
		}
		return nil
	}
}

// longestInOutbox is how long the oldest lead that is still not queued has
// waited; zero when there is none. The ids of leads begin with their time and
// come in order (RFC 9562 UUIDv7).
func longestInOutbox(ctx context.Context, desk *lead.Desk, dealerID string) time.Duration {
	ids, err := desk.Store.Outbox(ctx, dealerID, time.Now().AddDate(100, 0, 0), 1)
	if err != nil || len(ids) == 0 {
		return 0
	}
	id, err := uuid.Parse(ids[0])
	if err != nil || id.Version() != 7 {
		return 0
	}
	return time.Since(time.Unix(id.Time().UnixTime()))
}

const (
	// dealersACall bounds the dealers of one call, which must end before the next
	// one begins.
	dealersACall = 100
	// dealersAtOnce is how many are worked for side by side.
	dealersAtOnce = 8
	// slicePeriod is how often the schedule calls.
	slicePeriod = time.Minute
)

// EachDealer makes work for one dealer that of a schedule, which calls each
// minute: then for up to a hundred dealers, a few side by side, so for 500
// dealers everyone's turn is every five minutes. One dealer's failure keeps
// nobody from theirs. Where there is one dealer it is work itself.
func (s *Stack) EachDealer(log *slog.Logger, work func(context.Context) error) func(context.Context) error {
	if !s.Settings.Pooled() {
		return work
	}
	return func(ctx context.Context) error {
		all, err := s.roster().All(ctx)
		if err != nil {
			return err
		}
		parts := max(1, (len(all)+dealersACall-1)/dealersACall)
		turn := int(time.Now().Unix()/int64(slicePeriod.Seconds())) % parts
		var group errgroup.Group
		group.SetLimit(dealersAtOnce)
		var failed atomic.Int64
		for n, id := range all {
			if n%parts != turn {
				continue
			}
			group.Go(func() error {
				ctx := ForDealer(ctx, id)
				if err := work(ctx); err != nil {
					failed.Add(1)
					log.ErrorContext(ctx, "work for the dealer failed", "error", err)
				}
				return nil
			})
		}
		_ = group.Wait() // its functions return nil
		if n := failed.Load(); n > 0 {
			return fmt.Errorf("the work failed for %d dealers; the log names them", n)
		}
		return nil
	}
}
