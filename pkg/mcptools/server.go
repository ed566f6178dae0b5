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

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// serverVersion is that of this package's behaviour.
const serverVersion = "1.0.0"

// listsFresh is how long clients may keep lists and instructions, which change
// only with the profile.
const listsFresh = 5 * time.Minute

// newServer makes the server of a profile. What it may change later is not
// announced: a function has nobody to announce it to, and a stream that waits
// for news would hold it until its timeout.
func (h *handler) newServer(p *dealer.Profile) (*mcp.Server, error) {
	list, rows, err := tools(p, h.version)
	if err != nil {
		return nil, err
	}
	scope := "public"
	if len(p.Access.TokenSHA256) > 0 {
		scope = "private"
	}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "dealer-agent", Title: p.Name, Version: serverVersion},
		&mcp.ServerOptions{
			Instructions: instructions(p),
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
				c.TTLMs, c.CacheScope = int(listsFresh.Milliseconds()), scope
			},
		})
	for i, tool := range list {
		server.AddTool(tool, h.answer(rows[i]))
	}
	server.AddReceivingMiddleware(h.admit)
	return server, nil
}

type waitKey struct{}

// admit counts each message against its caller's quota. A tool call beyond it
// is left to the tool, whose refusal a model can read.
func (h *handler) admit(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		x := exchangeOf(ctx)
		x.messages.Add(1)
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		wait := h.quota.Take(h.Ticks(), "call "+x.caller, x.profile.Access.PerMinute, time.Minute)
		if method == "tools/call" {
			return next(context.WithValue(ctx, waitKey{}, wait), method, req)
		}
		began := time.Now()
		if wait > 0 {
			e, id := caller.OverQuota(wait), h.NewID()
			h.account(ctx, line{method: method, code: e.Code, errorID: id, began: began})
			data, _ := json.Marshal(e.Payload(id, h.Now())) // a number is all its details
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: data}
		}
		result, err := next(ctx, method, req)
		h.account(ctx, line{method: method, began: began})
		return result, err
	}
}

// answer is the tool of a row. It never returns an error: the library would
// send one that no model sees.
func (h *handler) answer(row agent.Row) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		l := line{method: "tools/call", skill: row.ID, began: time.Now()}
		// The library's context has no end of its own.
		ctx, cancel := context.WithTimeout(ctx, h.Timeout)
		defer cancel()
		answer, err := h.call(ctx, row, req)
		if err == nil {
			result = resultOf(answer.Payload)
		} else {
			e := aap.Public(err)
			l.code, l.errorID = e.Code, h.NewID()
			if e.Code == aap.InternalError {
				h.logCause(ctx, l.errorID, e.Unwrap())
			}
			result = refusal(e.Payload(l.errorID, h.Now()))
		}
		h.account(ctx, l)
		return result, nil
	}
}

// call runs the skill within the caller's quotas. A lead beyond them that was
// taken before is answered from the store: its buyer retries because our
// answer was lost.
func (h *handler) call(ctx context.Context, row agent.Row, req *mcp.CallToolRequest) (_ agent.Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	payload, fault := payloadOf(row.Skill, req.Params.Arguments)
	if fault != nil {
		return agent.Answer{}, fault
	}
	wait, _ := ctx.Value(waitKey{}).(time.Duration)
	if x := exchangeOf(ctx); wait == 0 && row.Writes {
		wait = h.quota.Take(h.Ticks(), "lead "+x.caller, x.profile.Access.LeadsPerHour, time.Hour)
	}
	if wait > 0 {
		if h.Replay != nil && row.Writes {
			if got, found, err := h.Replay(ctx, h.version, payload); err == nil && found {
				return got, nil
			}
		}
		return agent.Answer{}, caller.OverQuota(wait)
	}
	return h.Agent.Call(ctx, h.version, payload)
}

// line is what is logged of one message; it holds nothing a caller wrote.
type line struct {
	method, skill, errorID string
	code                   aap.Code
	began                  time.Time
}

func (h *handler) account(ctx context.Context, l line) {
	attrs := []slog.Attr{slog.String("method", l.method), slog.Duration("duration", time.Since(l.began))}
	if l.skill != "" {
		attrs = append(attrs, slog.String("skill", l.skill))
	}
	if l.code != "" {
		attrs = append(attrs, slog.String("code", string(l.code)), slog.String("error_id", l.errorID))
	}
	h.Log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "mcp", attrs...)
}

// internal logs a cause and returns the id to tell the caller.
func (h *handler) internal(ctx context.Context, cause error) string {
	id := h.NewID()
	h.logCause(ctx, id, cause)
	return id
}

func (h *handler) logCause(ctx context.Context, id string, cause error) {
	level := slog.LevelError
	if errors.Is(ctx.Err(), context.Canceled) {
		level = slog.LevelInfo // the caller hung up; nothing here is broken
	}
	h.Log.LogAttrs(context.WithoutCancel(ctx), level, "internal error", slog.String("error_id", id), slog.Any("cause", cause))
}
