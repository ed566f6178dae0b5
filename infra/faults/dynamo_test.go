package faults

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// TestNoLeadIsLostOrDoubledOnDynamoDBInAStorm has two workers share one table
// and one queue, whose every call may break, while messages come twice and to
// both at once.
func TestNoLeadIsLostOrDoubledOnDynamoDBInAStorm(t *testing.T) {
	t.Parallel()
	endpoint := cloudtest.Moto(t)
	s, l, c := newStorm(t), newLedger("crm-a", "mail"), &clock{}
	profile := parse(t, profileText(newCRM(t, "crm-a", s, l).target(), newPostOffice(t, "mail", s, l).target()))
	table := cloudtest.Table(t, cloudtest.DynamoDB(endpoint))
	box := &mailbox{storm: s, hurry: true, client: sqs.NewFromConfig(hurried(endpoint))}
	box.url, box.dead = cloudtest.Queue(t, endpoint)
	rough := hurried(weatheredAWS(t, endpoint, s, once, nil))
	store, queue := cloud.NewLeads(tables(rough), table), cloud.NewQueue(sqs.NewFromConfig(rough), box.url)
	log := slog.New(l.trail)
	desk := &lead.Desk{Store: store, Queue: queue, Now: c.now, Log: log}
	var deliverers []*cloud.Deliverer
	for range 2 {
		w := &crm.Worker{
			Leads: cloud.NewLeads(tables(rough), table), Profiles: dealer.Fixed(profile), Now: c.now, Log: log,
			Lease: 30 * time.Second, FirstWait: time.Millisecond, MaxWait: 10 * time.Millisecond,
		}
		deliverers = append(deliverers, &cloud.Deliverer{Queue: queue, Handle: w.Handle, Log: log})
	}
	box.poison(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	var sold sync.WaitGroup
	sold.Go(func() {
		b := buyers{storm: s, ledger: l, post: door(desk, profile, c.now), granted: time.Now().Add(-24 * time.Hour), atOnce: 8, tries: 12}
		b.send(0, count(60, 25))
		s.over.Store(true)
	})
	// The clock stands between two rounds only: a lease is no lease when hours
	// pass in it.
	rounds := func(done func() bool) {
		for n := 0; !done(); n++ {
			if ctx.Err() != nil {
				t.Fatalf("leads are still waiting; %d messages", box.pending(t, box.url))
			}
			var hands sync.WaitGroup
			for i := range 4 {
				hands.Go(func() {
					if _, err := box.round(ctx, 4, func(batch events.SQSEvent) (events.SQSEventResponse, error) {
						if s.strikes(5) { // both get it
							hands.Go(func() { _, _ = deliverers[(i+1)%2].Deliver(ctx, batch) })
						}
						return deliverers[i%2].Deliver(ctx, batch)
					}); err != nil {
						t.Error(err)
					}
				})
			}
			hands.Wait()
			ahead := 6*time.Hour + time.Duration(n)*time.Minute
			if !s.over.Load() {
				ahead = time.Duration(s.roll(601)-300) * time.Minute
			}
			c.set(ahead)
			_, _ = desk.Sweep(ctx, dealerID)
		}
	}
	empty := func() bool { return s.over.Load() && box.pending(t, box.url) == 0 && l.settled() }
	rounds(empty)
	sold.Wait()
	calm := cloud.NewLeads(tables(hurried(endpoint)), table)
	checkStates(t, l, calm, queue, c.now)
	rounds(empty)
	if n := checkStates(t, l, calm, queue, c.now); n != 0 {
		t.Errorf("%d are still refused", n)
	}
	l.balance(t)
	box.deadLetters(t, l)
}
