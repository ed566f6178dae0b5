package lead_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func (r restless) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]lead.Slot, error) {
	pause()
	defer pause()
	return r.Store.Slots(ctx, dealerID, rooftop, kind, from, to, now)
}

// together submits the payloads at once; nobody may get an error.
func (s *shop) together(t counter, payloads ...[]byte) []taken {
	t.Helper()
	answers, errs := make([]taken, len(payloads)), make([]error, len(payloads))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, body := range payloads {
		wg.Go(func() {
			<-start
			var reply aap.Reply
			if reply, errs[i] = s.submit(body); errs[i] == nil {
				answers[i] = readReply(t, reply)
			}
		})
	}
	close(start)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("buyer %d was told %v", i, err)
		}
	}
	return answers
}

func TestAHundredBuyersFillOneSlotToItsCapacity(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		s := booking(open(), t, ", capacity: 3")
		var payloads [][]byte
		for buyer := range 100 {
			payloads = append(payloads, drive(buyer, "2026-06-10T10:00:00-07:00").bytes())
		}
		confirmed := 0
		for _, a := range s.together(t, payloads...) {
			switch said(a) {
			case "confirmed 2026-06-10T10:00:00-07:00":
				confirmed++
			case "proposed 2026-06-10T09:00:00-07:00 2026-06-10T11:00:00-07:00 2026-06-10T12:00:00-07:00":
			default:
				t.Errorf("%s", a.raw)
			}
		}
		if confirmed != 3 || len(s.leads(t)) != 100 {
			t.Errorf("%d confirmed of %d leads, want 3 of 100", confirmed, len(s.leads(t)))
		}
		if got := s.slots(t); !slices.Equal(got, []string{"06-10 10:00 3"}) {
			t.Errorf("slots %v", got)
		}
	})
}

func TestAHundredEqualRetriesTakeOneSlotAndGetEqualAnswers(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		s := booking(open(), t, ", capacity: 100")
		body := drive(1, "2026-06-10T10:00:00-07:00").with("/idempotency_key", "k").bytes()
		answers := s.together(t, slices.Repeat([][]byte{body}, 100)...)
		for _, a := range answers {
			if a.raw != answers[0].raw {
				t.Fatalf("%s\n%s", a.raw, answers[0].raw)
			}
		}
		if said(answers[0]) != "confirmed 2026-06-10T10:00:00-07:00" || len(s.leads(t)) != 1 {
			t.Errorf("%d leads, %s", len(s.leads(t)), answers[0].raw)
		}
		if got := s.slots(t); !slices.Equal(got, []string{"06-10 10:00 1"}) {
			t.Errorf("slots %v", got)
		}
	})
}

func TestEqualLeadsWithoutAKeyTakeOneSlot(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		s := booking(open(), t, ", capacity: 100")
		body := drive(1, "2026-06-10T10:00:00-07:00").bytes()
		for _, a := range s.together(t, slices.Repeat([][]byte{body}, 50)...) {
			if said(a) != "confirmed 2026-06-10T10:00:00-07:00" {
				t.Fatal(a.raw)
			}
		}
		if got := s.slots(t); !slices.Equal(got, []string{"06-10 10:00 1"}) || len(s.leads(t)) != 1 {
			t.Errorf("slots %v, %d leads", got, len(s.leads(t)))
		}
	})
}

