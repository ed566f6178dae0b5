package cloud

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

const (
	sweepEvery = time.Minute
	// sweepTime bounds what a sweep may add to the request it follows.
	sweepTime = 3 * time.Second
)

// Swept serves next and, after the first request and then at most once a
// minute, queues the leads that were taken while the queue was out of reach.
// A function cannot do that in the background: it is frozen between requests.
func Swept(next http.Handler, profiles dealer.Source, desk *lead.Desk, log *slog.Logger) http.Handler {
	return &swept{next: next, profiles: profiles, desk: desk, log: log}
}

type swept struct {
	next     http.Handler
	profiles dealer.Source
	desk     *lead.Desk
	log      *slog.Logger

	mu   sync.Mutex
	last time.Time
}

func (s *swept) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.next.ServeHTTP(w, r)
	s.mu.Lock()
	due := time.Since(s.last) >= sweepEvery
	if due {
		s.last = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), sweepTime)
	defer cancel()
	p, err := s.profiles.Profile(ctx)
	if err == nil {
		var n int
		if n, err = s.desk.Sweep(ctx, p.ID); n > 0 {
			s.log.WarnContext(ctx, "leads queued late", "leads", n)
		}
	}
	if err != nil {
		s.log.ErrorContext(ctx, "outbox sweep failed", "error", err)
	}
}
