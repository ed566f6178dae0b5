package lead_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestALeadThatCannotBeQueuedIsStillTaken(t *testing.T) {
	s := open()
	var log bytes.Buffer
	s.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.queue.fail(errDown)
	got := s.accept(t, keyed("k").with("/message", "Please call after six").bytes())
	if got.Status != aap.LeadReceived || !slices.Equal(s.outbox(t), []string{got.LeadID}) {
		t.Fatalf("answer %s, outbox %v", got.raw, s.outbox(t))
	}
	if !strings.Contains(log.String(), got.LeadID) {
		t.Errorf("the log does not name the lead: %s", log.String())
	}
	wantQuiet(t, log.String())

	s.queue.fail(nil)
	if again := s.accept(t, keyed("k").with("/message", "Please call after six").bytes()); again.raw != got.raw {
		t.Fatalf("answers differ:\n%s\n%s", got.raw, again.raw)
	}
	if !slices.Equal(s.queue.queued(), []string{got.LeadID}) || len(s.outbox(t)) != 0 {
		t.Fatalf("the retry queued %v and left %v", s.queue.queued(), s.outbox(t))
	}
}

func TestAnEqualLeadQueuesTheFirstOneAgain(t *testing.T) {
	s := open()
	s.queue.fail(errDown)
	first := s.accept(t, baseLead().bytes())
	s.queue.fail(nil)
	if got := s.accept(t, baseLead().bytes()); got.Status != aap.LeadDuplicate {
		t.Fatalf("answer is %s", got.raw)
	}
	if !slices.Equal(s.queue.queued(), []string{first.LeadID}) {
		t.Fatalf("queued %v", s.queue.queued())
	}
}

func TestSweepQueuesWhatTheOutboxHolds(t *testing.T) {
	s := open()
	s.queue.fail(errDown)
	var want []string
	for n := range 250 {
		want = append(want, s.accept(t, baseLead().with("/trade_in/mileage", n).bytes()).LeadID)
	}
	ctx := context.Background()
	if n, err := s.Sweep(ctx, s.profile.ID); n != 0 || !errors.Is(err, errDown) {
		t.Fatalf("Sweep = %d, %v", n, err)
	}
	if len(s.outbox(t)) != 250 {
		t.Fatalf("outbox holds %d", len(s.outbox(t)))
	}
	s.queue.fail(nil)
	if n, err := s.Sweep(ctx, "another-dealer"); n != 0 || err != nil {
		t.Fatalf("Sweep of another dealer = %d, %v", n, err)
	}
	if n, err := s.Sweep(ctx, s.profile.ID); n != 250 || err != nil {
		t.Fatalf("Sweep = %d, %v", n, err)
	}
	got := s.queue.queued()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(s.outbox(t)) != 0 {
		t.Fatalf("queued %d, outbox %d", len(got), len(s.outbox(t)))
	}
	if n, err := s.Sweep(ctx, s.profile.ID); n != 0 || err != nil {
		t.Fatalf("a second Sweep = %d, %v", n, err)
	}
}

func TestSweepGoesOnPastALeadThatFails(t *testing.T) {
	bad := ""
	s := open()
	s.queue.fail(errDown)
	var ids []string
	for n := range 3 {
		ids = append(ids, s.accept(t, baseLead().with("/trade_in/mileage", n).bytes()).LeadID)
	}
	s.queue.fail(nil)
	bad = ids[0]
	s.Queue = picky{s.queue, bad}
	if n, err := s.Sweep(context.Background(), s.profile.ID); n != 2 || !errors.Is(err, errDown) || !strings.Contains(err.Error(), bad) {
		t.Fatalf("Sweep = %d, %v", n, err)
	}
	if !slices.Equal(s.outbox(t), []string{bad}) {
		t.Fatalf("outbox holds %v", s.outbox(t))
	}
}

type picky struct {
	*queue
	bad string
}

func (p picky) Enqueue(ctx context.Context, id string) error {
	if id == p.bad {
		return errDown
	}
	return p.queue.Enqueue(ctx, id)
}

func TestABuyerWhoHangsUpDoesNotKeepTheLeadFromTheQueue(t *testing.T) {
	s := open()
	ctx, hangUp := context.WithCancel(context.Background())
	f := &flaky{Store: s.store, queue: s.queue, breaks: func(op string) moment {
		if op == "Enqueue" {
			hangUp()
		}
		return healthy
	}}
	s.Queue = cautious{f}
	if _, err := s.Submit(ctx, s.profile, aap.V1_3, baseLead().bytes()); err != nil {
		t.Fatal(err)
	}
	if len(s.queue.queued()) != 1 || len(s.outbox(t)) != 0 {
		t.Fatalf("queued %v, outbox %v", s.queue.queued(), s.outbox(t))
	}
}

// cautious is a queue that gives up when its context has ended.
type cautious struct{ f *flaky }

func (c cautious) Enqueue(ctx context.Context, id string) error {
	err := c.f.Enqueue(ctx, id)
	return errors.Join(err, ctx.Err())
}

// shut is a lot that cannot be read.
type shut struct{}

func (shut) Match(context.Context, *dealer.Profile, aap.Vehicle) (inventory.Vehicle, error) {
	return inventory.Vehicle{}, fmt.Errorf("reading the lot: %w", errDown)
}

func TestALotThatCannotBeReadRefusesOnlyTestDrives(t *testing.T) {
	s := open()
	s.Stock = shut{}
	car := baseLead().with("/vehicle_of_interest", map[string]any{"vin": vinSummit, "rooftop": "Summit"})
	if got := s.accept(t, car.bytes()); got.Status != aap.LeadReceived || got.Dealer.Name != "Summit" {
		t.Fatalf("answer is %s", got.raw)
	}
	_, err := s.submit(car.with("/appointment/appointment_type", "test_drive").bytes())
	if _, public := errors.AsType[*aap.Error](err); public || !errors.Is(err, errDown) {
		t.Fatalf("error is %v", err)
	}
	if len(s.leads(t)) != 1 {
		t.Fatalf("%d leads", len(s.leads(t)))
	}
}

func TestADeskNeedsNoMoreThanStoreAndQueue(t *testing.T) {
	s := open()
	s.Stock, s.Now, s.NewID, s.Log = nil, nil, nil, nil
	s.queue.fail(errDown)
	got := s.accept(t, baseLead().with("/vehicle_of_interest/vin", vinSold).with("/appointment/appointment_type", "test_drive").bytes())
	if len(got.LeadID) != 36 || len(got.Appointment.AppointmentID) != 36 || got.LeadID == got.Appointment.AppointmentID {
		t.Fatalf("ids are %s and %s", got.LeadID, got.Appointment.AppointmentID)
	}
}
