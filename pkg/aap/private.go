package aap

import (
	"fmt"
	"io"
	"log/slog"
)

// The types that hold personal data print and log as a fixed word, whatever
// the verb, so that a careless log line or error text shows nobody. Their JSON
// is untouched: the wire and the store need it.

// String is a fixed word; see Format.
func (Customer) String() string { return "[customer]" }

// Format writes a fixed word for every verb.
func (c Customer) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, c.String()) }

// LogValue is a fixed word.
func (c Customer) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String is a fixed word; see Format.
func (Consent) String() string { return "[consent]" }

// Format writes a fixed word for every verb.
func (c Consent) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, c.String()) }

// LogValue is a fixed word.
func (c Consent) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String is a fixed word; see Format.
func (Address) String() string { return "[address]" }

// Format writes a fixed word for every verb.
func (a Address) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, a.String()) }

// LogValue is a fixed word.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String names the type of visit; the time and the notes are the buyer's.
func (a Appointment) String() string { return "[appointment: " + a.AppointmentType + "]" }

// Format writes String for every verb.
func (a Appointment) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, a.String()) }

// LogValue is String.
func (a Appointment) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String is a fixed word; see Format.
func (LeadRequest) String() string { return "[lead request]" }

// Format writes a fixed word for every verb.
func (r LeadRequest) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.String()) }

// LogValue is a fixed word.
func (r LeadRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }
