package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// MaxBody is the longest request body that is read, in bytes.
const MaxBody = 256 << 10

// Config is what a handler is made of. Agent and Profiles are required.
type Config struct {
	Agent    Agent
	Profiles dealer.Source
	// Replay, when set, gives the stored answer of a lead already taken; a lead
	// beyond its caller's quota is asked for there first.
	Replay func(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, bool, error)
	// Hosts are the host names the agent is reached under besides that of the
	// profile's URL and the address a request came to: in lower case, without
	// port; one that begins with a dot stands for all that end so.
	Hosts []string
	// Loopback admits localhost, 127.0.0.1 and ::1.
	Loopback bool
	// Extend, when set, may add to each server, before it serves, what its
	// dealer does not offer; what it adds stands behind the same doors.
	Extend func(*mcp.Server)
	// Asking is how people are asked before a lead leaves.
	Asking Asking
	// OnExchange, when set, is told of each finished message that came over HTTP.
	OnExchange func(context.Context, Exchange)
	agent.Settings
}

// NewHandler serves the tools over Streamable HTTP without sessions: each POST
// is answered by itself, as plain JSON, in the MCP revisions 2024-11-05 to
// 2025-11-25 and in 2026-07-28. Other HTTP methods get 405. The tools are those
// of the primary contract that the profile in force offers.
func NewHandler(c Config) http.Handler {
	h := &handler{config: c, service: newService(c.Settings, c.Asking), door: door{hosts: c.Hosts}}
	h.onExchange = c.OnExchange
	if c.Loopback {
		h.door.hosts = append(append([]string(nil), c.Hosts...), loopback...)
	}
	h.mcp = mcp.NewStreamableHTTPHandler(
		func(r *http.Request) *mcp.Server { return exchangeOf(r.Context()).server },
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // door knows more names, and also looks where there is no socket
		})
	return h
}

type handler struct {
	config Config
	*service
	door    door
	mcp     http.Handler
	current atomic.Pointer[served]
}

// exchange is one request on its way through the library.
type exchange struct {
	visit
	server *mcp.Server
	// code and errorID are those of a fault of the agent's own before any message.
	code    aap.Code
	errorID string
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// ServeHTTP settles who calls and under which name, and leaves the protocol to
// the library.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	answer := &counted{ResponseWriter: w, status: http.StatusOK}
	x := &exchange{}
	h.serve(answer, r, x)
	if x.messages.Load() == 0 {
		e := Exchange{Failed: answer.status >= http.StatusBadRequest, Duration: time.Since(began), Code: x.code, ErrorID: x.errorID}
		attrs := []slog.Attr{slog.Int("status", answer.status), slog.Duration("duration", e.Duration), slog.String("result", e.Result())}
		if e.ErrorID != "" {
			attrs = append(attrs, slog.String("code", string(e.Code)), slog.String("error_id", e.ErrorID))
		}
		h.finish(r.Context(), e, attrs)
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request, x *exchange) {
	p, err := h.config.Profiles.Profile(r.Context())
	if err == nil {
		x.server, err = h.serverFor(p)
	}
	if err != nil {
		id := h.internal(r.Context(), fmt.Errorf("serve the dealer profile: %w", err))
		x.code, x.errorID = aap.InternalError, id
		refuse(w, http.StatusInternalServerError, "The dealer agent cannot answer right now. Please try again. Error "+id+".")
		return
	}
	if !h.door.admits(r, p) {
		refuse(w, http.StatusForbidden, "This agent does not answer under that Host or to that Origin.")
		return
	}
	x.access = p.Access
	var refused *caller.Refusal
	if x.caller, refused = caller.Identify(r.Header, r.RemoteAddr, p.Access, h.Now()); refused != nil {
		h.refuseCaller(w, &x.visit, refused)
		return
	}
	if tooMany(r) {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("Send at most %d messages in one request.", mostInBatch))
		return
	}
	r = r.WithContext(context.WithValue(visiting(r.Context(), &x.visit), exchangeKey{}, x))
	r.Header = r.Header.Clone()
	// Some hosts name one media type or none; the answer is JSON all the same.
	r.Header.Set("Accept", "application/json, text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	h.mcp.ServeHTTP(w, r)
}

// refuseCaller answers a call without a good token. Such calls count against
// the quota of their address, so that nobody tries tokens at will.
func (h *handler) refuseCaller(w http.ResponseWriter, v *visit, r *caller.Refusal) {
	if wait := h.take(v, "call ", v.access.PerMinute, time.Minute); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		refuse(w, http.StatusTooManyRequests, "Too many calls without a good bearer token. Wait as long as Retry-After says.")
		return
	}
	w.Header().Set("WWW-Authenticate", r.Challenge)
	refuse(w, http.StatusUnauthorized, r.Message)
}

// refuse answers before any message was read, so without an id.
func refuse(w http.ResponseWriter, status int, message string) {
	body, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32600, "message": message},
	})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails when there is nobody left to tell
}

// served is the server of a profile.
type served struct {
	profile *dealer.Profile
	server  *mcp.Server
}

// serverFor keeps the server as long as the profile stays the same one.
func (h *handler) serverFor(p *dealer.Profile) (*mcp.Server, error) {
	if s := h.current.Load(); s != nil && s.profile == p {
		return s.server, nil
	}
	server, err := h.newServer(localOffer(h.config, p))
	if err != nil {
		return nil, err
	}
	if h.config.Extend != nil {
		h.config.Extend(server)
	}
	h.current.Store(&served{p, server})
	return server, nil
}

// counted remembers the status on its way.
type counted struct {
	http.ResponseWriter
	status int
}

// WriteHeader passes the status on.
func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the library flush.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }
