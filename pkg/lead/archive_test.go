package lead_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func (s *shop) archive() lead.Archive {
	return lead.Archive{Store: s.store, Queue: s.queue, Now: s.Now}
}

func TestAPersonIsFoundHoweverMailAndPhoneAreSpelt(t *testing.T) {
	s := open()
	plain := s.accept(t, baseLead().with("/customer/email", "Maya.Ortiz@Example.com").with("/customer/phone", "+13035550142").bytes())
	other := s.accept(t, baseLead().with("/customer/email", "jörg@müller.example").with("/customer/phone", "+442079460000").bytes())
	old := s.acceptUnder(t, "v0.1", oldLead().with("/customer/email", "old@example.com").with("/customer/phone", "+13035550177").bytes())
	for _, c := range []struct {
		who  lead.Person
		want []string
	}{
		{lead.Person{Email: "maya.ortiz@example.com"}, []string{plain.LeadID}},
		{lead.Person{Email: "  MAYA.ORTIZ@EXAMPLE.COM "}, []string{plain.LeadID}},
		{lead.Person{Email: "JÖRG@MÜLLER.example"}, []string{other.LeadID}},
		{lead.Person{Email: "maya.ortiz@example.co"}, nil},
		{lead.Person{Phone: "+1 (303) 555-0142"}, []string{plain.LeadID}},
		{lead.Person{Phone: "303.555.0142"}, []string{plain.LeadID}},
		{lead.Person{Phone: "1-303-555-0142"}, []string{plain.LeadID}},
		{lead.Person{Phone: "001 303 5550142"}, []string{plain.LeadID}},
		{lead.Person{Phone: "011 44 20 7946 0000"}, []string{other.LeadID}},
		{lead.Person{Phone: "+44 (0)20 7946 0000"}, []string{other.LeadID}},
		{lead.Person{Phone: "5550142"}, nil},
		{lead.Person{Email: "old@example.com"}, []string{old.LeadID}},
		{lead.Person{Phone: "303-555-0177"}, []string{old.LeadID}},
		{lead.Person{Email: "old@example.com", Phone: "3035550142"}, []string{old.LeadID, plain.LeadID}},
		{lead.Person{}, nil},
	} {
		got, err := s.archive().Of(t.Context(), s.profile.ID, c.who)
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q %q finds %v, %v; want %v", c.who.Email, c.who.Phone, got, err, c.want)
		}
	}
}

func TestEveryLeadIsToldOnceThoughManyCameAtOneMoment(t *testing.T) {
	s := open()
	want := map[string]bool{}
	for n := range 470 {
		if n%40 == 0 && n < 200 {
			s.setClock(noon.Add(time.Duration(n) * time.Nanosecond)) // then 270 of one moment
		}
		want[s.accept(t, baseLead().with("/customer/email", fmt.Sprintf("b%d@example.com", n)).bytes()).LeadID] = true
	}
	last := noon.AddDate(1, 0, 0)
	err := s.archive().Each(t.Context(), s.profile.ID, time.Time{}, func(r lead.Record) error {
		if !want[r.ID] {
			t.Fatalf("lead %s is told twice", r.ID)
		}
		delete(want, r.ID)
		if r.ReceivedAt.After(last) {
			t.Fatalf("lead %s is newer than the one before", r.ID)
		}
		last = r.ReceivedAt
		return nil
	})
	if err != nil || len(want) != 0 {
		t.Fatalf("%d leads are not told, %v", len(want), err)
	}
}

func TestAnErasedLeadComesAgainAsANewOne(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func() *shop) {
		s := open()
		payload := baseLead().with("/idempotency_key", "maya.ortiz@example.com").bytes()
		first := s.accept(t, payload)
		again := s.accept(t, baseLead().with("/idempotency_key", "another").bytes())
		if again.Status != aap.LeadDuplicate {
			t.Fatalf("the repeat is %s", again.Status)
		}
		if err := s.archive().Erase(t.Context(), s.profile.ID, []string{first.LeadID}); err != nil {
			t.Fatal(err)
		}
		for name, payload := range map[string][]byte{"the key": payload, "the duplicate's key": baseLead().with("/idempotency_key", "another").bytes()} {
			got := s.accept(t, payload)
			if got.LeadID == first.LeadID {
				t.Errorf("%s still answers with the erased lead", name)
			}
		}
		if n := len(s.leads(t)); n != 1 {
			t.Errorf("%d leads after the same lead came again, want 1", n)
		}
	})
}

