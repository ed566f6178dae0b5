package crm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestPausesGrowAreScatteredAndEnd(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
		return crm.Receipt{}, &crm.Failure{Reason: "no answer"}
	})
	b.FirstWait, b.MaxWait = 2*time.Second, time.Minute
	b.submit(t, "L-1", nil)
	differ := false
	for attempt := 1; attempt <= 40; attempt++ {
		err := b.handle(t, "L-1")
		later, ok := errors.AsType[interface {
			error
			RetryAfter() time.Duration
		}](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		whole := time.Minute
		if attempt <= 5 {
			whole = 2 * time.Second << (attempt - 1)
		}
		if wait := later.RetryAfter(); wait < whole/2 || wait > whole {
			t.Errorf("pause %v after %d attempts, want %v to %v", wait, attempt, whole/2, whole)
		} else if wait != whole/2 && wait != whole {
			differ = true
		}
		b.clock = b.clock.Add(later.RetryAfter())
	}
	if !differ {
		t.Error("pauses are not scattered")
	}
}

func TestTheStateTellsWhenItWasTriedAndWillBe(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	outcomes := []error{&crm.Failure{Reason: "no answer"}, &crm.Failure{Reason: "no answer"}, nil}
	b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
		err := outcomes[0]
		outcomes = outcomes[1:]
		return crm.Receipt{Status: "HTTP 200"}, err
	})
	b.submit(t, "L-1", nil)
	for n, hour := range []int{0, 1, 5} {
		b.clock = start.Add(time.Duration(hour) * time.Hour)
		_ = b.handle(t, "L-1")
		d := b.state(t, "L-1", "crm")
		if !d.FirstAttempt.Equal(start) || !d.LastAttempt.Equal(b.clock) || d.Attempts != n+1 {
			t.Errorf("after %d attempts: %+v", n+1, d)
		}
		if planned := d.NextAttempt.After(b.clock); planned != (d.State == lead.Retrying) {
			t.Errorf("%s, and the next attempt is at %v", d.State, d.NextAttempt)
		}
	}
	if d := b.want(t, "L-1", "crm", lead.HandedOver, 3); !d.NextAttempt.IsZero() || d.Receipt != "HTTP 200 at 2026-05-01T17:00:00Z" {
		t.Errorf("%+v", d)
	}
}

// TestATargetThatThisProcessCannotServeIsLeftAloneForAWhile: nothing but a
// person mends it, and each attempt is a line in the log.
func TestATargetThatThisProcessCannotServeIsLeftAloneForAWhile(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: dealer.TargetSES})
	b.submit(t, "L-1", nil)
	for range 3 {
		err := b.handle(t, "L-1")
		later, ok := errors.AsType[interface {
			error
			RetryAfter() time.Duration
		}](err)
		if !ok || later.RetryAfter() < time.Minute {
			t.Fatalf("tried again too soon: %v", err)
		}
		b.clock = b.clock.Add(later.RetryAfter())
	}
	b.want(t, "L-1", "crm", lead.Retrying, 0)
}
