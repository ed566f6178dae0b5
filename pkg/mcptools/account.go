package mcptools

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Exchange says what one message was and how it ended. It holds nothing a
// caller wrote.
type Exchange struct {
	// Method is MCP's; empty for a request that holds no message that a method took.
	Method string
	// Skill is the id of the skill of a tool call.
	Skill string
	// Code is the AAP code in which it ended and ErrorID the error_id the caller
	// was given; both are empty for a result.
	Code     aap.Code
	ErrorID  string
	Failed   bool
	Duration time.Duration
}

// Result is ok, the AAP code, or refused where there is none.
func (e Exchange) Result() string {
	switch {
	case e.Code != "":
		return string(e.Code)
	case e.Failed:
		return "refused"
	}
	return "ok"
}

// line is what is logged of one message; it holds nothing a caller wrote.
type line struct {
	method, skill, version, errorID string
	code                            aap.Code
	failed                          bool
	began                           time.Time
}

// read takes code and id from an aap.error that a method answered with.
func (l *line) read(payload []byte) {
	var e struct {
		Code aap.Code `json:"code"`
		ID   string   `json:"error_id"`
	}
	if json.Unmarshal(payload, &e) == nil && e.Code != "" {
		l.code, l.errorID = e.Code, e.ID
	}
}

func (s *service) account(ctx context.Context, l line) {
	e := Exchange{Method: l.method, Skill: l.skill, Code: l.code, ErrorID: l.errorID, Failed: l.failed, Duration: time.Since(l.began)}
	attrs := []slog.Attr{slog.String("method", e.Method), slog.Duration("duration", e.Duration)}
	if e.Skill != "" {
		attrs = append(attrs, slog.String("skill", e.Skill))
	}
	if l.version != "" {
		attrs = append(attrs, slog.String("version", l.version))
	}
	if token := visitOf(ctx).caller.Token; token != "" {
		attrs = append(attrs, slog.String("token", token))
	}
	attrs = append(attrs, slog.String("result", e.Result()))
	if e.Code != "" {
		attrs = append(attrs, slog.String("code", string(e.Code)), slog.String("error_id", e.ErrorID))
	}
	s.finish(ctx, e, attrs)
}

// finish logs one line and tells whoever asked to be told.
func (s *service) finish(ctx context.Context, e Exchange, attrs []slog.Attr) {
	ctx = context.WithoutCancel(ctx) // the caller may have gone
	s.Log.LogAttrs(ctx, slog.LevelInfo, "mcp", attrs...)
	if s.onExchange != nil {
		s.onExchange(ctx, e)
	}
}
