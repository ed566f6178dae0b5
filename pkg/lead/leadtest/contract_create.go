package leadtest

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func takenKeyWritesNothing(t *testing.T, s lead.Store) {
	first, second := entry(1), entry(2)
	create(t, s, first)
	second.Key.Value = first.Key.Value
	wantErr(t, s.Create(t.Context(), second, epoch), lead.ErrKeyTaken)

	if key, err := s.ByKey(t.Context(), store, first.Key.Value, epoch); err != nil || key.LeadID != first.Record.ID || key.Digest != first.Key.Digest || key.Asked != first.Key.Asked {
		t.Fatalf("the key now says %+v, %v", key, err)
	}
	second.Key = nil
	absent(t, s, second)
}

func equalWritesNothing(t *testing.T, s lead.Store) {
	first, second := entry(1), entry(2)
	create(t, s, first)
	second.Equal = first.Equal
	wantErr(t, s.Create(t.Context(), second, epoch), lead.ErrDuplicate)

	for _, digest := range equals(first) {
		standsFor(t, s, digest, first.Record.ID, epoch)
	}
	for _, digest := range second.Poorer {
		standsFor(t, s, digest, "", epoch)
	}
	second.Equal, second.Poorer = "", nil
	absent(t, s, second)
}

func keyBeforeEqual(t *testing.T, s lead.Store) {
	first, second := entry(1), entry(2)
	create(t, s, first)
	second.Key.Value, second.Equal = first.Key.Value, first.Equal
	wantErr(t, s.Create(t.Context(), second, epoch), lead.ErrKeyTaken)
}

func bareEntry(t *testing.T, s lead.Store) {
	for n := 1; n <= 2; n++ {
		e := entry(n)
		e.Key, e.Equal, e.Poorer, e.EqualsUntil = nil, "", nil, time.Time{}
		create(t, s, e)
		got, err := s.Load(t.Context(), store, e.Record.ID, epoch)
		if err != nil {
			t.Fatal(err)
		}
		sameRecord(t, got, e.Record)
	}
	standsFor(t, s, "", "", epoch)
	_, err := s.ByKey(t.Context(), store, "key-1", epoch)
	wantErr(t, err, lead.ErrNotFound)
}

func poorerIsDuplicate(t *testing.T, s lead.Store) {
	first, poorer, richer := entry(1), entry(2), entry(3)
	create(t, s, first)
	poorer.Equal, poorer.Poorer = first.Poorer[1], nil
	wantErr(t, s.Create(t.Context(), poorer, epoch), lead.ErrDuplicate)
	// That poorer ones stand already is no reason to refuse a richer lead.
	richer.Poorer = equals(first)
	create(t, s, richer)
}

func richerTakesOver(t *testing.T, s lead.Store) {
	poor, rich := entry(1), entry(2)
	poor.EqualsUntil = epoch.Add(time.Hour)
	poor.Poorer = nil
	create(t, s, poor)
	rich.Poorer = append(rich.Poorer, poor.Equal)
	create(t, s, rich)
	for _, digest := range equals(rich) {
		standsFor(t, s, digest, rich.Record.ID, epoch)
		standsFor(t, s, digest, rich.Record.ID, epoch.Add(2*time.Hour))
	}
}

func insteadTakesOver(t *testing.T, s lead.Store) {
	first, second, third := entry(1), entry(2), entry(3)
	create(t, s, first)
	second.Equal, second.Instead = first.Equal, first.Record.ID
	create(t, s, second)
	standsFor(t, s, first.Equal, second.Record.ID, epoch)
	// Somebody else was first.
	third.Equal, third.Instead = first.Equal, first.Record.ID
	wantErr(t, s.Create(t.Context(), third, epoch), lead.ErrDuplicate)
	erase(t, s, first.Record.ID)
	standsFor(t, s, first.Equal, second.Record.ID, epoch)
	third.Equal, third.Instead = entry(4).Equal, first.Record.ID // stands for nothing
	create(t, s, third)
}

func keysAreExact(t *testing.T, s lead.Store) {
	values := []string{
		"K", "k", "K ", " K", "K2", "K#2", "K/2", "K\x002", "../K", "%", "é", "e\u0301", "''", `"`,
		strings.Repeat("\U0001F697", 128), strings.Repeat("\U0001F697", 127), strings.Repeat("x", 128),
	}
	for n, value := range values {
		e := entry(n + 1)
		e.Key.Value = value
		create(t, s, e)
	}
	for n, value := range values {
		if key, err := s.ByKey(t.Context(), store, value, epoch); err != nil || key.Value != value || key.LeadID != entry(n+1).Record.ID {
			t.Fatalf("ByKey(%q) = %+v, %v", value, key, err)
		}
	}
}

func keysExpire(t *testing.T, s lead.Store) {
	first, second := entry(1), entry(2)
	end := first.Key.ExpiresAt
	first.Record.ExpiresAt = end.Add(time.Hour)
	create(t, s, first)
	second.Key.Value, second.Key.ExpiresAt = first.Key.Value, end.Add(48*time.Hour)
	second.EqualsUntil = end.Add(48 * time.Hour)

	if _, err := s.ByKey(t.Context(), store, first.Key.Value, end.Add(-time.Second)); err != nil {
		t.Fatalf("a second early: %v", err)
	}
	wantErr(t, s.Create(t.Context(), second, end.Add(-time.Second)), lead.ErrKeyTaken)
	_, err := s.ByKey(t.Context(), store, first.Key.Value, end.Add(time.Second))
	wantErr(t, err, lead.ErrNotFound)
	if err := s.Create(t.Context(), second, end.Add(time.Second)); err != nil {
		t.Fatalf("an expired key still blocks: %v", err)
	}
	if key, err := s.ByKey(t.Context(), store, first.Key.Value, end.Add(2*time.Second)); err != nil || key.LeadID != second.Record.ID {
		t.Fatalf("the key now says %+v, %v; want the second lead", key, err)
	}
	if _, err := s.Load(t.Context(), store, first.Record.ID, end.Add(2*time.Second)); err != nil {
		t.Fatalf("the first lead went with its key: %v", err)
	}
}

