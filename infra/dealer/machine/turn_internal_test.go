package machine

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
)

func TestAFloodIsWorkedOnAFewRequestsAtATime(t *testing.T) {
	var now, most atomic.Int32
	server := httptest.NewServer(newInTurn(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		time.Sleep(2 * time.Millisecond)
		_, _ = io.Copy(w, r.Body)
	}), 4))
	defer server.Close()
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			res, err := http.Post(server.URL, "application/json", strings.NewReader(`{"a":1}`))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if body, _ := io.ReadAll(res.Body); string(body) != `{"a":1}` {
				t.Errorf("the body arrives as %q", body)
			}
		})
	}
	all.Wait()
	if n := most.Load(); n < 2 || n > 4 {
		t.Errorf("%d requests at a time, want up to 4", n)
	}
}

func TestABodyThatBreaksOffOrIsTooLongArrivesAsThat(t *testing.T) {
	type outcome struct {
		length int
		err    error
	}
	seen := make(chan outcome, 1)
	h := newInTurn(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, a2a.MaxBody+1))
		seen <- outcome{len(body), err}
	}), 1)
	broken := httptest.NewRequest(http.MethodPost, "/a2a", io.MultiReader(strings.NewReader("[1,2"), brokenOff{}))
	h.ServeHTTP(httptest.NewRecorder(), broken)
	if got := <-seen; got.length != 4 || got.err != io.ErrUnexpectedEOF {
		t.Errorf("broken off: %+v", got)
	}
	long := httptest.NewRequest(http.MethodPost, "/a2a", io.MultiReader(strings.NewReader(strings.Repeat(" ", a2a.MaxBody+9))))
	h.ServeHTTP(httptest.NewRecorder(), long)
	if got := <-seen; got.length != a2a.MaxBody+1 || got.err != nil {
		t.Errorf("too long: %+v", got)
	}
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
