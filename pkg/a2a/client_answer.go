package a2a

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// RPCError is an error of the transport that carries no AAP error.
type RPCError struct {
	// Code is that of JSON-RPC; 0 where HTTP+JSON is spoken.
	Code    int
	Message string
	// Reason is the reason of the ErrorInfo beside it, such as
	// VERSION_NOT_SUPPORTED; empty when there is none.
	Reason string
	// Status is the HTTP status.
	Status int
}

// Error is the code, the reason and the other side's message, fit for a terminal.
func (e *RPCError) Error() string {
	what := fmt.Sprintf("JSON-RPC error %d", e.Code)
	if e.Code == 0 {
		what = fmt.Sprintf("HTTP status %d", e.Status)
	}
	if e.Reason != "" {
		what += " (" + printable(e.Reason) + ")"
	}
	return what + ": " + printable(e.Message)
}

// NoAnswer is an HTTP answer in place of one that the binding knows, such as a
// gateway's own.
type NoAnswer struct {
	// Status is the HTTP status, What what came with it.
	Status int
	What   string
}

// Error is the status and what came with it.
func (e *NoAnswer) Error() string { return fmt.Sprintf("HTTP status %d with %s", e.Status, e.What) }

// printable blanks what a stranger's text could steer a terminal with.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// Refusal is an answer that is an AAP error; it unwraps to the *aap.Error.
type Refusal struct {
	// Payload is the aap.error object as it came.
	Payload json.RawMessage
	err     *aap.Error
}

// Error is the code and the other side's message.
func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the *aap.Error.
func (r *Refusal) Unwrap() error { return r.err }

// sent is the object that holds the agent's message.
type sent struct {
	Message *struct {
		Parts []struct {
			Data json.RawMessage `json:"data"`
		} `json:"parts"`
	} `json:"message"`
}

// payload finds the skill's answer. A result counts only if it is the skill's:
// an agent that merely echoes what it is sent has not answered.
func (s *sent) payload(status int, skill aap.Skill) ([]byte, error) {
	if s != nil && s.Message != nil {
		for _, part := range s.Message.Parts {
			if !isObject(part.Data) {
				continue
			}
			var payload struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(part.Data, &payload) != nil || payload.Type != skill.ResponseType() {
				return nil, fmt.Errorf("the answer's payload is of type %q, not %s", pointerOr(payload.Type, "(none)"), skill.ResponseType())
			}
			return part.Data, nil
		}
	}
	return nil, &NoAnswer{status, "a result that holds no data"}
}

// readRPC takes an answer over JSON-RPC apart. Whatever its HTTP status, a
// JSON-RPC error in its body counts.
func readRPC(status int, id string, skill aap.Skill, raw []byte) ([]byte, error) {
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  *sent           `json:"result"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Version != "2.0" {
		return nil, &NoAnswer{status, "a body that is no JSON-RPC 2.0 answer"}
	}
	if answer.Error != nil {
		refusal, reason := readErrorData(answer.Error.Data)
		if refusal != nil {
			return nil, refusal
		}
		return nil, &RPCError{answer.Error.Code, answer.Error.Message, reason, status}
	}
	if got, _ := text(answer.ID); got != id {
		return nil, fmt.Errorf("the answer's id %.40s is not the request's", answer.ID)
	}
	return answer.Result.payload(status, skill)
}

// readREST takes an answer over HTTP+JSON apart (AAP v1.0 HTTP+JSON binding).
func readREST(status int, _ string, skill aap.Skill, raw []byte) ([]byte, error) {
	var answer struct {
		sent
		Error *struct {
			Message string          `json:"message"`
			Details json.RawMessage `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, &NoAnswer{status, "a body that is no JSON"}
	}
	if answer.Error != nil {
		refusal, reason := readErrorData(answer.Error.Details)
		if refusal != nil {
			return nil, refusal
		}
		return nil, &RPCError{0, answer.Error.Message, reason, status}
	}
	return answer.payload(status, skill)
}

// readErrorData finds the AAP error in either form of error.data: the bare
// object of AAP v1.3, or an entry of A2A 1.0's array.
func readErrorData(data json.RawMessage) (*Refusal, string) {
	entries := []json.RawMessage{data}
	if isArray(data) {
		entries = nil
		if json.Unmarshal(data, &entries) != nil {
			return nil, ""
		}
	}
	var reason string
	for _, raw := range entries {
		var entry struct {
			Tag    string `json:"@type"`
			Reason string `json:"reason"`
			aap.ErrorPayload
		}
		if json.Unmarshal(raw, &entry) != nil {
			continue
		}
		if entry.Type == "aap.error" && entry.Code != "" {
			retryable := entry.Retryable
			return &Refusal{raw, &aap.Error{Code: entry.Code, Message: entry.Message, Details: entry.Details, Retryable: &retryable}}, reason
		}
		if strings.HasSuffix(entry.Tag, "google.rpc.ErrorInfo") {
			reason = entry.Reason
		}
	}
	return nil, reason
}
