package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// serverVersion is that of this package's behaviour.
const serverVersion = "1.0.0"

// listsFresh is how long clients may keep lists and instructions, which change
// only with the profile.
const listsFresh = 5 * time.Minute

// service makes servers of offers and answers their messages, whatever carries
// them: it knows no HTTP and no pipe. Who calls comes with the context.
type service struct {
	agent.Settings
	quota *caller.Quota
	steps []step
	// onExchange, when set, is told of each finished message.
	onExchange func(context.Context, Exchange)
}

func newService(s agent.Settings, a Asking) *service {
	s = s.Filled()
	return &service{Settings: s, quota: caller.NewQuota(s.MostCallers), steps: []step{newAsker(a, s).step}}
}

// newServer makes a server of what one dealer offers.
func (s *service) newServer(o offer) (*mcp.Server, error) {
	server := s.emptyServer(face{
		title: o.name, instructions: o.instructions(), scope: o.scope(),
		complete: func(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return s.complete(ctx, o, req)
		},
	})
	if err := s.register(server, o); err != nil {
		return nil, err
	}
	return server, nil
}

// face is what a server shows before anything is registered.
type face struct {
	title, instructions string
	// scope is who may keep lists (MCP 2026-07-28 caching).
	scope string
	// incomplete, when set, reports whether more may still come to the lists. It
	// is announced, which only a process that stays can do: a function has
	// nobody to announce to, and a stream that waits for news would hold it until
	// its timeout.
	incomplete func() bool
	// complete, when set, suggests values for what people fill in. It goes with
	// the resources, prompts and the page of a dealer who has a server alone.
	complete func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error)
}

// emptyServer makes a server without tools.
func (s *service) emptyServer(f face) *mcp.Server {
	grows := f.incomplete != nil
	alone := grows && f.complete != nil
	options := &mcp.ServerOptions{
		Instructions: f.instructions,
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{ListChanged: grows}, Prompts: &mcp.PromptCapabilities{ListChanged: alone}, Resources: &mcp.ResourceCapabilities{ListChanged: alone},
		},
		CompletionHandler: f.complete,
		SetCacheable: func(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(listsFresh.Milliseconds()), f.scope
			switch req.(type) {
			case *mcp.ListToolsRequest, *mcp.ListResourcesRequest:
				if f.complete != nil {
					c.CacheScope = "private" // they name the page to hosts that show it, see withoutApp
				}
			}
			r, reads := req.(*mcp.ReadResourceRequest)
			if grows && f.incomplete() || reads && soonStale(r.Params.URI) {
				c.TTLMs = 0
			}
		},
	}
	if f.complete != nil {
		options.Capabilities.Completions = &mcp.CompletionCapabilities{}
		options.Capabilities.AddExtension(appExtension, nil)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "dealer-agent", Title: f.title, Version: serverVersion}, options)
	if f.complete != nil {
		server.AddReceivingMiddleware(withoutApp)
	}
	server.AddReceivingMiddleware(s.admit)
	return server
}

// register adds all that an offer brings. It is the one place where what hosts
// can list is put on a server.
func (s *service) register(server *mcp.Server, o offer) error {
	list, rows, err := o.tools()
	if err != nil {
		return err
	}
	for i, tool := range list {
		server.AddTool(tool, s.answer(o, rows[i]))
	}
	if o.alone() {
		s.addResources(server, o)
		s.addPrompts(server, o)
		s.addApp(server, o)
	}
	return nil
}

type waitKey struct{}

// admit counts each message against its caller's quota. A tool call beyond it
// is left to the tool, whose refusal a model can read.
func (s *service) admit(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		v := visitOf(ctx)
		v.messages.Add(1)
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		wait := s.take(v, "call ", v.access.PerMinute, time.Minute)
		if method == "tools/call" {
			return next(context.WithValue(ctx, waitKey{}, wait), method, req)
		}
		began := time.Now()
		if wait > 0 {
			e, id := caller.OverQuota(wait), s.NewID()
			s.account(ctx, line{method: method, code: e.Code, errorID: id, began: began})
			data, _ := json.Marshal(e.Payload(id, s.Now())) // a number is all its details
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: data}
		}
		result, err := next(ctx, method, req)
		l := line{method: method, began: began, failed: err != nil}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			l.read(e.Data)
		}
		s.account(ctx, l)
		return result, err
	}
}

// internal logs a cause and returns the id to tell the caller.
func (s *service) internal(ctx context.Context, cause error) string {
	id := s.NewID()
	s.logCause(ctx, id, cause)
	return id
}

func (s *service) logCause(ctx context.Context, id string, cause error) {
	level := slog.LevelError
	if errors.Is(ctx.Err(), context.Canceled) {
		level = slog.LevelInfo // the caller hung up; nothing here is broken
	}
	s.Log.LogAttrs(context.WithoutCancel(ctx), level, "internal error", slog.String("error_id", id), slog.Any("cause", cause))
}
