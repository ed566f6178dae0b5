package crm

import (
	"math/rand/v2"
	"time"
)

// Pauses between attempts.
const (
	firstWait = time.Second
	maxWait   = 30 * time.Minute
	// longestAsked is the longest pause that a receiver may ask for.
	longestAsked = time.Hour
	// unserved is the pause where only a person can help, whatever is tried.
	unserved = time.Minute
)

// retry is a failed Handle that knows when to come back.
type retry struct {
	error
	wait time.Duration
}

// Unwrap returns the failures.
func (r *retry) Unwrap() error { return r.error }

// RetryAfter is how long the queue is to wait before the next call.
func (r *retry) RetryAfter() time.Duration { return r.wait }

// waitAfter is the pause after the given number of attempts: random between
// the half and the whole of a time that doubles, so that leads that failed
// together do not come back together. A receiver's own wish counts if it is
// longer.
func (w *Worker) waitAfter(attempts int, asked time.Duration) time.Duration {
	first, most := w.FirstWait, w.MaxWait
	if first <= 0 {
		first = firstWait
	}
	if most <= 0 {
		most = maxWait
	}
	wait := most
	if shift := max(attempts-1, 0); shift < 30 && first<<shift < most {
		wait = first << shift
	}
	wait = wait/2 + rand.N(wait/2+1)
	return max(wait, min(asked, longestAsked))
}
