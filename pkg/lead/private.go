package lead

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// String names the lead and nothing of the buyer.
func (r Record) String() string { return "[lead " + r.ID + "]" }

// Format writes String for every verb.
func (r Record) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.String()) }

// LogValue is what a log may know of a lead: none of the request, none of the
// answer.
func (r Record) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", r.ID),
		slog.String("dealer_id", r.DealerID),
		slog.Time("received_at", r.ReceivedAt),
		slog.String("version", r.Version),
		slog.String("rooftop", r.Rooftop),
	)
}

// String names the lead and nothing of the buyer.
func (e Entry) String() string { return "[entry of lead " + e.Record.ID + "]" }

// Format writes String for every verb.
func (e Entry) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, e.String()) }

// LogValue is the record's.
func (e Entry) LogValue() slog.Value { return e.Record.LogValue() }

// Discreet puts a guard in front of a log handler: scalars, times, errors and
// values that say themselves how they are logged pass; every other value, such
// as a payload, a slice of customers or a struct that holds one, is replaced
// by the name of its type. Production loggers are built with it, because the
// JSON handler would write such values out whole.
func Discreet(h slog.Handler) slog.Handler { return discreet{h} }

type discreet struct{ next slog.Handler }

func (d discreet) Enabled(ctx context.Context, level slog.Level) bool {
	return d.next.Enabled(ctx, level)
}

func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(cleanAttr(a))
		return true
	})
	return d.next.Handle(ctx, clean)
}

func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return discreet{d.next.WithAttrs(cleanAttrs(attrs))}
}

func (d discreet) WithGroup(name string) slog.Handler { return discreet{d.next.WithGroup(name)} }

func cleanAttrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = cleanAttr(a)
	}
	return out
}

func cleanAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		v = slog.GroupValue(cleanAttrs(v.Group())...)
	case slog.KindAny:
		switch x := v.Any().(type) {
		case nil:
		case error:
			v = slog.StringValue(x.Error())
		default:
			v = slog.StringValue(fmt.Sprintf("[%T]", x))
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}
