package lead_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func at(t counter, s string) time.Time {
	t.Helper()
	return mustTime(t, "2026-06-"+s+":00-07:00")
}

func TestAMovedVisitHoldsItsNewSlotAndIsToldToTheCRM(t *testing.T) {
	s := booker(t, "")
	a := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	handed := lead.Delivery{Target: "crm", State: lead.HandedOver, UpdatedAt: noon}
	if _, err := s.store.UpdateDelivery(t.Context(), s.profile.ID, a.LeadID, handed); err != nil {
		t.Fatal(err)
	}
	before := len(s.queue.queued())
	// Neither lead time nor horizon bind the dealer.
	for _, when := range []string{"10T10:00", "10T11:00", "20T09:00"} {
		v, err := s.archive().Move(t.Context(), s.profile, a.LeadID, at(t, when))
		if err != nil || !v.Start.Equal(at(t, when)) {
			t.Fatalf("%s: %+v, %v", when, v, err)
		}
	}
	if got := s.slots(t); !slices.Equal(got, []string{"06-20 09:00 1"}) {
		t.Fatalf("slots %v", got)
	}
	states, err := s.store.Deliveries(t.Context(), s.profile.ID, a.LeadID)
	if err != nil || len(states) != 1 || states[0].State != lead.Queued || !states[0].Begun || len(s.queue.queued()) == before {
		t.Errorf("deliveries %+v, %v: the CRM is not told", states, err)
	}
	v, err := s.store.Visit(t.Context(), s.profile.ID, a.LeadID, noon)
	if err != nil {
		t.Fatal(err)
	}
	var history []string
	for _, h := range v.History {
		history = append(history, h.What+" by "+h.By)
	}
	if want := "booked by buyer, moved by dealer, moved by dealer, moved by dealer"; strings.Join(history, ", ") != want {
		t.Errorf("history %v", history)
	}
	audits, err := s.store.Audits(t.Context(), s.profile.ID)
	if err != nil || !slices.ContainsFunc(audits, func(a lead.Audit) bool { return a.Action == "move_visit" && a.Leads == 1 }) {
		t.Errorf("account %v, %v", audits, err)
	}
	// The buyer's equal lead hears of it; nobody else can have the slot.
	again := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	if again.Status != aap.LeadDuplicate || said(again) != "confirmed 2026-06-20T09:00:00-07:00" || !strings.Contains(again.message, "moved") {
		t.Errorf("the buyer is told %s", again.raw)
	}
	if a := s.accept(t, drive(2, "2026-06-10T09:00:00-07:00").bytes()); said(a) != "confirmed 2026-06-10T09:00:00-07:00" {
		t.Errorf("the slot that was left is not free: %s", a.raw)
	}
}

func TestACancelledVisitFreesItsSlotAndCanBeBookedAgain(t *testing.T) {
	s := booker(t, "")
	keyed := drive(1, "2026-06-10T09:00:00-07:00").with("/idempotency_key", "k").bytes()
	a := s.accept(t, keyed)
	for range 2 {
		if v, err := s.archive().Cancel(t.Context(), s.profile.ID, a.LeadID); err != nil || v.State != lead.Cancelled || len(v.History) != 2 {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	if got := s.slots(t); len(got) != 0 {
		t.Fatalf("slots %v", got)
	}
	// A retry is answered as at first; an equal lead hears how it is now.
	if again := s.accept(t, keyed); again.raw != a.raw {
		t.Errorf("the retry is told %s", again.raw)
	}
	again := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	if again.Status != aap.LeadDuplicate || said(again) != "requested" || !strings.Contains(again.message, "cancelled") {
		t.Errorf("the buyer is told %s", again.raw)
	}
	v, err := s.archive().Move(t.Context(), s.profile, a.LeadID, at(t, "10T09:00"))
	if err != nil || v.State != lead.Booked {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := s.slots(t); !slices.Equal(got, []string{"06-10 09:00 1"}) {
		t.Errorf("slots %v", got)
	}
}

func TestAVisitMovesToAFreeSlotOnly(t *testing.T) {
	s := booker(t, "")
	a := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").with("/appointment/duration_minutes", 120).bytes())
	s.accept(t, drive(2, "2026-06-10T12:00:00-07:00").bytes())
	before := s.slots(t)
	for when, near := range map[string]string{
		"10T11:00": "10:00", // two hours do not fit before noon
		"10T12:00": "13:00",
		"12T10:00": "15:00", // a holiday
		"10T10:30": "10:00",
	} {
		_, err := s.archive().Move(t.Context(), s.profile, a.LeadID, at(t, when))
		none, ok := errors.AsType[*lead.NoSlot](err)
		if !ok || len(none.Nearest) == 0 || none.Nearest[0].In(s.profile.Rooftops[0].Location()).Format("15:04") != near {
			t.Errorf("%s: %v %+v, want a slot at %s near", when, err, none, near)
		}
	}
	if got := s.slots(t); !slices.Equal(got, before) {
		t.Errorf("slots %v, want %v", got, before)
	}
	// Its own slots are no hindrance.
	if v, err := s.archive().Move(t.Context(), s.profile, a.LeadID, at(t, "10T10:00")); err != nil || len(v.Slots) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	if got := s.slots(t); !slices.Equal(got, []string{"06-10 10:00 1", "06-10 11:00 1", "06-10 12:00 1"}) {
		t.Errorf("slots %v", got)
	}
	if _, err := s.archive().Move(t.Context(), s.profile, "nobody", at(t, "10T10:00")); !errors.Is(err, lead.ErrNotFound) {
		t.Errorf("an unknown lead: %v", err)
	}
	s.profile.Leads.Appointments = nil
	if _, err := s.archive().Move(t.Context(), s.profile, a.LeadID, at(t, "10T14:00")); !errors.Is(err, lead.ErrNoCalendar) {
		t.Errorf("no policy: %v", err)
	}
}

func TestAChangeThatTheCRMCannotBeToldStands(t *testing.T) {
	s := booker(t, "")
	a := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	s.queue.fail(errDown)
	if v, err := s.archive().Cancel(t.Context(), s.profile.ID, a.LeadID); !errors.Is(err, lead.ErrNotTold) || v.State != lead.Cancelled {
		t.Errorf("%+v, %v", v, err)
	}
	if got := s.slots(t); len(got) != 0 {
		t.Errorf("slots %v", got)
	}
}

func TestMovesAndBuyersNeverOverfillASlot(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		s := booking(open(), t, "")
		var ids []string
		for buyer, hour := range []int{9, 10, 11} {
			ids = append(ids, s.accept(t, drive(buyer, fmt.Sprintf("2026-06-11T%02d:00:00-07:00", hour)).bytes()).LeadID)
		}
		var wg sync.WaitGroup
		moved := make([]error, len(ids))
		for i, id := range ids {
			wg.Go(func() { _, moved[i] = s.archive().Move(context.Background(), s.profile, id, at(t, "10T14:00")) })
		}
		for buyer := range 5 {
			wg.Go(func() { s.accept(t, drive(100+buyer, "2026-06-10T14:00:00-07:00").bytes()) })
		}
		wg.Wait()
		for _, err := range moved {
			if _, full := errors.AsType[*lead.NoSlot](err); err != nil && !full {
				t.Errorf("a move ended with %v", err)
			}
		}
		s.consistent(t, 1, nil)
		if got := s.slots(t); !slices.Contains(got, "06-10 14:00 1") {
			t.Errorf("slots %v", got)
		}
	})
}
