package mcptools

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// toolCall is one call on its way to a dealer's agent.
type toolCall struct {
	offer offer
	row   agent.Row
	req   *mcp.CallToolRequest
	// payload is the AAP request, with its type.
	payload []byte
	// again, when set, is asked when the payload's key has come with another
	// one: it gives the first answer where they differ in nothing that counts.
	again func(context.Context) *mcp.CallToolResult
}

// step stands between a tool and the agent, in the order of service.steps. It
// may change the payload; a result of its own, such as a question to the
// person, ends the call, and so does an error.
type step func(ctx context.Context, c *toolCall) (*mcp.CallToolResult, error)

// answer is the tool of a row. It never returns an error: the library would
// send one that no model sees.
func (s *service) answer(o offer, row agent.Row) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		l := line{method: "tools/call", skill: row.ID, version: o.version.Label, began: time.Now()}
		result, err := s.call(ctx, &toolCall{offer: o, row: row, req: req})
		if err != nil {
			l.failed, result = true, s.told(ctx, o, &l, err)
		}
		s.account(ctx, l)
		return result, nil
	}
}

// told is an error as the model is told it.
func (s *service) told(ctx context.Context, o offer, l *line, err error) *mcp.CallToolResult {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		result := o.passed(ctx, refused.Payload)
		result.IsError, l.code = true, refused.Code
		return result
	}
	if _, ours := errors.AsType[*aap.Error](err); !ours && o.elsewhere() {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "dealer failed", slog.String("dealer", o.title()), slog.String("reason", reasonOf(ctx, err)))
		return failed(ctx, o.alias, err)
	}
	e := aap.Public(err)
	l.code, l.errorID = e.Code, s.NewID()
	if e.Code == aap.InternalError {
		s.logCause(ctx, l.errorID, e.Unwrap())
	}
	return refusal(e.Payload(l.errorID, s.Now()))
}

// call takes the steps and runs the skill within the caller's quotas. A lead
// beyond them that was taken before is answered from the store: its buyer
// retries because our answer was lost.
func (s *service) call(ctx context.Context, c *toolCall) (_ *mcp.CallToolResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	payload, fault := payloadOf(c.row.Skill, c.req.Params.Arguments)
	if fault != nil {
		return nil, fault
	}
	c.payload = payload
	wait, _ := ctx.Value(waitKey{}).(time.Duration)
	if wait == 0 {
		for _, take := range s.steps {
			if result, err := take(ctx, c); result != nil || err != nil {
				return result, err
			}
		}
		if v := visitOf(ctx); c.row.Writes {
			wait = s.take(v, "lead ", v.access.LeadsPerHour, time.Hour)
		}
	}
	// The library's context has no end of its own. A step keeps its own time: a
	// person may take minutes.
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	if wait > 0 {
		if c.offer.replay != nil && c.row.Writes {
			if got, found, err := c.offer.replay(ctx, c.offer.version, c.payload); err == nil && found {
				return resultOf(got.Payload), nil
			}
		}
		return nil, caller.OverQuota(wait)
	}
	answer, err := c.offer.agent.Call(ctx, c.offer.version, c.payload)
	if err != nil {
		if c.again != nil && errors.Is(err, &aap.Error{Code: aap.IdempotencyConflict}) {
			if result := c.again(ctx); result != nil {
				return result, nil
			}
		}
		return nil, err
	}
	result := resultOf(answer.Payload)
	if c.offer.elsewhere() {
		result = c.offer.passed(ctx, answer.Payload)
	}
	if !result.IsError {
		result.Content = append(result.Content, c.offer.links(c.row.Skill, c.req.ProtocolVersion(), answer.Payload)...)
	}
	return result, nil
}
