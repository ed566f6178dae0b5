package agent

import (
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// Settings are what every transport in front of the agent may be told and what
// all of them take when they are not.
type Settings struct {
	// Now is the clock of error dates. Default time.Now.
	Now func() time.Time
	// Ticks is the clock of quotas, which must run even where Now stands.
	// Default time.Now.
	Ticks func() time.Time
	// NewID makes error, message and context ids. Default UUIDv7.
	NewID func() string
	// Log gets one line a message, and one with the cause of each internal
	// error. Default: nothing is logged.
	Log *slog.Logger
	// Timeout ends the work on one call. Default 10s.
	Timeout time.Duration
	// MostCallers bounds how many callers' quotas are remembered. Default
	// caller.MostCallers.
	MostCallers int
}

// Filled gives everything that was left out its default.
func (s Settings) Filled() Settings {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Ticks == nil {
		s.Ticks = time.Now
	}
	if s.NewID == nil {
		s.NewID = NewID
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Timeout == 0 {
		s.Timeout = 10 * time.Second
	}
	if s.MostCallers == 0 {
		s.MostCallers = caller.MostCallers
	}
	return s
}

// NewID makes a UUIDv7; it can fail only if the system's randomness does,
// which crypto/rand does not survive either.
func NewID() string {
	id, _ := uuid.NewV7()
	return id.String()
}
