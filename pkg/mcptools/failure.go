package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Refusal is an AAP error of a dealer elsewhere. It is passed on as it came.
type Refusal struct {
	// Payload is the aap.error object.
	Payload json.RawMessage
	Code    aap.Code
}

// Error is the code: the rest are the dealer's words.
func (r *Refusal) Error() string { return string(r.Code) }

// Failure says why a dealer elsewhere gave no answer that AAP knows. It is told
// the model as it is, and is no AAP error: no dealer said it.
type Failure struct {
	// Reason is one word for programs: slow, unreachable, unauthorized, refused,
	// not_aap, too_long or faulty.
	Reason string
	// Message says what to do.
	Message string
	// Retryable is true when the same call may succeed later.
	Retryable bool
	// Cause is logged and never shown.
	Cause error
}

// Error is the reason and the message.
func (f *Failure) Error() string { return f.Reason + ": " + f.Message }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// failureOf is any error as a Failure.
func failureOf(ctx context.Context, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	timeout, ok := errors.AsType[net.Error](err)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) || ok && timeout.Timeout() {
		return &Failure{Reason: "slow", Message: "The dealer did not answer in time. Try again later, or go on without it.", Retryable: true, Cause: err}
	}
	return &Failure{Reason: "faulty", Message: "The dealer could not be asked. Try again later, or go on without it.", Retryable: true, Cause: err}
}

// reasonOf is the word for logs.
func reasonOf(ctx context.Context, err error) string {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return string(r.Code)
	}
	return failureOf(ctx, err).Reason
}

// causeOf is for the person at this machine, before any buyer's data were sent.
func causeOf(err error) string {
	if f, ok := errors.AsType[*Failure](err); ok && f.Cause != nil {
		return f.Cause.Error()
	}
	return err.Error()
}

// failureType marks a Failure among payloads.
const failureType = "dealer.failure"

// failed is an error before or after a call of a dealer, as a tool result.
func failed(alias string, err error) *mcp.CallToolResult {
	f := failureOf(context.Background(), err)
	doc, _ := json.Marshal(struct {
		Type      string `json:"type"`
		Dealer    string `json:"dealer,omitempty"`
		Reason    string `json:"reason"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
	}{failureType, alias, f.Reason, f.Message, f.Retryable})
	result := resultOf(doc)
	result.IsError = true
	return result
}

// passed is what a dealer elsewhere sent, as a tool result: on one line and in
// valid UTF-8, since hosts read lines and refuse others.
func passed(payload []byte) *mcp.CallToolResult {
	var line bytes.Buffer
	if json.Compact(&line, bytes.ToValidUTF8(payload, []byte("\uFFFD"))) != nil {
		return failed("", &Failure{Reason: "faulty", Message: "The dealer's answer is no JSON. Go on without this dealer."})
	}
	return resultOf(line.Bytes())
}
