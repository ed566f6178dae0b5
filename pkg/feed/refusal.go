package feed

import (
	"errors"
	"strings"
)

// ErrRefused is in the chain of every refusal of a file as a whole. Nothing
// was changed, and sending the same file again changes nothing either.
var ErrRefused = errors.New("feed refused")

// Refusal says why a file was refused and what to do.
type Refusal struct {
	Reason string
	// Headers are the columns found, to map from.
	Headers []string
}

// Error is the reason and the columns found.
func (r *Refusal) Error() string {
	s := "feed refused: " + r.Reason
	if len(r.Headers) > 0 {
		s += " (columns found: " + strings.Join(r.Headers, ", ") + ")"
	}
	return s
}

// Unwrap returns ErrRefused.
func (r *Refusal) Unwrap() error { return ErrRefused }

// advised adds to a reason what the profile can say about it.
func advised(reason string) string {
	switch reason {
	case "no make":
		return reason + "; name its column in feed.columns, or write it into feed.constants when all are of one make"
	case "no model":
		return reason + "; name its column in feed.columns"
	}
	return reason
}
