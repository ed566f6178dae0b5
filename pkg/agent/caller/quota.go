package caller

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// MostCallers bounds the memory of the quota: beyond it, the caller heard of
// longest ago is forgotten and so begins anew.
const MostCallers = 8192

// Quota is one token bucket a caller, kept in the memory of this process.
// Several processes each grant the quota; a limit over all of them belongs in
// front of them.
type Quota struct {
	mu      sync.Mutex
	most    int
	callers map[string]*list.Element
	recent  *list.List // of *bucket, the last heard of first
}

type bucket struct {
	caller string
	tokens *rate.Limiter
}

// NewQuota makes a Quota that remembers that many callers.
func NewQuota(most int) *Quota {
	return &Quota{most: most, callers: map[string]*list.Element{}, recent: list.New()}
}

// Take uses one of the caller's n calls a window and returns 0, or returns how
// long to wait for the next one and takes nothing. n of 0 is no limit. The n
// calls may come at once; they grow back evenly over the window.
func (q *Quota) Take(now time.Time, caller string, n int, window time.Duration) time.Duration {
	if n <= 0 {
		return 0
	}
	limit := rate.Every(window / time.Duration(n))
	tokens := q.bucket(caller, limit, n)
	if tokens.Burst() != n {
		tokens.SetLimitAt(now, limit)
		tokens.SetBurstAt(now, n)
	}
	r := tokens.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (q *Quota) bucket(caller string, limit rate.Limit, burst int) *rate.Limiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.callers[caller]; ok {
		q.recent.MoveToFront(e)
		return e.Value.(*bucket).tokens
	}
	if q.recent.Len() >= q.most {
		last := q.recent.Back()
		delete(q.callers, q.recent.Remove(last).(*bucket).caller)
	}
	b := &bucket{caller: caller, tokens: rate.NewLimiter(limit, burst)}
	q.callers[caller] = q.recent.PushFront(b)
	return b.tokens
}