// consistent checks that what buyers were told, the visits and the slots are
// one story, and that no instant has more visits than the capacity.
func (s *shop) consistent(t counter, capacity int, answers map[string]taken) {
	t.Helper()
	ctx := context.Background()
	visits, err := s.store.Visits(ctx, s.profile.ID, noon.AddDate(-1, 0, 0), noon.AddDate(2, 0, 0), 1000, noon)
	if err != nil {
		t.Fatalf("%v", err)
	}
	slots, err := s.store.Slots(ctx, s.profile.ID, "Harbor", "test_drive", noon.AddDate(-1, 0, 0), noon.AddDate(2, 0, 0), noon)
	if err != nil {
		t.Fatalf("%v", err)
	}
	holders := map[string]int{}
	for _, slot := range slots {
		for _, id := range slot.Leads {
			holders[fmt.Sprint(id, slot.Span)]++
		}
		at := 0
		for _, other := range slots {
			if other.Overlaps(lead.Span{Start: slot.Start, End: slot.Start.Add(time.Second)}) {
				at += len(other.Leads)
			}
		}
		if at > capacity {
			t.Fatalf("%d visits at %s, of at most %d", at, slot.Start, capacity)
		}
	}
	taking := 0
	booked := map[string]lead.Visit{}
	for _, v := range visits {
		booked[v.LeadID] = v
		for _, span := range v.Slots {
			taking++
			if holders[fmt.Sprint(v.LeadID, span)] != 1 {
				t.Fatalf("the visit of lead %s does not hold %v", v.LeadID, span)
			}
		}
	}
	if taking != len(holders) {
		t.Fatalf("%d slots are held, visits hold %d", len(holders), taking)
	}
	stored := map[string]lead.Record{}
	for _, r := range s.leads(t) {
		stored[r.ID] = r
	}
	for id := range booked {
		if _, ok := stored[id]; !ok {
			t.Fatalf("a visit without its lead %s", id)
		}
	}
	for id, a := range answers {
		v, ok := booked[id]
		if (a.Appointment.Status == aap.AppointmentConfirmed) != ok {
			t.Fatalf("lead %s was told %s, and its visit is %v", id, a.raw, v)
		}
		if ok && !v.Start.Equal(mustTime(t, a.Appointment.ConfirmedAt)) {
			t.Fatalf("lead %s was told %s, and its visit is at %s", id, a.raw, v.Start)
		}
	}
}

func mustTime(t counter, s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return at
}

func TestAnyCrowdOfBuyersGetsOneStory(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		rapid.Check(t, func(rt *rapid.T) {
			capacity := rapid.IntRange(1, 3).Draw(rt, "capacity")
			s := booking(open(), rt, fmt.Sprintf(", capacity: %d", capacity))
			answers := map[string]taken{}
			for range rapid.IntRange(1, 4).Draw(rt, "crowds") {
				var payloads [][]byte
				for range rapid.IntRange(1, 8).Draw(rt, "buyers") {
					at := noon.Add(time.Duration(rapid.IntRange(6, 12).Draw(rt, "half hour")) * 30 * time.Minute)
					d := drive(rapid.IntRange(1, 6).Draw(rt, "buyer"), at.Format(time.RFC3339))
					if n := rapid.SampledFrom([]int{0, 0, 90, 180}).Draw(rt, "minutes"); n > 0 {
						d.with("/appointment/duration_minutes", n)
					}
					payloads = append(payloads, d.bytes())
				}
				for _, a := range s.together(rt, payloads...) {
					answers[a.LeadID] = a
				}
				s.consistent(rt, capacity, answers)
			}
		})
	})
}

func TestFaultsAndLostAnswersLeaveNoSlotWithoutItsLead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		storm := rapid.SliceOfN(rapid.SampledFrom([]moment{healthy, healthy, before, after}), 0, 60).Draw(rt, "storm")
		n := 0
		s := booking(openFlaky(func(string) moment {
			if n++; n <= len(storm) {
				return storm[n-1]
			}
			return healthy
		}), rt, "")
		answers := map[string]taken{}
		for buyer := range 3 {
			for range 30 {
				if reply, err := s.submit(drive(buyer, "2026-06-10T10:00:00-07:00").bytes()); err == nil {
					a := readReply(rt, reply)
					answers[a.LeadID] = a
					break
				}
			}
		}
		if len(answers) != 3 || len(s.leads(rt)) != 3 {
			rt.Fatalf("%d answers, %d leads, want 3", len(answers), len(s.leads(rt)))
		}
		s.consistent(rt, 1, answers)
	})
}
