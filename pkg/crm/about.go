package crm

import (
	"context"
	"errors"
	"fmt"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// about is what the store knows of a lead beside its record.
type about struct {
	// visit is the one booked with the lead, as it stands now; nil: none.
	visit *lead.Visit
	// story is what was done about the lead since.
	story  []lead.Event
	states []lead.Delivery
}

func (w *Worker) besides(ctx context.Context, r lead.Record) (about, error) {
	var a about
	var err error
	if a.states, err = w.Leads.Deliveries(ctx, r.DealerID, r.ID); err != nil {
		return about{}, fmt.Errorf("loading its delivery states: %w", err)
	}
	if a.story, err = w.Leads.Story(ctx, r.DealerID, r.ID); err != nil {
		return about{}, fmt.Errorf("loading its story: %w", err)
	}
	if a.visit, err = w.visit(ctx, r); err != nil {
		return about{}, fmt.Errorf("loading its visit: %w", err)
	}
	return a, nil
}

// visit is the one booked with the lead, as it stands now; nil when there is
// none.
func (w *Worker) visit(ctx context.Context, r lead.Record) (*lead.Visit, error) {
	if !r.Booked() {
		return nil, nil
	}
	v, err := w.Leads.Visit(ctx, r.DealerID, r.ID, w.now())
	if errors.Is(err, lead.ErrNotFound) {
		return nil, nil
	}
	return &v, err
}

// state is how far the target has come.
func (a about) state(target string) lead.Delivery {
	for _, d := range a.states {
		if d.Target == target {
			return d
		}
	}
	return lead.Delivery{Target: target, State: lead.Queued}
}
