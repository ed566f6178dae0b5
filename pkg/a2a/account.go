package a2a

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Exchange says what one request was and how it ended. It holds nothing a
// caller wrote: unknown methods and skills are empty.
type Exchange struct {
	Method  string
	Skill   string
	Version string
	// Token is the name of the bearer token shown, as the profile has it; empty
	// where none is asked for.
	Token string
	// Status is the HTTP status.
	Status int
	// RPC is the JSON-RPC error code, of HTTP+JSON too, and 0 for a result;
	// Code is its AAP code, if any.
	RPC  int
	Code aap.Code
	// ErrorID is the error_id the caller was given.
	ErrorID  string
	Duration time.Duration
	// Read and Sent are body lengths in bytes.
	Read int
	Sent int
}

// Result is ok, the AAP code in which the exchange ended, or refused where the
// fault has none.
func (e Exchange) Result() string {
	switch {
	case e.Code != "":
		return string(e.Code)
	case e.RPC != 0:
		return "refused"
	}
	return "ok"
}

// account logs the exchange: one line, and one more with the cause when the
// agent itself failed.
func (x *exchange) account(a answer, status, sent int) {
	e := Exchange{
		Method: x.method, Skill: x.skill.ID, Version: x.version.Label, Token: x.caller.Token,
		Status: status, Duration: time.Since(x.began), Read: x.read, Sent: sent,
	}
	if _, known := x.operation(); !known {
		e.Method = ""
	}
	if a.fault != nil {
		e.RPC, e.ErrorID = a.fault.code, a.fault.id
		if a.fault.aap != nil {
			e.Code = a.fault.aap.Code
		}
	}
	// The request may have been cancelled; its line is written all the same.
	ctx := context.WithoutCancel(x.ctx)
	if e.Code == aap.InternalError {
		level := slog.LevelError
		if errors.Is(x.r.Context().Err(), context.Canceled) {
			level = slog.LevelInfo // the caller hung up; nothing here is broken
		}
		x.Log.LogAttrs(ctx, level, "internal error",
			slog.String("error_id", e.ErrorID), slog.Any("cause", a.fault.aap.Unwrap()))
	}
	x.Log.LogAttrs(ctx, slog.LevelInfo, "a2a", e.attrs()...)
	if x.OnExchange != nil {
		x.OnExchange(ctx, e)
	}
}

func (e Exchange) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", e.Method), slog.String("skill", e.Skill), slog.String("version", e.Version),
		slog.String("result", e.Result()), slog.Int("status", e.Status), slog.Duration("duration", e.Duration),
		slog.Int("read", e.Read), slog.Int("sent", e.Sent),
	}
	if e.Token != "" {
		attrs = append(attrs, slog.String("token", e.Token))
	}
	if e.RPC != 0 {
		attrs = append(attrs, slog.Int("rpc_code", e.RPC))
	}
	if e.Code != "" {
		attrs = append(attrs, slog.String("code", string(e.Code)))
	}
	if e.ErrorID != "" {
		attrs = append(attrs, slog.String("error_id", e.ErrorID))
	}
	return attrs
}
