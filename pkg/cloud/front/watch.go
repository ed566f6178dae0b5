package front

import (
	"context"
	"log/slog"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// watchLot counts what inventory does for buyers, and notes in the request's
// lines which generation it was about. Of many dealers all have one lot.
func watchLot(lot *inventory.Lot, m *cloud.Metrics) {
	lot.Watch(inventory.Watch{
		Loaded: func(ctx context.Context, l inventory.Loaded) {
			cloud.Note(ctx, slog.Duration("index_load", l.Took))
			m.IndexLoaded(l.Vehicles, l.Bytes, l.Took)
		},
		Answered: func(ctx context.Context, a inventory.Answered) {
			cloud.Note(ctx, slog.Int64("index_generation", a.Revision))
			m.IndexAge(a.Age)
		},
	})
}

// watchDesk counts leads, and notes which one the request was about.
func watchDesk(desk *lead.Desk, m *cloud.Metrics) {
	desk.OnSubmit = func(ctx context.Context, s lead.Submitted) {
		cloud.Note(ctx, slog.String("lead_id", s.LeadID))
		state := s.Status
		if s.Repeated {
			state = cloud.LeadRepeated
		}
		m.Leads(state, 1)
	}
}
