package a2a

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// RPCError is a JSON-RPC error that carries no AAP error.
type RPCError struct {
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
	if e.Reason == "" {
		return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, printable(e.Message))
	}
	return fmt.Sprintf("JSON-RPC error %d (%s): %s", e.Code, printable(e.Reason), printable(e.Message))
}

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

// readAnswer takes an answer apart. Whatever its HTTP status, a JSON-RPC error
// in its body counts. A result counts only if it is the skill's: an agent that
// merely echoes what it is sent has not answered.
func readAnswer(status int, id string, skill aap.Skill, raw []byte) ([]byte, error) {
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  *struct {
			Message *struct {
				Role  string `json:"role"`
				Parts []struct {
					Data json.RawMessage `json:"data"`
				} `json:"parts"`
			} `json:"message"`
		} `json:"result"`
		Error *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Version != "2.0" {
		return nil, fmt.Errorf("HTTP status %d with a body that is no JSON-RPC 2.0 answer", status)
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
	if answer.Result != nil && answer.Result.Message != nil {
		for _, part := range answer.Result.Message.Parts {
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
	return nil, fmt.Errorf("HTTP status %d with a result that holds no data", status)
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
