package lead_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// again is an equal lead to baseLead's, with a key of its own.
func again(key, message string) []byte { return keyed(key).with("/message", message).bytes() }

func TestAKeyAnsweredDuplicateKeepsThatAnswer(t *testing.T) {
	s := open()
	s.profile.Leads.DuplicateWindow = dealer.Duration(time.Hour)
	first := s.accept(t, baseLead().bytes())
	told := s.accept(t, again("k", "1"))
	if told.Status != aap.LeadDuplicate || told.LeadID != first.LeadID {
		t.Fatalf("answer is %s, want a duplicate of %s", told.raw, first.LeadID)
	}
	s.profile.Rooftops[0].Name = "Renamed"
	for _, later := range []time.Duration{0, 2 * time.Hour, 6 * 24 * time.Hour} {
		s.setClock(noon.Add(later))
		if got := s.accept(t, again("k", "1")); got.raw != told.raw {
			t.Errorf("after %v: answers differ:\n%s\n%s", later, told.raw, got.raw)
		}
		s.refuse(t, again("k", "2"), aap.IdempotencyConflict)
		if n := len(s.leads(t)); n != 1 {
			t.Fatalf("after %v: %d leads", later, n)
		}
	}
	// The first lead's own answer is not touched.
	s.setClock(noon)
	if got := s.accept(t, again("k2", "1")); got.raw != told.raw {
		t.Errorf("another key is told:\n%s, want\n%s", got.raw, told.raw)
	}
	s.setClock(noon.Add(7*24*time.Hour + time.Minute))
	if got := s.accept(t, again("k", "1")); got.Status != aap.LeadReceived || got.LeadID == first.LeadID {
		t.Errorf("the key outlived its time: %s", got.raw)
	}
}

func TestADuplicatesKeyEndsWithItsLead(t *testing.T) {
	s := open()
	s.profile.Leads.Retention = dealer.Duration(30 * time.Hour)
	first := s.accept(t, baseLead().bytes())
	s.setClock(noon.Add(20 * time.Hour))
	told := s.accept(t, again("k", "1"))
	s.setClock(noon.Add(29 * time.Hour))
	if got := s.accept(t, again("k", "1")); got.raw != told.raw {
		t.Fatalf("answers differ:\n%s\n%s", told.raw, got.raw)
	}
	s.setClock(noon.Add(31 * time.Hour))
	if got := s.accept(t, again("k", "1")); got.Status != aap.LeadReceived || got.LeadID == first.LeadID {
		t.Fatalf("the answer is about a lead that is gone: %s", got.raw)
	}
}

func TestARefusedDuplicateDoesNotUseUpItsKey(t *testing.T) {
	s := open()
	s.accept(t, baseLead().bytes())
	s.refuse(t, keyed("k").with("/consent/expires_at", "2026-06-10T11:59:59Z").bytes(), aap.InvalidConsent)
	s.refuse(t, keyed("k").with("/customer/preferred_contact", "sms").bytes(), aap.ContactConsentRequired)
	if got := s.accept(t, keyed("k").bytes()); got.Status != aap.LeadDuplicate {
		t.Fatalf("answer is %s", got.raw)
	}
}

func TestReplayGivesADuplicatesAnswer(t *testing.T) {
	s := open()
	s.accept(t, keyed("first").bytes())
	told := s.accept(t, again("k", "1"))
	reply, ok, err := s.Replay(context.Background(), s.profile, again("k", "1"))
	if err != nil || !ok {
		t.Fatalf("Replay = %v, %v", ok, err)
	}
	if got := readReply(t, reply); got.raw != told.raw {
		t.Fatalf("answers differ:\n%s\n%s", told.raw, got.raw)
	}
	// Over quota nothing is bound: an equal lead with a fresh key is no replay.
	for _, payload := range [][]byte{again("k", "2"), again("k2", "1")} {
		if _, ok, err := s.Replay(context.Background(), s.profile, payload); ok || err != nil {
			t.Fatalf("Replay = %v, %v; want no answer", ok, err)
		}
	}
}

func TestParallelDuplicatesWithOneKeyHaveOnePayload(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		for range 30 {
			s := open()
			first := s.accept(t, baseLead().bytes())
			const callers = 8
			answers, errs := make([]aap.Reply, callers), make([]error, callers)
			var wg sync.WaitGroup
			for i := range callers {
				body := again("k", fmt.Sprint(i/2)) // each payload comes twice
				wg.Go(func() { answers[i], errs[i] = s.submit(body) })
			}
			wg.Wait()
			won := -1
			for i, err := range errs {
				switch {
				case err == nil && (won < 0 || won == i/2):
					won = i / 2
					if got := readReply(t, answers[i]); got.LeadID != first.LeadID || got.Status != aap.LeadDuplicate {
						t.Fatalf("caller %d was told %s", i, got.raw)
					}
				case err == nil:
					t.Fatalf("payloads %d and %d both have the key", won, i/2)
				case !errors.Is(err, &aap.Error{Code: aap.IdempotencyConflict}):
					t.Fatalf("caller %d: %v", i, err)
				}
			}
			if won < 0 || len(s.leads(t)) != 1 {
				t.Fatalf("payload %d won, %d leads", won, len(s.leads(t)))
			}
		}
	})
}

func TestFaultsDoNotLoseADuplicatesAnswer(t *testing.T) {
	for _, op := range []string{"ByKey", "ByEqual", "Load", "Bind", "Outbox"} {
		for m, when := range map[moment]string{before: "before", after: "after"} {
			for call := 1; call <= 3; call++ {
				t.Run(fmt.Sprintf("%s breaks %s its effect, call %d", op, when, call), func(t *testing.T) {
					calls, armed := 0, false
					s := openFlaky(func(o string) moment {
						if armed && o == op {
							if calls++; calls == call {
								return m
							}
						}
						return healthy
					})
					s.profile.Leads.DuplicateWindow = dealer.Duration(time.Hour)
					first := s.accept(t, baseLead().bytes())
					armed = true
					told := ""
					for range 4 {
						reply, err := s.submit(again("k", "1"))
						if err != nil {
							if !errors.Is(err, errDown) {
								t.Fatal(err)
							}
							continue
						}
						got := readReply(t, reply)
						if told == "" {
							told = got.raw
						}
						if got.raw != told || got.LeadID != first.LeadID || got.Status != aap.LeadDuplicate {
							t.Fatalf("answer is %s, before it was %s", got.raw, told)
						}
					}
					s.setClock(noon.Add(2 * time.Hour))
					armed = false
					if got := s.accept(t, again("k", "1")); got.raw != told {
						t.Fatalf("an acknowledged answer changed:\n%s\n%s", told, got.raw)
					}
					s.refuse(t, again("k", "2"), aap.IdempotencyConflict)
				})
			}
		}
	}
}
