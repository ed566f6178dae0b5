package dealer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// shelf is an Origin in memory, whose document and mood the test changes.
type shelf struct {
	mu      sync.Mutex
	doc     dealer.Document
	err     error
	forgets bool          // answers equal tags with the whole document
	gate    chan struct{} // holds fetches back while it is not nil
	fetches int
}

func (s *shelf) Fetch(ctx context.Context, tag string) (dealer.Document, error) {
	s.mu.Lock()
	s.fetches++
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return dealer.Document{}, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return dealer.Document{}, s.err
	case tag == s.doc.Tag && !s.forgets:
		return dealer.Document{}, dealer.ErrNotModified
	}
	return s.doc, nil
}

func (s *shelf) put(tag, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doc = dealer.Document{Tag: tag, Body: []byte(body), Modified: time.Unix(1_770_000_000, 0)}
}

func (s *shelf) fail(err error) { s.mu.Lock(); s.err = err; s.mu.Unlock() }

func (s *shelf) count() int { s.mu.Lock(); defer s.mu.Unlock(); return s.fetches }

// bench is a Cache with a clock that the test turns and a record of alarms.
type bench struct {
	*shelf
	cache *dealer.Cache
	mu    sync.Mutex
	at    time.Time
	bad   []error
}

func newBench() *bench {
	b := &bench{shelf: &shelf{}, at: time.Unix(1_777_000_000, 0)}
	b.put("1", least)
	b.cache = dealer.NewCache(b.shelf, time.Minute, func() time.Time { b.mu.Lock(); defer b.mu.Unlock(); return b.at },
		func(_ context.Context, err error) { b.mu.Lock(); defer b.mu.Unlock(); b.bad = append(b.bad, err) })
	return b
}

func (b *bench) pass(d time.Duration) { b.mu.Lock(); b.at = b.at.Add(d); b.mu.Unlock() }

func (b *bench) alarms() []error { b.mu.Lock(); defer b.mu.Unlock(); return b.bad }

func (b *bench) serves(t *testing.T, name string) *dealer.Profile {
	t.Helper()
	p, err := b.cache.Profile(t.Context())
	if err != nil || p.Name != name {
		t.Fatalf("serves %v, %v; want %s", p, err, name)
	}
	return p
}

func TestTheCacheAsksAgainOnlyWhenItsTimeIsUp(t *testing.T) {
	b := newBench()
	p := b.serves(t, "Example Motors")
	if !p.Modified.Equal(time.Unix(1_770_000_000, 0)) {
		t.Errorf("modified = %s", p.Modified)
	}
	b.put("2", instead("name: Example Motors", "name: Renamed"))
	b.pass(time.Minute - 1)
	b.serves(t, "Example Motors")
	if b.count() != 1 {
		t.Errorf("%d fetches within the time to live", b.count())
	}
	b.pass(1)
	b.serves(t, "Renamed")
	b.pass(time.Minute)
	b.serves(t, "Renamed")
	if b.count() != 3 {
		t.Errorf("%d fetches, want 3", b.count())
	}
}

func TestABadVersionNeverReplacesAGoodOneAndAlarmsOnce(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		b := newBench()
		b.forgets = forgets
		b.serves(t, "Example Motors")
		b.put("2", instead("America/Denver", "Denver"))
		for range 3 {
			b.pass(time.Minute)
			b.serves(t, "Example Motors")
		}
		if len(b.alarms()) != 1 || !strings.Contains(b.alarms()[0].Error(), "write America/Denver") {
			t.Fatalf("alarms: %v", b.alarms())
		}
		b.put("3", "nonsense")
		b.pass(time.Minute)
		b.serves(t, "Example Motors")
		if len(b.alarms()) != 2 {
			t.Errorf("another bad version did not alarm: %v", b.alarms())
		}
		b.put("1", least)
		b.pass(time.Minute)
		b.serves(t, "Example Motors")
		b.put("4", instead("name: Example Motors", "name: Mended"))
		b.pass(time.Minute)
		b.serves(t, "Mended")
	}
}

