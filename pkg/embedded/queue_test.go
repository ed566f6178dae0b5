package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/embedded"
)

// running starts Run and returns how to end it; the end waits for Run.
func running(t *testing.T, q *embedded.Queue, handle func(context.Context, string) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx, handle) }()
	return sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Run does not end")
		}
	})
}

func fast(db *embedded.DB, now func() time.Time) *embedded.Queue {
	q := db.Queue(now)
	q.FirstWait, q.MaxWait = 2*time.Millisecond, 20*time.Millisecond
	return q
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

func pending(t *testing.T, q *embedded.Queue) int {
	t.Helper()
	n, err := q.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEveryIDIsHandledAlthoughHandlingFails(t *testing.T) {
	q := fast(open(t, t.TempDir()), time.Now)
	var tries sync.Map
	var failures atomic.Int64
	q.OnFailure = func(string, int, time.Duration, error) { failures.Add(1) }
	stop := running(t, q, func(_ context.Context, id string) error {
		n, _ := tries.LoadOrStore(id, new(atomic.Int64))
		switch n.(*atomic.Int64).Add(1) {
		case 1:
			return errors.New("not yet")
		case 2:
			panic("broken")
		}
		return nil
	})
	defer stop()
	for n := range 100 {
		if err := q.Enqueue(t.Context(), fmt.Sprint("lead-", n)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the queue is empty", func() bool { return pending(t, q) == 0 })
	if got := failures.Load(); got != 200 {
		t.Errorf("%d failures were told, want 200", got)
	}
}

func TestNoMoreThanTheWorkersRunAtOnceAndNoIDTwice(t *testing.T) {
	q := fast(open(t, t.TempDir()), time.Now)
	q.Workers = 3
	var now, most atomic.Int64
	var busy sync.Map
	stop := running(t, q, func(_ context.Context, id string) error {
		if _, twice := busy.LoadOrStore(id, true); twice {
			t.Errorf("%s is handled by two workers", id)
		}
		defer busy.Delete(id)
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		return nil
	})
	defer stop()
	for n := range 60 {
		if err := q.Enqueue(t.Context(), fmt.Sprint("lead-", n%20)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the queue is empty", func() bool { return pending(t, q) == 0 })
	if most.Load() > 3 || most.Load() < 2 {
		t.Errorf("%d ran at once, want up to 3", most.Load())
	}
}

func TestAnIDEnqueuedWhileItIsHandledIsHandledOnceMore(t *testing.T) {
	q := fast(open(t, t.TempDir()), time.Now)
	begun, release := make(chan struct{}, 8), make(chan struct{})
	var handled atomic.Int64
	stop := running(t, q, func(context.Context, string) error {
		handled.Add(1)
		begun <- struct{}{}
		<-release
		return nil
	})
	defer stop()
	for range 2 {
		if err := q.Enqueue(t.Context(), "lead"); err != nil {
			t.Fatal(err)
		}
		if handled.Load() == 0 {
			<-begun
		}
	}
	close(release)
	eventually(t, "the queue is empty", func() bool { return pending(t, q) == 0 })
	if n := handled.Load(); n != 2 {
		t.Errorf("handled %d times, want 2", n)
	}
}

func TestEnqueueEndsTheWaitForARetry(t *testing.T) {
	q := open(t, t.TempDir()).Queue(time.Now)
	q.FirstWait = time.Hour
	var handled atomic.Int64
	stop := running(t, q, func(context.Context, string) error {
		if handled.Add(1) == 1 {
			return errors.New("closed")
		}
		return nil
	})
	defer stop()
	if err := q.Enqueue(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first attempt", func() bool { return handled.Load() == 1 })
	time.Sleep(20 * time.Millisecond)
	if handled.Load() != 1 {
		t.Fatal("the wait for the retry is not kept")
	}
	if err := q.Enqueue(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the queue is empty", func() bool { return pending(t, q) == 0 })
}

func TestRetriesOutliveARestartWithTheirWait(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	q := db.Queue(time.Now)
	q.FirstWait = 400 * time.Millisecond
	failed := make(chan time.Duration, 1)
	q.OnFailure = func(_ string, _ int, wait time.Duration, _ error) { failed <- wait }
	stop := running(t, q, func(context.Context, string) error { return errors.New("closed") })
	if err := q.Enqueue(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	wait := <-failed
	due := time.Now().Add(wait)
	stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	q = open(t, dir).Queue(time.Now)
	handled := make(chan time.Time, 1)
	defer running(t, q, func(context.Context, string) error { handled <- time.Now(); return nil })()
	select {
	case at := <-handled:
		if at.Before(due.Add(-100 * time.Millisecond)) {
			t.Errorf("handled %v before its time", due.Sub(at))
		}
	case <-time.After(10 * time.Second):
		t.Error("never handled")
	}
}

func TestAFixedClockDoesNotStopRetries(t *testing.T) {
	q := fast(open(t, t.TempDir()), func() time.Time { return epoch })
	var handled atomic.Int64
	defer running(t, q, func(context.Context, string) error {
		if handled.Add(1) < 4 {
			return errors.New("closed")
		}
		return nil
	})()
	if err := q.Enqueue(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the queue is empty", func() bool { return pending(t, q) == 0 })
}

func TestTheEndWaitsForHandlersAndKeepsTheRest(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	q := db.Queue(time.Now)
	q.Workers = 1
	begun, release := make(chan struct{}), make(chan struct{})
	var finished atomic.Int64
	stop := running(t, q, func(ctx context.Context, _ string) error {
		close(begun)
		<-release
		if ctx.Err() != nil {
			t.Error("the handler's context ended with Run's")
		}
		finished.Add(1)
		return nil
	})
	for _, id := range []string{"a", "b"} {
		if err := q.Enqueue(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	<-begun
	go func() {
		time.Sleep(30 * time.Millisecond)
		close(release)
	}()
	stop()
	if finished.Load() != 1 || pending(t, q) != 1 {
		t.Errorf("%d finished and %d left, want one each", finished.Load(), pending(t, q))
	}
}

func TestHandlersThatDoNotEndAreCutOffAfterTheGrace(t *testing.T) {
	q := open(t, t.TempDir()).Queue(time.Now)
	q.Grace = 10 * time.Millisecond
	begun := make(chan struct{})
	stop := running(t, q, func(ctx context.Context, _ string) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	if err := q.Enqueue(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	<-begun
	stop()
	if pending(t, q) != 1 {
		t.Error("the lead that was cut off is lost")
	}
}

// later is a failure that knows when to come back.
type later time.Duration

func (l later) Error() string             { return "later" }
func (l later) RetryAfter() time.Duration { return time.Duration(l) }

func TestAHandlerSaysItselfWhenToComeBack(t *testing.T) {
	q := fast(open(t, t.TempDir()), time.Now)
	waits := make(chan time.Duration, 10)
	q.OnFailure = func(_ string, _ int, wait time.Duration, _ error) { waits <- wait }
	asked := []time.Duration{300 * time.Millisecond, 0, 99 * time.Hour}
	var times []time.Time
	stop := running(t, q, func(context.Context, string) error {
		times = append(times, time.Now())
		return fmt.Errorf("lead: %w", later(asked[len(times)-1]))
	})
	defer stop()
	if err := q.Enqueue(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := <-waits; got != asked[0] {
		t.Errorf("pause %v, want the one asked for", got)
	}
	if got := <-waits; got > 20*time.Millisecond {
		t.Errorf("pause %v when none was asked for", got)
	}
	if got := <-waits; got != time.Hour {
		t.Errorf("pause %v, want no more than an hour", got)
	}
	stop()
	if took := times[1].Sub(times[0]); took < asked[0] {
		t.Errorf("came back after %v", took)
	}
}
