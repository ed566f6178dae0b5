package cloud

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// trail is what becomes known of a request on its way; every later line of the
// log about it has that too, so that one id leads to all of them.
type trail struct {
	mu    sync.Mutex
	attrs []slog.Attr
}

type trailKey struct{}

// Trailed is a context whose lines of the log have what Note notes.
func Trailed(ctx context.Context) context.Context {
	return context.WithValue(ctx, trailKey{}, &trail{})
}

// Note adds a member to the later lines of the request, in place of an earlier
// one of that name. Without Trailed it does nothing.
func Note(ctx context.Context, attr slog.Attr) {
	t, ok := ctx.Value(trailKey{}).(*trail)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attrs = slices.DeleteFunc(t.attrs, func(a slog.Attr) bool { return a.Key == attr.Key })
	t.attrs = append(t.attrs, attr)
}

// noted adds to a record what it does not say itself.
func noted(ctx context.Context, r *slog.Record) {
	t, ok := ctx.Value(trailKey{}).(*trail)
	if !ok {
		return
	}
	said := map[string]bool{}
	r.Attrs(func(a slog.Attr) bool {
		said[a.Key] = true
		return true
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.attrs {
		if !said[a.Key] {
			r.AddAttrs(a)
		}
	}
}
