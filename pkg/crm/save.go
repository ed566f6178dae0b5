package crm

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/lead"
)

const (
	// patience is how long writing an outcome is tried, also after the caller
	// gave up: an outcome that is known must not be lost, or the receiver gets
	// a second document.
	patience = 5 * time.Second
	// shortPatience is the same before anything was sent, when the queue can
	// bring the lead back.
	shortPatience = time.Second
	firstRepeat   = 20 * time.Millisecond
)

// errGone: there is no lead any more whose state could be written.
var errGone = errors.New("the lead was erased meanwhile")

// save writes the state if nobody else has written it since it was read, and
// tries again when the store fails. A write whose answer was lost is known by
// what then stands there. errGone: the lead was erased meanwhile.
func (a *attempt) save(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	a.state.UpdatedAt, a.state.Token = a.worker.now(), uuid.NewString()
	for pause := firstRepeat; ; pause *= 2 {
		saved, err := a.worker.Leads.UpdateDelivery(ctx, a.profile.ID, a.record.ID, a.state)
		if errors.Is(err, lead.ErrNotFound) {
			return errGone
		}
		conflict := errors.Is(err, lead.ErrConflict)
		if err != nil {
			stands, readErr := a.stands(ctx)
			switch {
			case readErr == nil && stands.Token == a.state.Token:
				saved, err = stands, nil
			case readErr == nil && conflict:
				return ErrBusy
			}
		}
		if err == nil {
			a.state = saved
			return nil
		}
		select {
		case <-ctx.Done():
			if conflict {
				return ErrBusy
			}
			return err
		case <-time.After(pause):
		}
	}
}

// stands is the state that the store has now.
func (a *attempt) stands(ctx context.Context) (lead.Delivery, error) {
	states, err := a.worker.Leads.Deliveries(ctx, a.profile.ID, a.record.ID)
	return about{states: states}.state(a.target.Name), err
}
