package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestAConsoleLineHoldsNothingThatMovesTheCursorOrHides(t *testing.T) {
	for name, text := range map[string]string{
		"line break":       "a\nb",
		"escape":           "a\x1b[31mb",
		"one byte escape":  "a\xc2\x9b31mb",
		"broken UTF-8":     "a\x9b31mb",
		"right to left":    "a\u202eb",
		"line separator":   "a\u2028b",
		"zero width":       "a\u200bb",
		"attribute inside": `a="b" status=200`,
		"quote":            `a"b`,
	} {
		var out bytes.Buffer
		slog.New(newConsole(&out)).Info("request", "path", text, "status", 404)
		line, ok := strings.CutSuffix(out.String(), "\n")
		if !ok || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s: %q", name, line)
		}
		if !strings.Contains(line, ` path="a`) || !strings.HasSuffix(line, " status=404") {
			t.Errorf("%s is not quoted: %q", name, line)
		}
	}
	var out bytes.Buffer
	slog.New(newConsole(&out)).Info("imported", "rooftop", "Zürich", "took", "5µs")
	if got := out.String(); !strings.HasSuffix(got, " imported rooftop=Zürich took=5µs\n") {
		t.Errorf("plain text: %q", got)
	}
}
