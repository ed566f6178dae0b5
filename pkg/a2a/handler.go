package a2a

import (
	"context"
	"net/http"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// MaxBody is the longest request body that is read, in bytes.
const MaxBody = 256 << 10

// maxDepth is how deep a request may nest: the levels of a payload inside the
// five levels of envelope around a DataPart.
const maxDepth = schema.MaxDepth + 5

// Agent is what the handler needs behind it; *agent.Agent is one.
type Agent interface {
	// Call answers one payload; errors that may be shown are *aap.Error.
	Call(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, error)
	// Replay gives the stored answer of a lead already taken, without effect.
	Replay(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, bool, error)
}

// Config is what a handler is made of. Agent and Profiles are required.
type Config struct {
	Agent    Agent
	Profiles dealer.Source
	// Versions are the contracts that a profile may list, newest first; what
	// sets them apart is data alone. Default aap.Versions.
	Versions []aap.Version
	agent.Settings
	// OnExchange, when set, is told of each finished request.
	OnExchange func(context.Context, Exchange)
}

// NewHandler serves every contract the profile in force lists, each at the URL
// of its own that aap.Version.Path tells, with and without a trailing slash. It
// belongs at /a2a and at everything below. Callers have one quota over all.
func NewHandler(c Config) http.Handler {
	c.Settings = c.Filled()
	if c.Versions == nil {
		c.Versions = aap.Versions()
	}
	return &handler{Config: c, quota: caller.NewQuota(c.MostCallers), routes: routes(c.Versions)}
}

type handler struct {
	Config
	quota  *caller.Quota
	routes map[string]route
}

// ServeHTTP answers one request and accounts for it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), h.Timeout)
	defer cancel()
	x := &exchange{handler: h, ctx: ctx, r: r, began: time.Now()}
	a := x.answer()
	status, sent := x.send(w, a)
	x.account(a, status, sent)
}
