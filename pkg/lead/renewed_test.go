package lead_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// granted is the base lead under a consent given at the time.
func granted(at time.Time) document {
	return baseLead().with("/consent/granted_at", at.Format(time.RFC3339))
}

func (s *shop) revoke(t *testing.T, id string, channels ...string) {
	t.Helper()
	if err := s.archive().Revoke(t.Context(), s.profile.ID, []string{id}, channels, "test"); err != nil {
		t.Fatal(err)
	}
}

func TestAnEqualLeadUnderANewConsentIsANewLeadOnceTheOldOneEnded(t *testing.T) {
	hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	for name, c := range map[string]struct {
		first document
		end   func(t *testing.T, s *shop, id string)
		again document
		fresh bool
	}{
		"taken back, then given anew": {
			granted(noon), func(t *testing.T, s *shop, id string) { s.revoke(t, id) }, granted(hour(2)), true,
		},
		"one channel taken back, then given anew": {
			granted(noon), func(t *testing.T, s *shop, id string) { s.revoke(t, id, "email") }, granted(hour(2)), true,
		},
		"taken back, and the old one repeated": {
			granted(noon), func(t *testing.T, s *shop, id string) { s.revoke(t, id) }, granted(noon), false,
		},
		"a channel taken back that the new one does not name": {
			granted(noon), func(t *testing.T, s *shop, id string) { s.revoke(t, id, "phone") },
			granted(hour(2)).with("/consent/allowed_channels", []any{"email"}), false,
		},
		"expired, then given anew": {
			granted(noon).with("/consent/expires_at", hour(1).Format(time.RFC3339)), func(*testing.T, *shop, string) {}, granted(hour(2)), true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			first := s.accept(t, c.first.bytes())
			s.setClock(hour(1))
			c.end(t, s, first.LeadID)
			s.setClock(hour(2))
			second := s.accept(t, c.again.bytes())
			if !c.fresh {
				if second.Status != aap.LeadDuplicate || second.LeadID != first.LeadID {
					t.Fatalf("answer is %s, want a duplicate of %s", second.raw, first.LeadID)
				}
				return
			}
			if second.Status != aap.LeadReceived || second.LeadID == first.LeadID {
				t.Fatalf("the new consent is swallowed: %s", second.raw)
			}
			if third := s.accept(t, c.again.bytes()); third.Status != aap.LeadDuplicate || third.LeadID != second.LeadID {
				t.Fatalf("its repeat is answered %s, want a duplicate of %s", third.raw, second.LeadID)
			}
		})
	}
}

func TestWhoRepeatsAConsentThatWasTakenBackIsTold(t *testing.T) {
	s := open()
	first := s.accept(t, granted(noon).bytes())
	s.setClock(noon.Add(time.Hour))
	s.revoke(t, first.LeadID)
	if got := s.accept(t, granted(noon).bytes()); !strings.Contains(got.message, "consent that the buyer gives anew") || strings.Contains(got.message, "follow up") {
		t.Errorf("told %q", got.message)
	}
}

// goneFirst is a store in the midst of an erasure: the record is gone, what
// points to it is not.
type goneFirst struct {
	lead.Store
	id string
}

func (g goneFirst) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	if leadID == g.id {
		return lead.Record{}, lead.ErrNotFound
	}
	return g.Store.Load(ctx, dealerID, leadID, now)
}

func TestALeadThatComesWhileAnEqualOneIsBeingErasedIsTaken(t *testing.T) {
	s := open()
	first := s.accept(t, baseLead().bytes())
	s.Store = goneFirst{s.store, first.LeadID}
	second := s.accept(t, baseLead().bytes())
	if second.Status != aap.LeadReceived || second.LeadID == first.LeadID {
		t.Errorf("answered %s", second.raw)
	}
}

func TestParallelLeadsUnderANewConsentMakeOneLead(t *testing.T) {
	s := open()
	first := s.accept(t, granted(noon).bytes())
	s.setClock(noon.Add(time.Hour))
	s.revoke(t, first.LeadID)
	s.setClock(noon.Add(2 * time.Hour))
	var answers sync.Map
	var crowd sync.WaitGroup
	for n := range 20 {
		crowd.Go(func() {
			payload := granted(noon.Add(90*time.Minute)).with("/idempotency_key", fmt.Sprint("key-", n)).bytes()
			reply, err := s.submit(payload)
			if err != nil {
				t.Errorf("refused: %v", err)
				return
			}
			answers.Store(readReply(t, reply).LeadID, true)
		})
	}
	crowd.Wait()
	ids := 0
	answers.Range(func(id, _ any) bool {
		if ids++; id == first.LeadID {
			t.Error("the lead whose consent ended is told")
		}
		return true
	})
	if ids != 1 || len(s.leads(t)) != 2 {
		t.Errorf("%d leads are told, %d stored", ids, len(s.leads(t)))
	}
}
