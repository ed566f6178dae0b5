package leadtest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// bound makes a key of a request that was answered otherwise than its lead,
// which is entry(1).
func bound(n int) lead.Key {
	return lead.Key{
		Value: fmt.Sprintf("bound-%d", n), Digest: fmt.Sprintf("%064x", 5000+n), LeadID: entry(1).Record.ID,
		Answer: &lead.Answer{
			// Blanks, markup and order of an answer are part of it.
			Data:    json.RawMessage("{ \"status\":\"duplicate\",\n\"lead_id\":\"x<&>\u2028\", \"n\": " + fmt.Sprint(n) + ".0}"),
			Message: "Already <here>.",
		},
		ExpiresAt: epoch.Add(48 * time.Hour),
	}
}

func bind(t *testing.T, s lead.Store, k lead.Key) {
	t.Helper()
	if err := s.Bind(t.Context(), store, k, epoch); err != nil {
		t.Fatalf("Bind: %v", err)
	}
}

func wantKey(t *testing.T, s lead.Store, want lead.Key, now time.Time) {
	t.Helper()
	got, err := s.ByKey(t.Context(), store, want.Value, now)
	if err != nil {
		t.Fatalf("ByKey(%q): %v", want.Value, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("key (-want +got):\n%s", d)
	}
}

func boundRoundTrip(t *testing.T, s lead.Store) {
	first := entry(1)
	create(t, s, first)
	bind(t, s, bound(1))
	plain := bound(2)
	plain.Answer = nil
	bind(t, s, plain)

	wantKey(t, s, bound(1), epoch)
	wantKey(t, s, plain, epoch)
	wantKey(t, s, *first.Key, epoch)
	onlyLead(t, s, first.Record.ID)
	got, err := s.Load(t.Context(), store, first.Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	sameRecord(t, got, first.Record)
	for _, other := range []string{"store-two", "store"} {
		_, err := s.ByKey(t.Context(), other, bound(1).Value, epoch)
		wantErr(t, err, lead.ErrNotFound)
		wantErr(t, s.Bind(t.Context(), other, bound(1), epoch), lead.ErrNotFound)
		theirs := entry(1)
		theirs.Record.DealerID = other
		create(t, s, theirs)
		if err := s.Bind(t.Context(), other, bound(1), epoch); err != nil {
			t.Fatalf("another dealer's key: %v", err)
		}
	}
}

func boundNoAliasing(t *testing.T, s lead.Store) {
	create(t, s, entry(1))
	k := bound(1)
	bind(t, s, k)
	k.Answer.Data[0], k.Answer.Message = 'X', "changed"
	wantKey(t, s, bound(1), epoch)
	got, err := s.ByKey(t.Context(), store, k.Value, epoch)
	if err != nil {
		t.Fatal(err)
	}
	got.Answer.Data[1], got.Answer.Message = 'Y', "changed"
	wantKey(t, s, bound(1), epoch)
}

func boundIsTaken(t *testing.T, s lead.Store) {
	first := entry(1)
	create(t, s, first)
	bind(t, s, bound(1))

	over := bound(2)
	over.Value = first.Key.Value
	wantErr(t, s.Bind(t.Context(), store, over, epoch), lead.ErrKeyTaken)
	wantKey(t, s, *first.Key, epoch)
	over.Value = bound(1).Value
	wantErr(t, s.Bind(t.Context(), store, over, epoch), lead.ErrKeyTaken)
	wantKey(t, s, bound(1), epoch)
	wantErr(t, s.Bind(t.Context(), store, bound(1), epoch), lead.ErrKeyTaken)

	second := entry(2)
	second.Key.Value = bound(1).Value
	wantErr(t, s.Create(t.Context(), second, epoch), lead.ErrKeyTaken)
	equal := entry(3)
	equal.Key.Value, equal.Equal = bound(1).Value, first.Equal
	wantErr(t, s.Create(t.Context(), equal, epoch), lead.ErrKeyTaken)
	wantKey(t, s, bound(1), epoch)
	second.Key = nil
	absent(t, s, second)
	onlyLead(t, s, first.Record.ID)
}

func boundExpires(t *testing.T, s lead.Store) {
	create(t, s, entry(1))
	old, next := bound(1), bound(2)
	end := old.ExpiresAt
	next.Value, next.ExpiresAt = old.Value, end.Add(48*time.Hour)
	bind(t, s, old)

	wantKey(t, s, old, end.Add(-time.Second))
	wantErr(t, s.Bind(t.Context(), store, next, end.Add(-time.Second)), lead.ErrKeyTaken)
	_, err := s.ByKey(t.Context(), store, old.Value, end.Add(time.Second))
	wantErr(t, err, lead.ErrNotFound)
	if err := s.Bind(t.Context(), store, next, end.Add(time.Second)); err != nil {
		t.Fatalf("an expired key still blocks: %v", err)
	}
	wantKey(t, s, next, end.Add(2*time.Second))

	// A lead may take over an expired bound key, and the other way round.
	later := next.ExpiresAt.Add(time.Second)
	e := entry(2)
	e.Key.Value, e.Key.ExpiresAt, e.EqualsUntil = old.Value, later.Add(time.Hour), later.Add(time.Hour)
	if err := s.Create(t.Context(), e, later); err != nil {
		t.Fatalf("an expired bound key still blocks a lead: %v", err)
	}
	wantKey(t, s, *e.Key, later)
	last := bound(3)
	last.Value, last.ExpiresAt = old.Value, later.Add(3*time.Hour)
	if err := s.Bind(t.Context(), store, last, later.Add(2*time.Hour)); err != nil {
		t.Fatalf("a lead's expired key still blocks: %v", err)
	}
	wantKey(t, s, last, later.Add(2*time.Hour))
}

func parallelBind(t *testing.T, s lead.Store) {
	create(t, s, entry(1))
	one := func(n int) lead.Key {
		k := bound(n)
		k.Value = "one-key"
		return k
	}
	won := winner(t, race(func(n int) error { return s.Bind(t.Context(), store, one(n), epoch) }), lead.ErrKeyTaken)
	wantKey(t, s, one(won), epoch)

	// The same again over the key once it has expired.
	later := bound(0).ExpiresAt.Add(time.Hour)
	next := func(n int) lead.Key {
		k := one(n)
		k.ExpiresAt = later.Add(48 * time.Hour)
		return k
	}
	won = winner(t, race(func(n int) error { return s.Bind(t.Context(), store, next(n), later) }), lead.ErrKeyTaken)
	wantKey(t, s, next(won), later)
	onlyLead(t, s, entry(1).Record.ID)
}

func parallelBindAndCreate(t *testing.T, s lead.Store) {
	first := entry(1)
	create(t, s, first)
	keys := make([]lead.Key, racers)
	won := winner(t, race(func(n int) error {
		if n%2 == 0 {
			keys[n] = bound(n)
			keys[n].Value = "one-key"
			return s.Bind(t.Context(), store, keys[n], epoch)
		}
		e := entry(100 + n)
		e.Key.Value = "one-key"
		keys[n] = *e.Key
		return s.Create(t.Context(), e, epoch)
	}), lead.ErrKeyTaken)
	wantKey(t, s, keys[won], epoch)
	leads := 1 + won%2
	if all := list(t, s, store); len(all) != leads {
		t.Fatalf("List has %d records after caller %d won, want %d", len(all), won, leads)
	}
	if ids := outbox(t, s, store); len(ids) != leads {
		t.Fatalf("outbox is %v after caller %d won, want %d leads", ids, won, leads)
	}
}
