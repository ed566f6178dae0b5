package a2a

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// JSON-RPC 2.0 error codes.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
)

// codeUnauthenticated is private to this agent: A2A leaves the code to it, and
// AAP since v0.2 has none. It lies beside A2A's own codes, which end at -32009.
const codeUnauthenticated = -32010

// a2aError is an error of A2A 1.0 §5.4 with its HTTP status on the HTTP+JSON
// binding and its ErrorInfo reason.
type a2aError struct {
	code, http int
	reason     string
}

var (
	errTask        = a2aError{-32001, 404, "TASK_NOT_FOUND"}
	errPush        = a2aError{-32003, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"}
	errUnsupported = a2aError{-32004, 400, "UNSUPPORTED_OPERATION"}
	errContentType = a2aError{-32005, 415, "CONTENT_TYPE_NOT_SUPPORTED"}
	errExtension   = a2aError{-32008, 400, "EXTENSION_SUPPORT_REQUIRED"}
	errVersion     = a2aError{-32009, 400, "VERSION_NOT_SUPPORTED"}
)

// fault is an error on its way to the wire. It is of one of three kinds: an
// AAP error (aap is set), an A2A error (reason is set), or plain JSON-RPC.
type fault struct {
	code     int
	message  string
	reason   string
	metadata map[string]string
	aap      *aap.Error

	// status is the HTTP status where the transport decides it; 0 leaves it to
	// the binding. rest is what HTTP+JSON gives an A2A error.
	status     int
	rest       int
	allow      string
	challenge  string
	retryAfter time.Duration

	// root is what pointers of the aap error are rooted at, as an A2A field path.
	root string
	// id is the error_id once the fault was rendered.
	id string
}

func a2aFault(e a2aError, message string) *fault {
	return &fault{code: e.code, rest: e.http, reason: e.reason, message: message}
}

// http sets the HTTP status.
func (f *fault) http(status int) *fault {
	f.status = status
	return f
}

// with adds one word of ErrorInfo metadata.
func (f *fault) with(key, value string) *fault {
	if f.metadata == nil {
		f.metadata = map[string]string{}
	}
	f.metadata[key] = value
	return f
}

// faultOf turns what a skill returned into a fault. Whatever is not an
// *aap.Error becomes INTERNAL_ERROR there.
func faultOf(err error) *fault {
	e := aap.Public(err)
	f := &fault{code: e.Code.RPC(), message: e.Message, aap: e}
	if ms, ok := e.Details["retry_after_ms"].(int64); ok && e.Code == aap.RateLimited {
		f.retryAfter = time.Duration(ms) * time.Millisecond
	}
	return f
}

// The type URLs of error.data entries.
const (
	typeErrorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	typeBadRequest = "type.googleapis.com/google.rpc.BadRequest"
	typeAAPError   = "https://autoagentprotocol.org/extensions/aap/error"
	typeAAPRest    = "type.googleapis.com/aap.error"
	domainA2A      = "a2a-protocol.org"
	domainAAP      = "autoagentprotocol.org"
)

type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

type badRequest struct {
	Type       string           `json:"@type"`
	Violations []fieldViolation `json:"fieldViolations"`
}

type fieldViolation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

type taggedError struct {
	Type string `json:"@type"`
	aap.ErrorPayload
}

// errorForm is how an AAP error is written into the data of an error.
type errorForm int

const (
	// errorBare is the aap.error object alone (AAP v1.3 JSON-RPC binding).
	errorBare errorForm = iota
	// errorTyped is the array of A2A 1.0 §9.5 with that object, tagged, last.
	errorTyped
	// errorPair is ErrorInfo and that object, tagged (AAP v1.0 HTTP+JSON binding).
	errorPair
)

// errorData is the one place that shapes what an error carries; nil means
// nothing. A2A's own errors have no aap.error, so they are always the array.
func (f *fault) errorData(form errorForm, newID func() string, now time.Time) any {
	if f.aap == nil {
		if f.reason == "" {
			return nil
		}
		return []any{errorInfo{typeErrorInfo, f.reason, domainA2A, f.metadata}}
	}
	f.id = newID()
	payload := f.aap.Payload(f.id, now)
	if form == errorBare {
		return payload
	}
	metadata := map[string]string{
		"code": string(payload.Code), "error_id": payload.ErrorID,
		"retryable": strconv.FormatBool(payload.Retryable), "created_at": payload.CreatedAt,
	}
	maps.Copy(metadata, f.metadata)
	data := []any{errorInfo{typeErrorInfo, string(payload.Code), domainAAP, metadata}}
	if form == errorPair {
		return append(data, taggedError{typeAAPRest, payload})
	}
	if faults, ok := payload.Details["errors"].([]aap.Violation); ok && len(faults) > 0 {
		fields := make([]fieldViolation, len(faults))
		for i, v := range faults {
			fields[i] = fieldViolation{fieldPath(f.root, v.InstanceLocation), v.Error}
		}
		data = append(data, badRequest{typeBadRequest, fields})
	}
	return append(data, taggedError{typeAAPError, payload})
}

// fieldPath writes a JSON Pointer below root as A2A's examples write fields:
// message.parts[0].data.filters.year_min.
func fieldPath(root, pointer string) string {
	var b strings.Builder
	b.WriteString(root)
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for i, token := range strings.Split(pointer, "/") {
		switch {
		case i == 0: // before the first slash
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(unescape.Replace(token))
		}
	}
	return b.String()
}
