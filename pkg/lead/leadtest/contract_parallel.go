package leadtest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// racers is how many callers meet at once.
const racers = 50

// race runs f for 0..racers-1 at once and returns the errors by number.
func race(f func(n int) error) []error { return raceOf(racers, f) }

func raceOf(callers int, f func(n int) error) []error {
	errs := make([]error, callers)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			<-start
			errs[n] = f(n)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// winner finds the one nil and demands the sentinel everywhere else.
func winner(t *testing.T, errs []error, lost error) int {
	t.Helper()
	won := -1
	for n, err := range errs {
		switch {
		case err == nil && won >= 0:
			t.Fatalf("both %d and %d won", won, n)
		case err == nil:
			won = n
		case !errors.Is(err, lost):
			t.Fatalf("caller %d: %v, want %v", n, err, lost)
		}
	}
	if won < 0 {
		t.Fatal("nobody won")
	}
	return won
}

func onlyLead(t *testing.T, s lead.Store, want string) {
	t.Helper()
	if ids := outbox(t, s, store); len(ids) != 1 || ids[0] != want {
		t.Fatalf("outbox is %v, want only %s", ids, want)
	}
	if all := list(t, s, store); len(all) != 1 || all[0].ID != want {
		t.Fatalf("List has %d records, want only %s", len(all), want)
	}
}

func parallelKey(t *testing.T, s lead.Store) {
	errs := race(func(n int) error {
		e := entry(n)
		e.Key.Value = "one-key"
		return s.Create(t.Context(), e, epoch)
	})
	won := entry(winner(t, errs, lead.ErrKeyTaken))
	onlyLead(t, s, won.Record.ID)
	if key, err := s.ByKey(t.Context(), store, "one-key", epoch); err != nil || key.LeadID != won.Record.ID || key.Digest != won.Key.Digest {
		t.Fatalf("key is %+v, %v; want lead %s", key, err, won.Record.ID)
	}
}

func parallelEqual(t *testing.T, s lead.Store) {
	errs := race(func(n int) error {
		e := entry(n)
		e.Equal = "one-digest"
		return s.Create(t.Context(), e, epoch)
	})
	won := entry(winner(t, errs, lead.ErrDuplicate))
	onlyLead(t, s, won.Record.ID)
	standsFor(t, s, "one-digest", won.Record.ID, epoch)
}

// Of the equal leads one is stored, whichever comes first; and the richer one
// is stored in any case and stands for both digests in the end.
func parallelPoorer(t *testing.T, s lead.Store) {
	errs := race(func(n int) error {
		e := entry(n)
		e.Equal, e.Poorer = "poor-digest", nil
		if n%2 == 0 {
			e.Equal, e.Poorer = "rich-digest", []string{"poor-digest"}
		}
		return s.Create(t.Context(), e, epoch)
	})
	stored := [2]int{}
	rich := ""
	for n, err := range errs {
		if err != nil {
			wantErr(t, err, lead.ErrDuplicate)
			continue
		}
		if stored[n%2]++; n%2 == 0 {
			rich = entry(n).Record.ID
		}
	}
	if stored[0] != 1 || stored[1] > 1 {
		t.Fatalf("%d rich leads and %d poor ones are stored, want one, and at most one", stored[0], stored[1])
	}
	standsFor(t, s, "rich-digest", rich, epoch)
	standsFor(t, s, "poor-digest", rich, epoch)
	if all := list(t, s, store); len(all) != stored[0]+stored[1] {
		t.Fatalf("List has %d records, want %d", len(all), stored[0]+stored[1])
	}
}

func parallelBoth(t *testing.T, s lead.Store) {
	errs := race(func(n int) error {
		e := entry(n)
		e.Key.Value, e.Equal = "one-key", "one-digest"
		return s.Create(t.Context(), e, epoch)
	})
	onlyLead(t, s, entry(winner(t, errs, lead.ErrKeyTaken)).Record.ID)
}

func parallelDifferent(t *testing.T, s lead.Store) {
	for n, err := range race(func(n int) error { return s.Create(t.Context(), entry(n), epoch) }) {
		if err != nil {
			t.Fatalf("lead %d: %v", n, err)
		}
	}
	if n := len(outbox(t, s, store)); n != racers {
		t.Fatalf("outbox holds %d leads, want %d", n, racers)
	}
	for n := range racers {
		if _, err := s.Load(t.Context(), store, entry(n).Record.ID, epoch); err != nil {
			t.Fatalf("lead %d: %v", n, err)
		}
	}
}

func parallelOverExpired(t *testing.T, s lead.Store) {
	old := entry(999)
	create(t, s, old)
	if err := s.Enqueued(t.Context(), store, old.Record.ID); err != nil {
		t.Fatal(err)
	}
	later := old.Key.ExpiresAt.Add(time.Hour)
	errs := race(func(n int) error {
		e := entry(n)
		e.Key.Value, e.Key.ExpiresAt = old.Key.Value, later.Add(48*time.Hour)
		e.Equal, e.EqualsUntil = old.Equal, later.Add(24*time.Hour)
		return s.Create(t.Context(), e, later)
	})
	won := entry(winner(t, errs, lead.ErrKeyTaken))
	if ids := outbox(t, s, store); len(ids) != 1 || ids[0] != won.Record.ID {
		t.Fatalf("outbox is %v, want only %s", ids, won.Record.ID)
	}
}

func parallelDelivery(t *testing.T, s lead.Store) {
	e := entry(1)
	create(t, s, e)
	claim := func(version int64) int64 {
		var mu sync.Mutex
		var raised int64
		winner(t, race(func(int) error {
			d, err := s.UpdateDelivery(t.Context(), store, e.Record.ID,
				lead.Delivery{Target: "crm", State: lead.Retrying, Begun: true, Version: version, UpdatedAt: epoch})
			if err == nil {
				mu.Lock()
				raised = d.Version
				mu.Unlock()
			}
			return err
		}), lead.ErrConflict)
		return raised
	}
	claim(claim(0))
}
