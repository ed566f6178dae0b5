package machine

import (
	"context"
	"time"
)

// purgeEvery is how long what has expired may stay when no new lead takes it
// away.
const purgeEvery = time.Hour

// rewriteEvery is how long what has expired may stay readable in the pages that
// it left free. Writing the file anew holds everything up for a moment, a few
// seconds in a file of a gigabyte.
const rewriteEvery = 24 * time.Hour

// purge removes leads, consents and keys whose time is over, at start and from
// time to time, so that a quiet dealer keeps its promise of retention too.
func (m *Machine) purge(ctx context.Context) error {
	var rewritten time.Time
	for {
		p, err := m.profiles.Profile(ctx)
		if err == nil {
			err = m.db.Purge(ctx, p.ID, m.config.Now())
		}
		if err == nil && time.Since(rewritten) >= rewriteEvery {
			rewritten = time.Now()
			err = m.db.RewriteExpired(ctx)
		}
		if err != nil && ctx.Err() == nil {
			m.config.Log.Error("expired leads were not removed", "reason", err.Error())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(purgeEvery):
		}
	}
}
