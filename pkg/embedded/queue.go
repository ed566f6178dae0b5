package embedded

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Queue hands lead ids to a handler until it succeeds. What is enqueued
// survives any stop of the process; an id is never given up.
//
// Waiting is measured by the machine's own timer, so a fixed clock does not
// stop retries. Set the exported fields before Run.
type Queue struct {
	// Workers is how many ids are handled at once. Default 4.
	Workers int
	// FirstWait is the longest pause after a first failure; it doubles with
	// every further one up to MaxWait. The real pause lies between a half and
	// the whole of it, at random. Defaults 1s and 15m. A handler's error with a
	// method RetryAfter() time.Duration sets the pause itself, up to an hour.
	FirstWait, MaxWait time.Duration
	// Grace is how long handlers may go on after Run's context ended before
	// their own context ends too. Default 20s.
	Grace time.Duration
	// OnFailure, if set, hears of each failed attempt and the pause before the next.
	OnFailure func(leadID string, attempts int, wait time.Duration, err error)

	db   *DB
	now  func() time.Time
	wake chan struct{}
}

// Queue is the queue of lead ids in this file. All Queues of a DB share its
// content; only one may Run. now dates the retries.
func (db *DB) Queue(now func() time.Time) *Queue {
	return &Queue{
		Workers: 4, FirstWait: time.Second, MaxWait: 15 * time.Minute, Grace: 20 * time.Second,
		db: db, now: now, wake: db.wake,
	}
}

// Enqueue adds the id, or makes it due at once when it is pending already.
func (q *Queue) Enqueue(ctx context.Context, leadID string) error {
	if leadID == "" {
		return errors.New("a queued lead needs an id")
	}
	err := q.change(ctx, leadID, func(t *ticket) bool {
		t.due, t.times = q.now(), t.times+1
		return true
	})
	if err == nil {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return err
}

// Pending counts the ids that are not finished.
func (q *Queue) Pending(ctx context.Context) (n int, err error) {
	err = q.db.view(ctx, func(tx *bolt.Tx) error {
		n = tx.Bucket(queueBucket).Stats().KeyN
		return nil
	})
	return n, err
}

// Run hands pending ids to handle until ctx ends, then waits for the handlers
// that are still running. A nil from handle finishes the id, an error brings
// it back later. The returned error is a fault of the data file; a Run that
// was told to stop returns nil.
func (q *Queue) Run(ctx context.Context, handle func(context.Context, string) error) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(q.Grace, stop) })()
	r := run{queue: q, handle: handle, busy: map[string]bool{}, retry: map[string]pause{}, free: make(chan struct{}, 1)}
	var running sync.WaitGroup
	defer running.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		case <-r.free:
		case <-timer.C:
		}
		ready, wait, err := r.ready(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for _, j := range ready {
			running.Go(func() { r.attempt(work, j) })
		}
		timer.Reset(wait)
	}
}

// change rewrites the id's ticket in one durable step; keep false removes it.
func (q *Queue) change(ctx context.Context, leadID string, edit func(*ticket) (keep bool)) error {
	return q.db.update(ctx, func(tx *bolt.Tx) error {
		b := tx.Bucket(queueBucket)
		var t ticket
		if value := b.Get([]byte(leadID)); value != nil {
			if err := t.decode(value); err != nil {
				return err
			}
		}
		if !edit(&t) {
			return b.Delete([]byte(leadID))
		}
		return b.Put([]byte(leadID), t.encode())
	})
}

// longestAsked is the longest pause that a handler may ask for.
const longestAsked = time.Hour

// wait is the pause after a failed attempt: the one its error asks for, else
// a random one.
func (q *Queue) wait(attempts int, failure error) time.Duration {
	var later interface{ RetryAfter() time.Duration }
	if errors.As(failure, &later) && later.RetryAfter() > 0 {
		return min(later.RetryAfter(), longestAsked)
	}
	return q.waitAfter(attempts)
}

// waitAfter is the random pause after the given number of failures.
func (q *Queue) waitAfter(attempts int) time.Duration {
	wait := q.MaxWait
	if shift := attempts - 1; shift < 40 && q.FirstWait<<shift > 0 {
		wait = min(q.FirstWait<<shift, q.MaxWait)
	}
	return wait/2 + rand.N(wait/2+1)
}
