package leadtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func audit(n int) lead.Audit {
	return lead.Audit{ID: fmt.Sprintf("audit-%d", n), At: epoch.Add(time.Duration(n) * time.Minute), Action: "erase", Leads: n}
}

func erase(t *testing.T, s lead.Store, ids ...string) {
	t.Helper()
	if err := s.Erase(t.Context(), store, ids, audit(1)); err != nil {
		t.Fatalf("Erase: %v", err)
	}
}

func event(n int) lead.Event {
	return lead.Event{ID: fmt.Sprintf("event-%d", n), At: epoch.Add(time.Duration(n) * time.Second), Kind: lead.Revoked, By: "test"}
}

func note(t *testing.T, s lead.Store, leadID string, e lead.Event) {
	t.Helper()
	if err := s.Note(t.Context(), store, leadID, e); err != nil {
		t.Fatalf("Note: %v", err)
	}
}

func wantStory(t *testing.T, s lead.Store, leadID string, want ...lead.Event) {
	t.Helper()
	got, err := s.Story(t.Context(), store, leadID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("story of %s (-want +got):\n%s", leadID, d)
	}
}

func storyOrder(t *testing.T, s lead.Store) {
	id := entry(1).Record.ID
	wantErr(t, s.Note(t.Context(), store, id, event(1)), lead.ErrNotFound)
	wantStory(t, s, id)
	create(t, s, entry(1))
	create(t, s, entry(2))
	some := event(2)
	some.Channels, some.Target, some.Kind = []string{"sms", "email"}, "crm", lead.ResendAsked
	for _, e := range []lead.Event{event(3), event(1), some, event(3)} {
		note(t, s, id, e)
	}
	wantStory(t, s, id, event(1), some, event(3))
	wantStory(t, s, entry(2).Record.ID)
	if states, err := s.Deliveries(t.Context(), store, id); err != nil || len(states) != 0 {
		t.Fatalf("events show as deliveries %v, %v", states, err)
	}
}

func auditOrder(t *testing.T, s lead.Store) {
	want := []lead.Audit{audit(1), audit(2), audit(3)}
	for _, n := range []int{3, 1, 2, 3} {
		if err := s.Audit(t.Context(), store, audit(n)); err != nil {
			t.Fatal(err)
		}
	}
	wantAudits(t, s, want...)
	if others, err := s.Audits(t.Context(), "store-two"); err != nil || len(others) != 0 {
		t.Fatalf("another dealer reads %v, %v", others, err)
	}
}

func wantAudits(t *testing.T, s lead.Store, want ...lead.Audit) {
	t.Helper()
	got, err := s.Audits(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("account (-want +got):\n%s", d)
	}
}

func eraseLeavesNothing(t *testing.T, s lead.Store) {
	e := entry(1)
	id := e.Record.ID
	create(t, s, e)
	bind(t, s, bound(1))
	note(t, s, id, event(1))
	state, err := s.UpdateDelivery(t.Context(), store, id, lead.Delivery{Target: "crm", State: lead.Retrying, UpdatedAt: epoch})
	if err != nil {
		t.Fatal(err)
	}
	erase(t, s, id)

	absent(t, s, e)
	_, err = s.ByKey(t.Context(), store, bound(1).Value, epoch)
	wantErr(t, err, lead.ErrNotFound)
	wantStory(t, s, id)
	if states, err := s.Deliveries(t.Context(), store, id); err != nil || len(states) != 0 {
		t.Fatalf("deliveries are left: %v, %v", states, err)
	}
	wantErr(t, s.Note(t.Context(), store, id, event(2)), lead.ErrNotFound)
	wantErr(t, s.Bind(t.Context(), store, bound(2), epoch), lead.ErrNotFound)
	_, err = s.UpdateDelivery(t.Context(), store, id, lead.Delivery{Target: "mail", State: lead.Queued, UpdatedAt: epoch})
	wantErr(t, err, lead.ErrNotFound)
	if _, err = s.UpdateDelivery(t.Context(), store, id, state); !errors.Is(err, lead.ErrNotFound) && !errors.Is(err, lead.ErrConflict) {
		t.Fatalf("a later state is answered %v", err)
	}
	if err := s.Enqueued(t.Context(), store, id); err != nil {
		t.Fatal(err)
	}
	wantStory(t, s, id)
	if states, _ := s.Deliveries(t.Context(), store, id); len(states) != 0 {
		t.Fatalf("deliveries came back: %v", states)
	}
	erase(t, s, id, "never-seen")
	erase(t, s)
	wantAudits(t, s, audit(1))
}

