package mcptools

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// visit is who calls, and what the profile allows them. Whoever started this
// process and speaks to it over its pipes has no visit, and no quota.
type visit struct {
	caller   caller.Caller
	access   dealer.Access
	messages atomic.Int32 // that reached a method
}

type visitKey struct{}

func visiting(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitOf(ctx context.Context) *visit {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{}
}

// take uses one of the visitor's n calls of a kind, or says how long to wait.
func (s *service) take(v *visit, kind string, n int, window time.Duration) time.Duration {
	return s.quota.Take(s.Ticks(), kind+v.caller.Key(), n, window)
}