func equalsExpire(t *testing.T, s lead.Store) {
	first, second, third := entry(1), entry(2), entry(3)
	end := first.EqualsUntil
	create(t, s, first)
	second.Equal, second.Poorer, second.EqualsUntil = first.Poorer[0], nil, end.Add(24*time.Hour)
	early, late := end.Add(-time.Second), end.Add(time.Second)

	for _, digest := range equals(first) {
		standsFor(t, s, digest, first.Record.ID, early)
		standsFor(t, s, digest, "", late)
	}
	wantErr(t, s.Create(t.Context(), second, early), lead.ErrDuplicate)
	if err := s.Create(t.Context(), second, late); err != nil {
		t.Fatalf("an expired digest still blocks: %v", err)
	}
	// One digest is live again, the others are still expired.
	standsFor(t, s, second.Equal, second.Record.ID, late)
	standsFor(t, s, first.Poorer[1], "", late)
	third.Equal, third.EqualsUntil = first.Equal, end.Add(24*time.Hour)
	if err := s.Create(t.Context(), third, late); err != nil {
		t.Fatalf("an expired digest still blocks: %v", err)
	}
	standsFor(t, s, first.Equal, third.Record.ID, late)
}

func recordsExpire(t *testing.T, s lead.Store) {
	short, long := entry(1), entry(2)
	end := epoch.Add(10 * time.Hour)
	short.Record.ExpiresAt = end
	create(t, s, short)
	create(t, s, long)
	if _, err := s.Load(t.Context(), store, short.Record.ID, end.Add(-time.Second)); err != nil {
		t.Fatalf("a second early: %v", err)
	}
	_, err := s.Load(t.Context(), store, short.Record.ID, end.Add(time.Second))
	wantErr(t, err, lead.ErrNotFound)
	all, err := s.List(t.Context(), store, epoch.Add(time.Hour), 1, end.Add(time.Second))
	if err != nil || len(all) != 1 || all[0].ID != long.Record.ID {
		t.Fatalf("List = %d records, %v; want only the unexpired one", len(all), err)
	}
}

func dealersAreIsolated(t *testing.T, s lead.Store) {
	mine := entry(1)
	create(t, s, mine)
	if _, err := s.UpdateDelivery(t.Context(), store, mine.Record.ID, lead.Delivery{Target: "crm", State: lead.Queued, UpdatedAt: epoch}); err != nil {
		t.Fatal(err)
	}
	for n, other := range []string{"store-two", "store", "store-one-b", "s"} {
		theirs := mine
		theirs.Record.DealerID = other
		absent(t, s, theirs)
		if states, err := s.Deliveries(t.Context(), other, mine.Record.ID); err != nil || len(states) != 0 {
			t.Fatalf("%s reads deliveries %v, %v", other, states, err)
		}
		if err := s.Enqueued(t.Context(), other, mine.Record.ID); err != nil {
			t.Fatal(err)
		}
		// The same key and digests are free under another dealer.
		theirs.Record.ID = entry(10 + n).Record.ID
		key := *mine.Key
		key.LeadID = theirs.Record.ID
		theirs.Key = &key
		create(t, s, theirs)
	}
	if ids := outbox(t, s, store); len(ids) != 1 || ids[0] != mine.Record.ID {
		t.Fatalf("outbox is %v", ids)
	}
	if key, err := s.ByKey(t.Context(), store, mine.Key.Value, epoch); err != nil || key.LeadID != mine.Record.ID {
		t.Fatalf("key is %+v, %v", key, err)
	}
	if all := list(t, s, store); len(all) != 1 {
		t.Fatalf("List has %d records, want 1", len(all))
	}
}

func largeRequests(t *testing.T, s lead.Store) {
	noise := make([]byte, 150<<10)
	src := rand.NewChaCha8([32]byte{7})
	_, _ = src.Read(noise)
	for n, extra := range []string{
		base64.StdEncoding.EncodeToString(noise), // incompressible
		strings.Repeat(`"\`, 50<<10),
		strings.Repeat("\U0001F697é", 30<<10),
	} {
		body, err := json.Marshal(map[string]any{
			"type":                "lead.submit.request",
			"message":             strings.Repeat("\U0001F697", 4000),
			"vehicle_of_interest": map[string]any{"dealer_notes": extra},
		})
		if err != nil {
			t.Fatal(err)
		}
		e := entry(n)
		e.Record.Request = body
		if err := s.Create(t.Context(), e, epoch); err != nil {
			t.Fatalf("request %d, %d bytes: %v", n, len(body), err)
		}
		got, err := s.Load(t.Context(), store, e.Record.ID, epoch)
		if err != nil {
			t.Fatal(err)
		}
		sameRecord(t, got, e.Record)
	}
	if n := len(list(t, s, store)); n != 3 {
		t.Fatalf("List has %d records, want 3", n)
	}
}
