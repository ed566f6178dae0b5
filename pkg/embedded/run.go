package embedded

import (
	"context"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// idle is how long Run sleeps when nothing is pending.
const idle = time.Hour

// run is the state of one Run.
type run struct {
	queue  *Queue
	handle func(context.Context, string) error
	// free says that a worker has ended.
	free chan struct{}

	mu   sync.Mutex
	busy map[string]bool
	// retry holds, by this machine's timer, when a failed id may go again. Ids
	// that failed before this Run follow their stored time instead.
	retry map[string]pause
}

// pause ends at a time, or when the id is enqueued once more.
type pause struct {
	until time.Time
	times uint64
}

type job struct {
	id string
	ticket
}

// ready picks the ids that may start now and says how long to sleep after that.
func (r *run) ready(ctx context.Context) (jobs []job, wait time.Duration, err error) {
	q := r.queue
	r.mu.Lock()
	defer r.mu.Unlock()
	wait = idle
	timer, clock := time.Now(), q.now()
	err = q.db.view(ctx, func(tx *bolt.Tx) error {
		c := tx.Bucket(queueBucket).Cursor()
		for k, value := c.First(); k != nil && len(r.busy) < q.Workers; k, value = c.Next() {
			id := string(k)
			if r.busy[id] {
				continue
			}
			var t ticket
			if err := t.decode(value); err != nil {
				return fmt.Errorf("queued lead %s: %w", id, err)
			}
			p, known := r.retry[id]
			if !known {
				p = pause{timer.Add(min(t.due.Sub(clock), q.MaxWait)), t.times}
				r.retry[id] = p
			}
			if left := p.until.Sub(timer); left > 0 && p.times == t.times {
				wait = min(wait, left)
				continue
			}
			r.busy[id] = true
			jobs = append(jobs, job{id, t})
		}
		return nil
	})
	if err != nil {
		for _, j := range jobs {
			delete(r.busy, j.id)
		}
		return nil, 0, err
	}
	return jobs, wait, nil
}

// attempt runs the handler once and writes down what came of it.
func (r *run) attempt(ctx context.Context, j job) {
	q := r.queue
	failure := r.guarded(ctx, j.id)
	attempts, wait := j.attempts+1, time.Duration(0)
	if failure != nil {
		wait = q.wait(int(attempts), failure)
	}
	write := func(t *ticket) (keep bool) {
		again := t.times != j.times
		switch {
		case failure == nil:
			t.attempts = 0
		case again:
			t.attempts = attempts
		default:
			t.due, t.attempts = q.now().Add(wait), attempts
		}
		return failure != nil || again
	}
	// The outcome is written even when Run is stopping. If that fails the old
	// ticket stands and the id is handled once more.
	err := q.change(context.WithoutCancel(ctx), j.id, write)
	if failure == nil && err != nil {
		failure, wait = fmt.Errorf("handled, but not written down: %w", err), q.waitAfter(int(attempts))
	}
	r.mu.Lock()
	delete(r.busy, j.id)
	if failure != nil {
		r.retry[j.id] = pause{time.Now().Add(wait), j.times}
	} else {
		delete(r.retry, j.id)
	}
	r.mu.Unlock()
	if failure != nil && q.OnFailure != nil {
		q.OnFailure(j.id, int(attempts), wait, failure)
	}
	select {
	case r.free <- struct{}{}:
	default:
	}
}

// guarded turns a panic of the handler into a failed attempt: one lead that
// breaks the handler must not stop the others. The panic's value may quote the
// lead, so only its type is told.
func (r *run) guarded(ctx context.Context, id string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler panicked with a %T", p)
		}
	}()
	return r.handle(ctx, id)
}
