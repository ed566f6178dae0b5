package cloud

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

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
