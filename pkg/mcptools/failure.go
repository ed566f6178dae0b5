package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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
func failed(ctx context.Context, alias string, err error) *mcp.CallToolResult {
	f := failureOf(ctx, err)
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

// passed is what a dealer elsewhere sent, as a tool result.
func (o offer) passed(ctx context.Context, payload []byte) *mcp.CallToolResult {
	line, ok := tame(payload)
	if !ok {
		return failed(ctx, o.alias, brokenAnswer())
	}
	return resultOf(line)
}

func brokenAnswer() *Failure {
	return &Failure{Reason: "faulty", Message: "The dealer's answer is JSON that hosts cannot read. Go on without this dealer."}
}

// mostNestedAnswer is the deepest JSON that is passed on.
const mostNestedAnswer = 100

// tame puts a stranger's JSON on one line and into valid UTF-8. It is false for
// what would break the host that reads it: other than JSON, numbers that fit no
// double, and endless nesting.
func tame(doc []byte) ([]byte, bool) {
	var line bytes.Buffer
	if json.Compact(&line, bytes.ToValidUTF8(doc, []byte("\uFFFD"))) != nil {
		return nil, false
	}
	tokens := json.NewDecoder(bytes.NewReader(line.Bytes()))
	for depth := 0; ; {
		token, err := tokens.Token()
		if err == io.EOF {
			return line.Bytes(), true
		}
		if err != nil {
			return nil, false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > mostNestedAnswer {
				return nil, false
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}
