package crm_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// failing is a receiver whose behaviour a test sets.
type failing struct {
	deliver func(ctx context.Context, d crm.Document) (crm.Receipt, error)
}

func (f failing) Deliver(ctx context.Context, d crm.Document) (crm.Receipt, error) {
	return f.deliver(ctx, d)
}

var _ crm.Transport = failing{}

// custom adds the target type "custom" to a bench.
func (b *bench) custom(deliver func(ctx context.Context, d crm.Document) (crm.Receipt, error)) {
	b.Transports = map[string]crm.Opener{
		"custom": func(dealer.Target, crm.Setup) (crm.Transport, error) { return failing{deliver}, nil },
	}
}

// assertSilent looks for the buyer in the log and in an error.
func assertSilent(t *testing.T, b *bench, err error) {
	t.Helper()
	text := b.log.String()
	if err != nil {
		text += err.Error()
	}
	for _, secret := range []string{"Wilhelmina", "wilhelmina", "Núñez", "4155550123", "Folsom", "Testville", "purple", "I agree"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the log or error:\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "L-1") {
		t.Errorf("the lead's id is not in the log: %s", text)
	}
}

func TestLeadThatIsGoneIsDone(t *testing.T) {
	b := newBench(t, outbox("box", "out"))
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-2"); err != nil {
		t.Error(err)
	}
	b.clock = start.AddDate(3, 0, 0)
	if err := b.handle(t, "L-1"); err != nil {
		t.Error(err)
	}
	if len(folder(t, filepath.Join(b.BaseDir, "out"))) != 0 {
		t.Error("an expired lead was written")
	}
	if !strings.Contains(b.log.String(), `"lead_id":"L-1"`) || !strings.Contains(b.log.String(), `"lead_id":"L-2"`) {
		t.Errorf("log %s", b.log)
	}
}

func TestLeadGoesToTheTargetsOfItsRooftop(t *testing.T) {
	north, south := outbox("north", "north"), outbox("south", "south")
	north.Rooftops, south.Rooftops = []string{"North"}, []string{"Süd & Söhne"}
	b := newBench(t, north, south, outbox("all", "all"))
	b.submit(t, "L-1", func(_ *aap.LeadRequest, r *lead.Record) { r.Rooftop = "Süd & Söhne" })
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	got := []int{}
	for _, dir := range []string{"north", "south", "all"} {
		got = append(got, len(folder(t, filepath.Join(b.BaseDir, dir))))
	}
	if diff := cmp.Diff([]int{0, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLeadWithoutTargetStaysQueuedAndAlarms(t *testing.T) {
	south := outbox("south", "south")
	south.Rooftops = []string{"Süd & Söhne"}
	b := newBench(t, south)
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); !errors.Is(err, crm.ErrNoTarget) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(b.log.String(), `"level":"ERROR","msg":"lead delivery failed","lead_id":"L-1"`) {
		t.Errorf("no alarm in %s", b.log)
	}
}

func TestTargetsFailAlone(t *testing.T) {
	b := newBench(t, outbox("first", "first"), dealer.Target{Name: "broken", Type: "custom"}, dealer.Target{Name: "odd", Type: "pigeon"}, outbox("last", "last"))
	fail := true
	b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
		if fail {
			return crm.Receipt{}, &crm.Failure{Reason: "no answer"}
		}
		return crm.Receipt{Text: "yes"}, nil
	})
	b.submit(t, "L-1", nil)
	err := b.handle(t, "L-1")
	if err == nil || err.Error() != "lead L-1, target broken: no answer" {
		t.Errorf("got %v", err)
	}
	b.want(t, "L-1", "first", lead.HandedOver, 1)
	b.want(t, "L-1", "last", lead.HandedOver, 1)
	b.want(t, "L-1", "broken", lead.Retrying, 1)
	b.want(t, "L-1", "odd", lead.Failed, 0)
	fail = false
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "first", lead.HandedOver, 1)
	b.want(t, "L-1", "broken", lead.HandedOver, 2)
}