func TestAnOutageKeepsTheLastGoodProfileAndAlarmsOnce(t *testing.T) {
	b := newBench()
	b.serves(t, "Example Motors")
	down := errors.New("connection refused")
	b.fail(down)
	for range 3 {
		b.pass(time.Minute)
		b.serves(t, "Example Motors")
	}
	if len(b.alarms()) != 1 || !errors.Is(b.alarms()[0], down) {
		t.Errorf("alarms: %v", b.alarms())
	}
	b.fail(nil)
	b.put("2", instead("name: Example Motors", "name: Back"))
	b.pass(time.Minute)
	b.serves(t, "Back")
}

func TestAFirstLoadThatFailsIsAnErrorAndIsTriedAgain(t *testing.T) {
	for name, b := range map[string]*bench{"outage": newBench(), "faults": newBench()} {
		t.Run(name, func(t *testing.T) {
			if name == "outage" {
				b.fail(errors.New("no route"))
			} else {
				b.put("0", "id: A\n")
			}
			for range 2 {
				if p, err := b.cache.Profile(t.Context()); err == nil || p != nil {
					t.Fatalf("got %v, %v", p, err)
				}
			}
			b.fail(nil)
			b.put("1", least)
			b.serves(t, "Example Motors")
			if len(b.alarms()) != 1 {
				t.Errorf("alarms: %v", b.alarms())
			}
		})
	}
}

func TestConcurrentFirstCallsShareOneFetch(t *testing.T) {
	b := newBench()
	gate := make(chan struct{})
	b.gate = gate
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			if p, err := b.cache.Profile(t.Context()); err != nil || p.Name != "Example Motors" {
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
	for b.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	close(gate)
	calls.Wait()
	if b.count() != 1 {
		t.Errorf("%d fetches, want 1", b.count())
	}
}

func TestCallsDuringARefreshGoOnWithTheLastGoodProfile(t *testing.T) {
	b := newBench()
	b.serves(t, "Example Motors")
	gate := make(chan struct{})
	b.shelf.mu.Lock()
	b.gate = gate
	b.shelf.mu.Unlock()
	b.put("2", instead("name: Example Motors", "name: Renamed"))
	b.pass(time.Minute)
	refreshed := make(chan string)
	go func() {
		p, err := b.cache.Profile(t.Context())
		if err != nil {
			t.Error(err)
		}
		refreshed <- p.Name
	}()
	for b.count() < 2 {
		time.Sleep(time.Millisecond)
	}
	b.serves(t, "Example Motors")
	close(gate)
	if name := <-refreshed; name != "Renamed" {
		t.Errorf("the refreshing call got %s", name)
	}
}

func TestACallerThatLeavesSpoilsTheFetchForNobody(t *testing.T) {
	b := newBench()
	gate := make(chan struct{})
	b.gate = gate
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := b.cache.Profile(leaving); left <- err }()
	for b.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	close(gate)
	b.serves(t, "Example Motors")
	if b.count() != 1 {
		t.Errorf("%d fetches, want 1", b.count())
	}
}

func TestAFileIsReadAgainWhenItsContentChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	write := func(body string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(body), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Unix(1_770_000_000, 0)
	write(least, first)
	origin := dealer.File(path)
	doc, err := origin.Fetch(t.Context(), "")
	if err != nil || string(doc.Body) != least || doc.Tag == "" || !doc.Modified.Equal(first) {
		t.Fatalf("got %+v, %v", doc, err)
	}
	write(least, first.Add(time.Hour))
	if _, err := origin.Fetch(t.Context(), doc.Tag); !errors.Is(err, dealer.ErrNotModified) {
		t.Errorf("a touched file: %v", err)
	}
	write(with("# one more line\n"), first)
	if again, err := origin.Fetch(t.Context(), doc.Tag); err != nil || again.Tag == doc.Tag {
		t.Errorf("a changed file: %v", err)
	}
	write("id: A B\n", first)
	if _, err := dealer.NewCache(origin, time.Minute, time.Now, nil).Profile(t.Context()); err == nil || !strings.HasPrefix(err.Error(), path+":1: id:") {
		t.Errorf("faults do not name the file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := origin.Fetch(t.Context(), doc.Tag); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