func eraseSpares(t *testing.T, s lead.Store) {
	var want []lead.Entry
	for n := range 6 {
		create(t, s, entry(n+1))
		want = append(want, entry(n+1))
	}
	other := entry(2)
	other.Record.DealerID = "store-two"
	create(t, s, other)
	note(t, s, want[2].Record.ID, event(1))
	erase(t, s, want[1].Record.ID, want[4].Record.ID)
	want = slices.Concat(want[:1], want[2:4], want[5:])
	if n := len(list(t, s, store)); n != len(want) {
		t.Fatalf("%d leads are left, want %d", n, len(want))
	}
	for _, e := range want {
		got, err := s.Load(t.Context(), store, e.Record.ID, epoch)
		if err != nil {
			t.Fatal(err)
		}
		sameRecord(t, got, e.Record)
		wantKey(t, s, *e.Key, epoch)
		for _, digest := range equals(e) {
			standsFor(t, s, digest, e.Record.ID, epoch)
		}
	}
	if n := len(outbox(t, s, store)); n != len(want) {
		t.Fatalf("the outbox has %d leads, want %d", n, len(want))
	}
	wantStory(t, s, want[1].Record.ID, event(1))
	if _, err := s.Load(t.Context(), "store-two", other.Record.ID, epoch); err != nil {
		t.Fatalf("another dealer's lead: %v", err)
	}
}

func eraseThenAgain(t *testing.T, s lead.Store) {
	first, again := entry(1), entry(1)
	again.Record.ID = entry(2).Record.ID
	again.Key.LeadID = again.Record.ID
	create(t, s, first)
	erase(t, s, first.Record.ID)
	create(t, s, again)
	erase(t, s, first.Record.ID)
	wantKey(t, s, *again.Key, epoch)
	for _, digest := range equals(again) {
		standsFor(t, s, digest, again.Record.ID, epoch)
	}
	onlyLead(t, s, again.Record.ID)
}

func eraseRichness(t *testing.T, s lead.Store) {
	poor, rich := entry(1), entry(2)
	poor.Poorer = nil
	rich.Poorer = append(rich.Poorer, poor.Equal)
	create(t, s, poor)
	create(t, s, rich)
	erase(t, s, poor.Record.ID)
	for _, digest := range equals(rich) {
		standsFor(t, s, digest, rich.Record.ID, epoch)
	}
}

func parallelErase(t *testing.T, s lead.Store) {
	id := entry(1).Record.ID
	create(t, s, entry(1))
	errs := race(func(n int) error {
		switch n % 4 {
		case 0:
			return s.Bind(t.Context(), store, bound(n), epoch)
		case 1:
			return s.Note(t.Context(), store, id, event(n))
		case 2:
			_, err := s.UpdateDelivery(t.Context(), store, id, lead.Delivery{Target: fmt.Sprint("target-", n), State: lead.Queued, UpdatedAt: epoch})
			return err
		}
		return s.Erase(t.Context(), store, []string{id}, audit(1))
	})
	for n, err := range errs {
		if err != nil && !errors.Is(err, lead.ErrNotFound) {
			t.Fatalf("caller %d: %v", n, err)
		}
	}
	absent(t, s, entry(1))
	wantStory(t, s, id)
	if states, err := s.Deliveries(t.Context(), store, id); err != nil || len(states) != 0 {
		t.Fatalf("deliveries came back: %v, %v", states, err)
	}
	for n := range racers {
		if n%4 == 0 {
			_, err := s.ByKey(t.Context(), store, bound(n).Value, epoch)
			wantErr(t, err, lead.ErrNotFound)
		}
	}
}

func eraseFreesVisit(t *testing.T, s lead.Store) {
	first, second := booked(1, claims(0, 2, 2)), booked(2, claims(1, 2, 2))
	create(t, s, first)
	create(t, s, second)
	erase(t, s, first.Record.ID)
	holds(t, s, map[int][]lead.Entry{1: {second}, 2: {second}})
	_, err := s.Visit(t.Context(), store, first.Record.ID, epoch)
	wantErr(t, err, lead.ErrNotFound)
	moved := visitAt(first.Booking.Visit, claims(4, 1, 1))
	if _, err := s.UpdateVisit(t.Context(), store, moved, claims(4, 1, 1), epoch); !errors.Is(err, lead.ErrNotFound) && !errors.Is(err, lead.ErrConflict) {
		t.Fatalf("moving an erased visit: %v", err)
	}
	all, err := s.Visits(t.Context(), store, morning.Add(-time.Hour), morning.Add(48*time.Hour), 10, epoch)
	if err != nil || len(all) != 1 || all[0].LeadID != second.Record.ID {
		t.Fatalf("visits are %v, %v", all, err)
	}
}