func TestAttemptCutOffBeforeItsOutcomeIsRepeatedAsResend(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	var docs []string
	b.custom(func(_ context.Context, d crm.Document) (crm.Receipt, error) {
		docs = append(docs, string(d.Body))
		return crm.Receipt{Text: "yes"}, nil
	})
	b.submit(t, "L-1", nil)
	// What a process that was killed between attempt and outcome leaves behind.
	if _, err := b.store.UpdateDelivery(t.Context(), "lakeside", "L-1", lead.Delivery{
		Target: "crm", State: lead.Queued, Attempts: 1, Begun: true, UpdatedAt: start,
	}); err != nil {
		t.Fatal(err)
	}
	b.Lease = time.Minute
	b.clock = start.Add(30 * time.Second)
	if err := b.handle(t, "L-1"); !errors.Is(err, crm.ErrBusy) || len(docs) != 0 {
		t.Fatalf("within the lease: %v, %d documents", err, len(docs))
	}
	b.clock = start.Add(2 * time.Minute)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	if len(docs) != 1 || !strings.Contains(docs[0], `<prospect status="resend">`) || !strings.Contains(docs[0], ">L-1</id>") {
		t.Errorf("documents %q", docs)
	}
	b.want(t, "L-1", "crm", lead.HandedOver, 2)
	if !b.overs[0].Resend {
		t.Error("the hand-over is not told as a resend")
	}
}

func TestParallelWorkersSendOneDocument(t *testing.T) {
	for name, share := range map[string]bool{"one worker called twice": true, "two workers on one store": false} {
		t.Run(name, func(t *testing.T) {
			for round := range 50 {
				b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
				var sent atomic.Int64
				b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
					sent.Add(1)
					time.Sleep(time.Duration(round%3) * time.Millisecond)
					return crm.Receipt{Text: "yes"}, nil
				})
				if !share {
					b.Lease = time.Minute
				}
				b.submit(t, "L-1", nil)
				other := b.Worker
				if !share {
					other = &crm.Worker{Leads: b.Leads, Profiles: b.Profiles, Now: b.Now, Log: b.Log, Transports: b.Transports, Lease: b.Lease}
				}
				var wg sync.WaitGroup
				for _, w := range []*crm.Worker{b.Worker, other, b.Worker, other} {
					wg.Go(func() {
						for w.Handle(t.Context(), "L-1") != nil {
							time.Sleep(time.Millisecond)
						}
					})
				}
				wg.Wait()
				if sent.Load() != 1 {
					t.Fatalf("round %d: %d documents", round, sent.Load())
				}
				b.want(t, "L-1", "crm", lead.HandedOver, 1)
			}
		})
	}
}

func TestOutcomeIsRecordedThoughTheCallerGaveUp(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	ctx, cancel := context.WithCancel(t.Context())
	b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
		cancel()
		return crm.Receipt{Text: "yes"}, nil
	})
	b.submit(t, "L-1", nil)
	if err := b.Handle(ctx, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "crm", lead.HandedOver, 1)
}

func TestUnrenderableLeadFailsForGood(t *testing.T) {
	b := newBench(t, outbox("box", "out"))
	b.submit(t, "L-1", nil)
	b.profile.Rooftops[0].Phones = nil
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "box", lead.Failed, 0)
	assertSilent(t, b, nil)
}

func TestAMarkedResendStaysOneAfterARefusedConnection(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	var docs []string
	outcomes := []error{&crm.Failure{Reason: "silence", MayHaveReached: true}, &crm.Failure{Reason: "refused"}, nil}
	b.custom(func(_ context.Context, d crm.Document) (crm.Receipt, error) {
		docs = append(docs, string(d.Body))
		return crm.Receipt{Text: "yes"}, outcomes[len(docs)-1]
	})
	b.submit(t, "L-1", nil)
	for range outcomes {
		_ = b.handle(t, "L-1")
	}
	for i, want := range []string{"new", "resend", "resend"} {
		if !strings.Contains(docs[i], `<prospect status="`+want+`">`) {
			t.Errorf("document %d is not %s", i, want)
		}
	}
	b.want(t, "L-1", "crm", lead.HandedOver, 3)
}
