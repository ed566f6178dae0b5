package cloud

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Sweep queues the leads that were taken while the queue was out of reach. It
// is called on a schedule; its error makes the function fail, which alarms.
func Sweep(profiles dealer.Source, desk *lead.Desk, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		p, err := profiles.Profile(ctx)
		if err != nil {
			return fmt.Errorf("the outbox was not swept: %w", err)
		}
		n, err := desk.Sweep(ctx, p.ID)
		if n > 0 {
			log.WarnContext(ctx, "leads queued late", "leads", n)
		}
		if err != nil {
			return fmt.Errorf("the outbox was not swept: %w", err)
		}
		return nil
	}
}
