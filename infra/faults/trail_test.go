package faults

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// trail keeps what was logged about each lead, to explain a fault.
type trail struct {
	mu    sync.Mutex
	lines map[string][]string
}

func newTrail() *trail { return &trail{lines: map[string][]string{}} }

func (t *trail) Enabled(context.Context, slog.Level) bool { return true }
func (t *trail) WithAttrs([]slog.Attr) slog.Handler       { return t }
func (t *trail) WithGroup(string) slog.Handler            { return t }
func (t *trail) Handle(_ context.Context, r slog.Record) error {
	id, line := "", r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "lead" || a.Key == "lead_id" {
			id = a.Value.String()
		}
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	t.add(id, line)
	return nil
}

func (t *trail) add(leadID, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines[leadID] = append(t.lines[leadID], time.Now().Format("15:04:05.000 ")+line)
}

func (t *trail) of(leadID string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines[leadID], "\n")
}
