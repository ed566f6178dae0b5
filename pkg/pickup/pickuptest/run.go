// Package pickuptest holds the contract of pickup.Store as tests.
package pickuptest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/pickup"
)

// Run runs the contract; open makes an empty store.
func Run(t *testing.T, open func(t *testing.T) pickup.Store) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	full := pickup.State{
		Source: "export", Origin: "o", Looked: noon, Wait: time.Hour, Seen: noon.Add(-time.Hour), Result: pickup.Refused, Reason: "Ümläute", Failures: 2,
		Tag: "t", ETag: `W/"1"`, Dated: "Fri, 01 May 2026 11:00:00 GMT", SHA256: "ab", FeedTime: noon.Add(-2 * time.Hour), ReadBy: noon.Add(-3 * time.Hour), Taken: noon,
	}
	t.Run("a source has one visitor at a time", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		first, err := s.Claim(ctx, "demo", "export", noon, noon.Add(time.Minute))
		if err != nil || first.Claim == "" || first.Source != "export" || !first.Looked.IsZero() {
			t.Fatalf("%+v, %v", first, err)
		}
		if _, err := s.Claim(ctx, "demo", "export", noon.Add(59*time.Second), noon.Add(time.Hour)); !errors.Is(err, pickup.ErrBusy) {
			t.Fatalf("a second visitor: %v", err)
		}
		for _, other := range [][2]string{{"demo", "other"}, {"else", "export"}} {
			if _, err := s.Claim(ctx, other[0], other[1], noon, noon.Add(time.Minute)); err != nil {
				t.Fatalf("%v is kept out: %v", other, err)
			}
		}
		settled := full
		settled.Claim = first.Claim
		if err := s.Settle(ctx, "demo", settled); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(ctx, "demo", settled); err != nil && !errors.Is(err, pickup.ErrBusy) {
			t.Fatal(err)
		}
		again, err := s.Claim(ctx, "demo", "export", noon, noon.Add(time.Minute))
		if again.Claim == first.Claim || again.Claim == "" {
			t.Error("a claim was used twice")
		}
		again.Claim = ""
		if diff := cmp.Diff(full, again); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if states, err := s.States(ctx, "demo"); err != nil || cmp.Diff([]pickup.State{full}, states) != "" {
			t.Errorf("states %+v, %v", states, err)
		}
		if states, err := s.States(ctx, "else"); err != nil || len(states) != 0 {
			t.Errorf("another dealer's states %+v, %v", states, err)
		}
	})
	t.Run("a visitor that was too slow writes nothing", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		slow, err := s.Claim(ctx, "demo", "export", noon, noon.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		quick, err := s.Claim(ctx, "demo", "export", noon.Add(time.Minute), noon.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		slow.Reason = "slow"
		if err := s.Settle(ctx, "demo", slow); !errors.Is(err, pickup.ErrBusy) {
			t.Fatalf("the slow one: %v", err)
		}
		quick.Reason = "quick"
		if err := s.Settle(ctx, "demo", quick); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(ctx, "demo", slow); !errors.Is(err, pickup.ErrBusy) {
			t.Fatalf("the slow one, later: %v", err)
		}
		if states, err := s.States(ctx, "demo"); err != nil || len(states) != 1 || states[0].Reason != "quick" {
			t.Errorf("%+v, %v", states, err)
		}
	})
	t.Run("of many at once one gets the source", func(t *testing.T) {
		s := open(t)
		var group sync.WaitGroup
		got := make(chan error, 8)
		for range cap(got) {
			group.Go(func() {
				_, err := s.Claim(t.Context(), "demo", "export", noon, noon.Add(time.Minute))
				got <- err
			})
		}
		group.Wait()
		close(got)
		won := 0
		for err := range got {
			if err == nil {
				won++
			} else if !errors.Is(err, pickup.ErrBusy) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d visitors have the source", won)
		}
	})
}
