package faults

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// bug puts a mistake between the agent and its contracts; the zero value none.
type bug struct {
	store   func(lead.Store) lead.Store
	handle  func(func(context.Context, string) error) func(context.Context, string) error
	noSweep bool
}

// site is the agent on one data file, in this process.
type site struct {
	storm   *storm
	ledger  *ledger
	clock   *clock
	db      *embedded.DB
	queue   *embedded.Queue
	desk    *lead.Desk
	profile *dealer.Profile
	bad     atomic.Int64
	bug     bug
}

func openSite(t *testing.T, b bug) *site {
	t.Helper()
	s := &site{storm: newStorm(t), ledger: newLedger("crm-a", "crm-b", "mail"), clock: &clock{}, bug: b}
	s.profile = parse(t, profileText(
		newCRM(t, "crm-a", s.storm, s.ledger).target(), newCRM(t, "crm-b", s.storm, s.ledger).target(),
		newPostOffice(t, "mail", s.storm, s.ledger).target(),
	))
	var err error
	if s.db, err = embedded.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	s.queue = s.db.Queue(time.Now)
	s.queue.Workers, s.queue.FirstWait, s.queue.MaxWait = 48, 5*time.Millisecond, 50*time.Millisecond
	store := s.db.Leads()
	if b.store != nil {
		store = b.store(store)
	}
	store = stormy{store, s.storm}
	log := slog.New(s.ledger.trail)
	s.desk = &lead.Desk{Store: store, Queue: stormyQueue{s.queue, s.storm, &s.bad}, Now: s.clock.now, Log: log}
	worker := &crm.Worker{
		Leads: struck{store, s.storm, s.ledger.excuse}, Profiles: dealer.Fixed(s.profile), Now: s.clock.now, Log: log,
		FirstWait: 5 * time.Millisecond, MaxWait: 50 * time.Millisecond,
	}
	handle := worker.Handle
	if b.handle != nil {
		handle = b.handle(handle)
	}
	s.queue.OnFailure = func(id string, _ int, wait time.Duration, err error) {
		s.ledger.trail.add(id, fmt.Sprintf("comes back after %s: %v", wait, err))
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.queue.Run(ctx, handle) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the queue ended: %v", err)
		}
	})
	return s
}

// weather has n leads sent while the clock jumps, hours forth and back.
func (s *site) weather(n int) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(150 * time.Millisecond):
				s.clock.set(time.Duration(s.storm.roll(601)-300) * time.Minute)
				s.sweep()
			}
		}
	}()
	b := buyers{
		storm: s.storm, ledger: s.ledger, post: door(s.desk, s.profile, s.clock.now),
		granted: time.Now().Add(-24 * time.Hour), atOnce: 32, tries: 12,
	}
	b.send(0, n)
	close(done)
	s.storm.over.Store(true)
	s.clock.set(6 * time.Hour)
}

func (s *site) sweep() {
	if !s.bug.noSweep {
		_, _ = s.desk.Sweep(context.Background(), dealerID)
	}
}

// settle waits until nothing is queued any more.
func (s *site) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		s.sweep()
		pending, err := s.queue.Pending(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if pending == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d leads are still queued a minute after the storm", pending)
		}
	}
}

func TestNoLeadIsLostOrDoubledOnADataFileInAStorm(t *testing.T) {
	s := openSite(t, bug{})
	began := time.Now()
	s.weather(count(20000, 900))
	s.settle(t)
	if n := checkStates(t, s.ledger, s.db.Leads(), s.queue, s.clock.now); n == 0 {
		t.Error("nothing was refused: the test has no load")
	}
	s.settle(t)
	if n := checkStates(t, s.ledger, s.db.Leads(), s.queue, s.clock.now); n != 0 {
		t.Errorf("%d are still refused", n)
	}
	s.ledger.balance(t)
	if s.bad.Load() == 0 || s.ledger.doubles() == 0 {
		t.Errorf("%d poisoned messages, %d doubles: the test has no load", s.bad.Load(), s.ledger.doubles())
	}
	t.Logf("in %s, with %d poisoned messages", time.Since(began).Round(time.Millisecond), s.bad.Load())
}
