package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits; it returns early with ctx's error when ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// Wall is the machine's clock.
type Wall struct{}

// Now is the time.
func (Wall) Now() time.Time { return time.Now() }

// Sleep waits.
func (Wall) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// pace is how calls are repeated.
type pace struct {
	Clock
	// random is a number from 0 up to 1.
	random func() float64
}

const (
	firstPause  = 500 * time.Millisecond
	longestWait = 30 * time.Second
	mostTries   = 14 // some five minutes of pauses
)

// pause waits before the n-th repetition, counted from 0: between half of and the
// whole of a time that doubles, so that callers who were refused together do not
// come back together.
func (p pace) pause(ctx context.Context, n int) error {
	d := min(longestWait, firstPause<<min(n, 10))
	return p.Sleep(ctx, d/2+time.Duration(p.random()*float64(d/2)))
}

// ask repeats a call that may be repeated until it is answered.
func ask[T any](ctx context.Context, p pace, call func() (T, error)) (T, error) {
	for n := 0; ; n++ {
		got, err := call()
		if !again(err) {
			return got, err
		}
		if n+1 == mostTries {
			return got, fmt.Errorf("gave up after %d tries: %w", mostTries, err)
		}
		if err := p.pause(ctx, n); err != nil {
			return got, err
		}
	}
}

// again reports whether a call that failed so may succeed when it is repeated.
func again(err error) bool {
	return errors.Is(err, stacks.ErrThrottled) || errors.Is(err, stacks.ErrUnsure)
}

// do is ask for calls that answer nothing.
func do(ctx context.Context, p pace, call func() error) error {
	_, err := ask(ctx, p, func() (struct{}, error) { return struct{}{}, call() })
	return err
}