func TestARevocationLeavesOnlyTheChannelsThatStand(t *testing.T) {
	s := open()
	got := s.accept(t, baseLead().with("/consent/allowed_channels", []any{"email", "sms", "phone"}).with("/customer/phone", "+13035550142").bytes())
	left := func() []string {
		t.Helper()
		story, err := s.store.Story(t.Context(), s.profile.ID, got.LeadID)
		if err != nil {
			t.Fatal(err)
		}
		request, err := s.leads(t)[0].Lead()
		if err != nil {
			t.Fatal(err)
		}
		return lead.Channels(request.Customer, lead.Remaining(request.Consent, story))
	}
	for _, step := range []struct{ off, want []string }{
		{[]string{"sms"}, []string{"email", "phone"}},
		{[]string{"sms", "email"}, []string{"phone"}},
		{nil, nil},
	} {
		if err := s.archive().Revoke(t.Context(), s.profile.ID, []string{got.LeadID}, step.off, "test"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(left(), step.want) {
			t.Errorf("after %v is taken back %v are left, want %v", step.off, left(), step.want)
		}
	}
	if _, err := s.archive().Resend(t.Context(), s.profile.ID, got.LeadID, nil, "test"); !errors.Is(err, lead.ErrNoConsent) {
		t.Errorf("a resend without consent: %v", err)
	}
}

func TestAResendQueuesWhatWasHandedOverAsASecondDocument(t *testing.T) {
	s := open()
	id := s.accept(t, baseLead().bytes()).LeadID
	for _, d := range []lead.Delivery{
		{Target: "crm", State: lead.HandedOver, Attempts: 1, Receipt: "HTTP 200", UpdatedAt: noon},
		{Target: "mail", State: lead.Failed, Attempts: 2, LastError: "HTTP 400", UpdatedAt: noon},
	} {
		if _, err := s.store.UpdateDelivery(t.Context(), s.profile.ID, id, d); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := s.archive().Resend(t.Context(), s.profile.ID, id, []string{"crm"}, "test")
	if err != nil || !slices.Equal(asked, []string{"crm"}) {
		t.Fatalf("%v, %v", asked, err)
	}
	states, err := s.store.Deliveries(t.Context(), s.profile.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	if crm := states[0]; crm.State != lead.Queued || !crm.Begun || crm.Attempts != 1 {
		t.Errorf("the state is %+v", crm)
	}
	if states[1].State != lead.Failed {
		t.Errorf("the other target is %+v", states[1])
	}
	if n := len(s.queue.queued()); n != 2 {
		t.Errorf("queued %d times, want 2", n)
	}
	if _, err := s.archive().Resend(t.Context(), s.profile.ID, id, []string{"nobody"}, "test"); !errors.Is(err, lead.ErrNotFound) {
		t.Errorf("an unknown target: %v", err)
	}
	audits, err := s.store.Audits(t.Context(), s.profile.ID)
	if err != nil || len(audits) != 1 || audits[0].Action != "resend" || audits[0].Leads != 1 {
		t.Errorf("the account is %v, %v", audits, err)
	}
}

// TestAResendThatCannotBeMadeChangesNothing: a target that was set back and never
// queued would wait for ever.
func TestAResendThatCannotBeMadeChangesNothing(t *testing.T) {
	s := open()
	id := s.accept(t, baseLead().bytes()).LeadID
	for name, d := range map[string]lead.Delivery{
		"a": {State: lead.HandedOver}, "b": {State: lead.Queued, Begun: true},
	} {
		d.Target, d.UpdatedAt = name, noon
		if _, err := s.store.UpdateDelivery(t.Context(), s.profile.ID, id, d); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		targets []string
		want    error
	}{{nil, lead.ErrUnderWay}, {[]string{"a", "nobody"}, lead.ErrNotFound}} {
		if asked, err := s.archive().Resend(t.Context(), s.profile.ID, id, c.targets, "test"); !errors.Is(err, c.want) || len(asked) != 0 {
			t.Errorf("%v: asked %v, %v", c.targets, asked, err)
		}
	}
	states, err := s.store.Deliveries(t.Context(), s.profile.ID, id)
	if err != nil || len(states) != 2 || states[0].State != lead.HandedOver {
		t.Errorf("%+v, %v", states, err)
	}
	if story, err := s.store.Story(t.Context(), s.profile.ID, id); err != nil || len(story) != 0 {
		t.Errorf("%+v, %v", story, err)
	}
}
