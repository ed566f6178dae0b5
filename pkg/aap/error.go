package aap

import (
	"errors"
	"fmt"
	"time"
)

// Code is an AAP error code.
type Code string

// The error codes of AAP v1.1 to v1.3.
const (
	UnsupportedSkill           Code = "UNSUPPORTED_SKILL"
	SchemaValidationFailed     Code = "SCHEMA_VALIDATION_FAILED"
	MissingRequiredField       Code = "MISSING_REQUIRED_FIELD"
	InvalidCondition           Code = "INVALID_CONDITION"
	VehicleNotFound            Code = "VEHICLE_NOT_FOUND"
	VehicleUnavailable         Code = "VEHICLE_UNAVAILABLE"
	ContactConsentRequired     Code = "CONTACT_CONSENT_REQUIRED"
	InvalidConsent             Code = "INVALID_CONSENT"
	AppointmentTimeUnavailable Code = "APPOINTMENT_TIME_UNAVAILABLE"
	IdempotencyConflict        Code = "IDEMPOTENCY_CONFLICT"
	RateLimited                Code = "RATE_LIMITED"
	InternalError              Code = "INTERNAL_ERROR"
)

// AuthRequired is the code of AAP v0.1 alone for a call without valid
// credentials. Codes leaves it out; see Version.Codes.
const AuthRequired Code = "AUTH_REQUIRED"

// codeRow is one code: its JSON-RPC number, its HTTP status on the HTTP+JSON
// binding of AAP v0.1 to v1.0, and whether a retry may help.
type codeRow struct {
	code      Code
	rpc, http int
	retryable bool
}

// codes is the one table of codes (AAP v1.3 errors, AAP v1.0 errors).
var codes = []codeRow{
	{UnsupportedSkill, -32601, 404, false},
	{SchemaValidationFailed, -32602, 422, false},
	{MissingRequiredField, -32602, 422, false},
	{InvalidCondition, -32602, 422, false},
	{VehicleNotFound, -32000, 404, false},
	{VehicleUnavailable, -32000, 409, false},
	{ContactConsentRequired, -32000, 403, false},
	{InvalidConsent, -32000, 403, false},
	{AppointmentTimeUnavailable, -32000, 409, false},
	{IdempotencyConflict, -32000, 409, false},
	{RateLimited, -32002, 429, true},
	{InternalError, -32603, 500, true},
}

// authRequired is the row of AUTH_REQUIRED (AAP v0.1 errors).
var authRequired = codeRow{AuthRequired, -32001, 401, false}

// Codes lists every code in table order.
func Codes() []Code {
	out := make([]Code, len(codes))
	for i, row := range codes {
		out[i] = row.code
	}
	return out
}

// RPC is the JSON-RPC error number that carries the code; unknown codes get
// the number of INTERNAL_ERROR.
func (c Code) RPC() int {
	if row, ok := c.row(); ok {
		return row.rpc
	}
	return InternalError.RPC()
}

// HTTP is the status that carries the code on the HTTP+JSON binding; unknown
// codes get that of INTERNAL_ERROR.
func (c Code) HTTP() int {
	if row, ok := c.row(); ok {
		return row.http
	}
	return InternalError.HTTP()
}

// Retryable is the code's default answer to "may the same request succeed later?".
func (c Code) Retryable() bool {
	row, _ := c.row()
	return row.retryable
}

func (c Code) row() (codeRow, bool) {
	for _, row := range codes {
		if row.code == c {
			return row, true
		}
	}
	return authRequired, c == AuthRequired
}

// Violation is one fault of a payload: where, which rule, and what to do
// about it. InstanceLocation is a JSON Pointer (RFC 6901) rooted at the AAP
// payload that names the offending or missing member itself
// (AAP v1.3 errors, details.errors).
type Violation struct {
	InstanceLocation string `json:"instanceLocation"`
	Keyword          string `json:"keyword"`
	Error            string `json:"error"`
}

// Error is a fault the buyer's agent is told about. Anything that is not an
// *Error reaches the wire as INTERNAL_ERROR with a fixed sentence.
type Error struct {
	Code Code
	// Message is public: it never holds personal data, paths or causes.
	Message string
	// Details are public, safe diagnostics; nil leaves the member out.
	Details map[string]any
	// Retryable overrides the code's default when it is not nil.
	Retryable *bool

	cause error
}

// Errorf makes an Error with a public message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because attaches the private cause, which is logged and never shown.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// With adds one public detail.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Error is the code and the public message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the private cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &aap.Error{Code: aap.VehicleNotFound}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Public turns any error into the one that may be shown: an *Error in the
// chain as it is, everything else as INTERNAL_ERROR that keeps err as its cause.
func Public(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(InternalError, "The dealer agent could not complete the request. Please try again.").Because(err)
}

// ErrorPayload is the aap.error object as it goes on the wire
// (AAP v1.3 error schema).
type ErrorPayload struct {
	Type      string         `json:"type"`
	ErrorID   string         `json:"error_id"`
	Code      Code           `json:"code"`
	Message   string         `json:"message"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details,omitempty"`
	CreatedAt string         `json:"created_at"`
}

// Payload renders the error for the wire; id must be unique per instance.
func (e *Error) Payload(id string, now time.Time) ErrorPayload {
	retryable := e.Code.Retryable()
	if e.Retryable != nil {
		retryable = *e.Retryable
	}
	return ErrorPayload{
		Type: "aap.error", ErrorID: id, Code: e.Code, Message: e.Message,
		Retryable: retryable, Details: e.Details, CreatedAt: now.UTC().Format(time.RFC3339),
	}
}
