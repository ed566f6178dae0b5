package faults

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var leads = flag.Int("leads", 1000, "how many leads go through the storm")

const profile = `
id: stormy
name: Stormy Motors
rooftops:
  - {name: Pier, timezone: America/New_York, phones: [{value: "+12125550100"}]}
delivery:
  - {name: crm, type: https, url: "%s/adf", timeout: 2s, failure_words: [error]}
access: {per_minute: 1000000, leads_per_hour: 1000000}
`

func submission(n int) []byte {
	return fmt.Appendf(nil, `{"type":"lead.submit.request","idempotency_key":"k-%d","customer":{"first_name":"Buyer","last_name":"No %d","email":"buyer%d@example.com"},
		"consent":{"granted_at":%q,"allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},"source_agent":{"name":"storm"}}`,
		n, n, n, time.Now().Add(-time.Minute).UTC().Format(time.RFC3339))
}

// chain is everything from the desk to the CRM on one data file.
type chain struct {
	profile *dealer.Profile
	queue   *embedded.Queue
	store   lead.Store
	desk    *lead.Desk
	worker  *crm.Worker
}

func newChain(t *testing.T, url string, d *dice) *chain {
	t.Helper()
	p, err := dealer.Parse(fmt.Appendf(nil, profile, url))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c := &chain{profile: p, queue: db.Queue(time.Now), store: db.Leads()}
	c.queue.Workers, c.queue.FirstWait, c.queue.MaxWait = 16, 5*time.Millisecond, 100*time.Millisecond
	quiet := slog.New(slog.DiscardHandler)
	store := flakyStore{c.store, d}
	c.desk = &lead.Desk{Store: store, Queue: flakyQueue{c.queue, d}, NewID: uuid.NewString, Log: quiet}
	c.worker = &crm.Worker{
		Leads: store, Profiles: dealer.Fixed(p), Log: quiet, FirstWait: 5 * time.Millisecond, MaxWait: 100 * time.Millisecond,
	}
	return c
}

// submit sends a lead until it is acknowledged, as a buyer's agent does.
func (c *chain) submit(ctx context.Context, n int) (string, error) {
	payload := submission(n)
	for {
		reply, err := c.desk.Submit(ctx, c.profile, aap.Primary(), payload)
		if err != nil {
			if ctx.Err() != nil {
				return "", fmt.Errorf("lead %d was never acknowledged: %w", n, err)
			}
			continue
		}
		var data struct {
			LeadID string `json:"lead_id"`
		}
		raw, err := json.Marshal(reply.Data)
		if err == nil {
			err = json.Unmarshal(raw, &data)
		}
		return data.LeadID, err
	}
}

func TestInAStormOfFaultsNoLeadIsLostAndNoneDoubledWithoutReason(t *testing.T) {
	total := *leads
	if testing.Short() {
		total = min(total, 200)
	}
	d := newDice(7, 0.10)
	r := newReceiver(t, d)
	c := newChain(t, r.URL, d)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var running, buyers sync.WaitGroup
	work, stop := context.WithCancel(ctx)
	running.Go(func() {
		if err := c.queue.Run(work, c.worker.Handle); err != nil {
			t.Error(err)
		}
	})
	running.Go(func() {
		for work.Err() == nil {
			_, _ = c.desk.Sweep(work, c.profile.ID) // its faults are the storm's
			time.Sleep(20 * time.Millisecond)
		}
	})
	acknowledged := make([]string, total)
	const atOnce = 16
	for first := range atOnce {
		buyers.Go(func() {
			for n := first; n < total; n += atOnce {
				id, err := c.submit(ctx, n)
				if err != nil {
					t.Error(err)
					return
				}
				acknowledged[n] = id
			}
		})
	}
	buyers.Wait()
	c.drain(ctx, t)
	stop()
	running.Wait()
	unique := slices.Clone(acknowledged)
	slices.Sort(unique)
	if unique = slices.Compact(unique); len(unique) != total {
		t.Errorf("%d ids for %d leads", len(unique), total)
	}
	twice := r.audit(t, acknowledged)
	c.tellsTheTruth(ctx, t, r, acknowledged)
	t.Logf("%d leads, %d second documents, each after a silence of the CRM", total, twice)
}

// drain waits until neither the outbox nor the queue holds a lead.
func (c *chain) drain(ctx context.Context, t *testing.T) {
	t.Helper()
	for ctx.Err() == nil {
		waiting, err := c.store.Outbox(ctx, c.profile.ID, time.Now().AddDate(1, 0, 0), 1)
		pending, queueErr := c.queue.Pending(ctx)
		if err == nil && queueErr == nil && len(waiting) == 0 && pending == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("leads are still waiting")
}

// tellsTheTruth: every state says handed over, with a receipt, and the CRM
// said so of its last document.
func (c *chain) tellsTheTruth(ctx context.Context, t *testing.T, r *receiver, ids []string) {
	t.Helper()
	for _, id := range ids {
		states, err := c.store.Deliveries(ctx, c.profile.ID, id)
		if err != nil || len(states) != 1 {
			t.Fatalf("lead %s: %v, %v", id, states, err)
		}
		if s := states[0]; s.State != lead.HandedOver || s.Receipt == "" || s.FirstAttempt.IsZero() || s.LastAttempt.Before(s.FirstAttempt) {
			t.Errorf("lead %s: %+v", id, s)
		}
		if got := r.got[id]; len(got) > 0 && !got[len(got)-1].told {
			t.Errorf("lead %s is handed over, and the CRM never said so", id)
		}
	}
}
