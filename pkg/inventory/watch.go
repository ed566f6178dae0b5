package inventory

import (
	"context"
	"time"
)

// Watch is told what a Lot does. Functions that are nil are not called; the
// others are called while a buyer waits, by several requests at once.
type Watch struct {
	// Loaded is told of each index that was built of the store.
	Loaded func(context.Context, Loaded)
	// Answered is told of each answer about stored vehicles.
	Answered func(context.Context, Answered)
}

// Loaded is one index in memory.
type Loaded struct {
	Revision int64
	// Vehicles counts the units read, those that are not listed too.
	Vehicles int
	// Bytes is the length of all listings as they go on the wire.
	Bytes int
	// Took is the time for reading and building.
	Took time.Duration
}

// Answered says what an answer was made of.
type Answered struct {
	Revision int64
	// Age is the time since the dealer's system vouched for the cars: for those
	// of the rooftop that was silent longest.
	Age time.Duration
}

// Watch has w told of everything from now on. It is called before the first answer.
func (l *Lot) Watch(w Watch) { l.watch = w }

func (l *shelf) loaded(ctx context.Context, x *Index, vehicles int, took time.Duration) {
	if l.watch.Loaded != nil {
		l.watch.Loaded(ctx, Loaded{Revision: x.Revision(), Vehicles: vehicles, Bytes: len(x.encoded), Took: took})
	}
}

// answered tells nothing of a dealer who has no inventory yet.
func (l *shelf) answered(ctx context.Context, x *Index, now time.Time) {
	if l.watch.Answered == nil || x.head.Revision == 0 {
		return
	}
	oldest := x.head.ImportedAt
	for _, r := range x.stale {
		if r.docs != nil && !r.vouched.IsZero() && r.vouched.Before(oldest) {
			oldest = r.vouched
		}
	}
	l.watch.Answered(ctx, Answered{Revision: x.head.Revision, Age: max(now.Sub(oldest), 0)})
}
