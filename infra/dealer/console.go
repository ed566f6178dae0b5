package main

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// console is a slog.Handler that writes one short line per record for a
// person at a terminal: time, message, then the attributes as key=value.
type console struct {
	mu    *sync.Mutex
	out   io.Writer
	attrs string
	group string
}

func newConsole(out io.Writer) *console { return &console{mu: &sync.Mutex{}, out: out} }

// Enabled drops debug records.
func (c *console) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle writes the line whole, so that lines of parallel requests do not mix.
func (c *console) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Time.Format("15:04:05 "))
	if r.Level >= slog.LevelWarn {
		b.WriteString(r.Level.String() + " ")
	}
	b.WriteString(r.Message)
	b.WriteString(c.attrs)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(attribute(c.group, a))
		return true
	})
	b.WriteByte('\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := io.WriteString(c.out, b.String())
	return err
}

// WithAttrs returns a console that adds attrs to every line.
func (c *console) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *c
	for _, a := range attrs {
		next.attrs += attribute(c.group, a)
	}
	return &next
}

// WithGroup returns a console that puts name before every key.
func (c *console) WithGroup(name string) slog.Handler {
	next := *c
	next.group += name + "."
	return &next
}

func attribute(group string, a slog.Attr) string {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		var b strings.Builder
		for _, member := range value.Group() {
			b.WriteString(attribute(group+a.Key+".", member))
		}
		return b.String()
	}
	text := value.String()
	if text == "" {
		return ""
	}
	// Quoted, a value stays one value on one line whatever it holds.
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r == '"' || !unicode.IsPrint(r) }) {
		text = strconv.Quote(text)
	}
	return " " + group + a.Key + "=" + text
}
