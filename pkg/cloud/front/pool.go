package front

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

const (
	// The package comment has the arithmetic of these.
	warmListings = 320 << 20
	warmDealers  = 64 << 20
	tenantWeight = 160 << 10
	mostCallers  = 400
)

// pool hands each request to the handler of its dealer.
type pool struct {
	roster  *cloud.Roster
	tenants *cloud.Tenants[*tenant]
	log     *slog.Logger
}

// tenant is what an instance keeps of one dealer.
type tenant struct {
	profile *cloud.DealerProfile
	calls   *cloud.Allowance
	handler http.Handler
}

func newPool(stack *cloud.Stack, lot *inventory.Lot, serve func(*Front) http.Handler, log *slog.Logger, metrics *cloud.Metrics) *pool {
	s := stack.Settings
	open := func(id string) *tenant {
		profile := stack.DealerProfile(id, log)
		leads := capped{stack.Leads(), stack.NewAllowance(id, "leads", s.LeadsPerDealer, time.Hour, log)}
		own := s
		own.FormKey = keyFor(s.FormKey, id)
		front := newFront(stack, own, profile, leads, lot, log, metrics)
		front.MostCallers = mostCallers
		return &tenant{profile, stack.NewAllowance(id, "calls", s.RequestsPerDealer, time.Minute, log), serve(front)}
	}
	weigh := func(t *tenant) int { return tenantWeight + t.profile.Weight() }
	return &pool{stack.Roster(), cloud.NewTenants(warmDealers, open, weigh), log}
}

// ServeHTTP settles whose the request is; a dealer beyond its calls answers
// with RATE_LIMITED until the next minute.
func (p *pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, path, err := p.find(r)
	if errors.Is(err, cloud.ErrUnknownDealer) {
		cloud.RefuseCall(w, http.StatusNotFound, aap.Errorf(aap.UnsupportedSkill, "There is no dealer at this address. POST to the address on the dealer's agent card."))
		return
	}
	if err != nil {
		p.log.ErrorContext(r.Context(), "the dealers cannot be listed", "error", err)
		cloud.RefuseCall(w, http.StatusServiceUnavailable, aap.Errorf(aap.InternalError, "The dealer agent cannot answer right now. Please try again."))
		return
	}
	ctx := cloud.ForDealer(r.Context(), id)
	one := p.tenants.Of(id)
	if wait := one.calls.Take(ctx); wait > 0 {
		p.log.WarnContext(ctx, "the dealer is beyond its calls")
		cloud.RefuseCall(w, http.StatusTooManyRequests, caller.OverQuota(wait))
		return
	}
	r = r.WithContext(ctx)
	r.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	r.RequestURI = r.URL.RequestURI()
	one.handler.ServeHTTP(w, r)
}

// find is the one place that says whose a request is, and what its path is to
// the dealer's handler. A path that names a dealer goes before the host.
func (p *pool) find(r *http.Request) (id, path string, err error) {
	if rest, named := strings.CutPrefix(r.URL.Path, cloud.DealersPath); named {
		id, path, _ = strings.Cut(rest, "/")
		return id, "/" + path, p.roster.Check(r.Context(), id)
	}
	id, err = p.roster.ByHost(r.Context(), cloud.DomainOf(r.Context()))
	return id, r.URL.Path, err
}

// capped takes no more new leads than the dealer may have in an hour. Repeats
// of leads that were taken are answered before it is asked.
type capped struct {
	lead.Store
	allowance *cloud.Allowance
}

// Create refuses with RATE_LIMITED beyond the allowance.
func (c capped) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	if wait := c.allowance.Take(ctx); wait > 0 {
		return caller.OverQuota(wait)
	}
	return c.Store.Create(ctx, e, now)
}
