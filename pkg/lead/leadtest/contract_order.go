package leadtest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// received stores n leads, one each millisecond and out of order, and returns
// their ids oldest first.
func received(t *testing.T, s lead.Store, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range n {
		at := (i*7 + 3) % n
		// Ids run against time, so that sorting by id is caught.
		e := entry(1000 - at)
		e.Record.ReceivedAt = epoch.Add(time.Duration(at) * time.Millisecond)
		ids[at] = e.Record.ID
		create(t, s, e)
	}
	return ids
}

func outboxOrder(t *testing.T, s lead.Store) {
	ids := received(t, s, 20)
	check := func(what string, before time.Time, limit int, want []string) {
		t.Helper()
		got, err := s.Outbox(t.Context(), store, before, limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || (len(want) > 0 && !slices.Equal(got, want)) {
			t.Fatalf("%s: outbox is %v, want %v", what, got, want)
		}
	}
	later := epoch.Add(time.Minute)
	check("all", later, 100, ids)
	check("limit", later, 7, ids[:7])
	check("before", epoch.Add(5*time.Millisecond), 100, ids[:5])
	check("before all", epoch, 100, nil)

	for _, id := range []string{ids[0], ids[3], ids[3], "never-seen"} {
		if err := s.Enqueued(t.Context(), store, id); err != nil {
			t.Fatalf("Enqueued(%s): %v", id, err)
		}
	}
	rest := slices.Concat(ids[1:3], ids[4:])
	check("after Enqueued", later, 100, rest)
	if n := len(list(t, s, store)); n != 20 {
		t.Fatalf("List has %d records after Enqueued, want 20", n)
	}
	for _, id := range rest {
		if err := s.Enqueued(t.Context(), store, id); err != nil {
			t.Fatal(err)
		}
	}
	check("emptied", later, 100, nil)
}

func listOrder(t *testing.T, s lead.Store) {
	ids := received(t, s, 20)
	slices.Reverse(ids)
	check := func(what string, before time.Time, limit int, want []string) {
		t.Helper()
		records, err := s.List(t.Context(), store, before, limit, epoch)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range records {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: list is %v, want %v", what, got, want)
		}
	}
	check("all", epoch.Add(time.Minute), 100, ids)
	check("limit", epoch.Add(time.Minute), 6, ids[:6])
	check("next page", epoch.Add(14*time.Millisecond), 6, ids[6:12])
	check("nothing older", epoch, 6, nil)
}

func deliveryRoundTrip(t *testing.T, s lead.Store) {
	e := entry(1)
	create(t, s, e)
	if states, err := s.Deliveries(t.Context(), store, e.Record.ID); err != nil || len(states) != 0 {
		t.Fatalf("a new lead has deliveries %v, %v", states, err)
	}
	want := []lead.Delivery{
		{Target: "a-mail", State: lead.Queued, UpdatedAt: epoch},
		{Target: "crm", State: lead.Retrying, Attempts: 3, Begun: true, LastError: "503 <busy>", UpdatedAt: epoch.Add(time.Nanosecond)},
		{Target: "z", State: lead.HandedOver, Attempts: 1, Receipt: "250 ok", UpdatedAt: epoch},
	}
	for _, i := range []int{2, 0, 1} {
		got, err := s.UpdateDelivery(t.Context(), store, e.Record.ID, want[i])
		if err != nil {
			t.Fatal(err)
		}
		if got.Version <= 0 {
			t.Fatalf("version is %d after the first write", got.Version)
		}
		want[i].Version = got.Version
		if d := cmp.Diff(want[i], got); d != "" {
			t.Fatalf("UpdateDelivery (-want +got):\n%s", d)
		}
	}
	got, err := s.Deliveries(t.Context(), store, e.Record.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("Deliveries (-want +got):\n%s", d)
	}
}

func deliveryConflict(t *testing.T, s lead.Store) {
	e := entry(1)
	create(t, s, e)
	first, err := s.UpdateDelivery(t.Context(), store, e.Record.ID, lead.Delivery{Target: "crm", State: lead.Queued, UpdatedAt: epoch})
	if err != nil {
		t.Fatal(err)
	}
	next := first
	next.State, next.Attempts, next.Begun = lead.Retrying, 1, true
	second, err := s.UpdateDelivery(t.Context(), store, e.Record.ID, next)
	if err != nil {
		t.Fatal(err)
	}
	if second.Version <= first.Version {
		t.Fatalf("version went from %d to %d", first.Version, second.Version)
	}
	for what, version := range map[string]int64{"none stored": 0, "stale": first.Version, "never written": second.Version + 5} {
		stale := first
		stale.State, stale.Version = lead.Failed, version
		_, err := s.UpdateDelivery(t.Context(), store, e.Record.ID, stale)
		if err == nil {
			t.Fatalf("%s: version %d was taken", what, version)
		}
		wantErr(t, err, lead.ErrConflict)
	}
	// A version other than zero needs a stored state.
	_, err = s.UpdateDelivery(t.Context(), store, e.Record.ID, lead.Delivery{Target: "other", Version: 3, UpdatedAt: epoch})
	wantErr(t, err, lead.ErrConflict)
	got, err := s.Deliveries(t.Context(), store, e.Record.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]lead.Delivery{second}, got); d != "" {
		t.Fatalf("a conflict changed the state (-want +got):\n%s", d)
	}
}
