package cloud_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

type ids struct {
	down bool
	got  []string
}

func (q *ids) Enqueue(_ context.Context, id string) error {
	if q.down {
		return errors.New("queue is down")
	}
	q.got = append(q.got, id)
	return nil
}

func TestLeadsThatMissedTheQueueAreQueuedAfterALaterRequest(t *testing.T) {
	store, queue := leadtest.NewMemory(), &ids{down: true}
	e := entry(1)
	if err := store.Create(t.Context(), e, epoch); err != nil {
		t.Fatal(err)
	}
	desk := &lead.Desk{Store: store, Queue: queue, Now: time.Now}
	door := func() http.Handler {
		return cloud.Swept(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }),
			dealer.Fixed(&dealer.Profile{ID: "seabright"}), desk, cloud.NewLogger(io.Discard, nil))
	}
	ask := func(h http.Handler) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Body.String() != "ok" {
			t.Fatalf("answer %q", w.Body)
		}
	}
	ask(door()) // the queue is still down, and the answer comes all the same
	queue.down = false
	h := door()
	ask(h)
	if !slices.Equal(queue.got, []string{e.Record.ID}) {
		t.Fatalf("queued %v, want the lead", queue.got)
	}
	e.Record.ID, e.Key, e.Equal, e.Poorer = "another", nil, "", nil
	if err := store.Create(t.Context(), e, epoch); err != nil {
		t.Fatal(err)
	}
	ask(h)
	if len(queue.got) != 1 {
		t.Error("every request sweeps")
	}
}
