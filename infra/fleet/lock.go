package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Locker keeps who works on a fleet; *stacks.Lock is one.
type Locker interface {
	Read(ctx context.Context) (c stacks.Claim, mark string, err error)
	Write(ctx context.Context, c stacks.Claim, mark string) (string, error)
}

// ErrHeld says that somebody else works on the fleet.
var ErrHeld = errors.New("somebody is at work on this fleet")

const (
	// held is how long a lock stands after its holder was last heard of.
	held = 3 * time.Minute
	// renew is how often the holder is heard of.
	renew = time.Minute
)

// Lock is held by one run at a time.
type Lock struct {
	at    Locker
	pace  pace
	claim stacks.Claim
	mark  string
}

// LockKey is where a fleet's lock lies in its bucket.
func LockKey(f *File) string { return f.CodePrefix + "/fleets/" + f.Name + ".lock" }

// Acquire takes the fleet's lock in the name of mine, whose times it sets: ErrHeld
// while somebody has it, was heard of a short time ago and is not dead.
func Acquire(ctx context.Context, at Locker, mine stacks.Claim, dead func(stacks.Claim) bool, clock Clock, random func() float64) (*Lock, error) {
	l := &Lock{at: at, pace: pace{clock, random}}
	mine.Since, mine.Until = clock.Now().UTC().Round(0), time.Time{}
	for {
		now := clock.Now()
		claim, mark, err := l.read(ctx)
		if err != nil {
			return nil, err
		}
		same := claim
		same.Until = time.Time{}
		if same == mine && l.claim.Holder != "" { // an answer was lost or a write came late, and it stands
			l.claim, l.mark = claim, mark
			return l, nil
		}
		if claim.Until.After(now) && !dead(claim) {
			return nil, fmt.Errorf("%w: %s since %s; if that run was killed, the fleet is free at %s", ErrHeld, claim.Holder,
				claim.Since.UTC().Format(time.TimeOnly+" MST"), claim.Until.UTC().Format(time.TimeOnly+" MST"))
		}
		l.claim = mine
		l.claim.Until = now.UTC().Round(0).Add(held)
		l.mark, err = at.Write(ctx, l.claim, mark)
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, stacks.ErrLost), again(err):
			if err := l.pace.pause(ctx, 0); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

func (l *Lock) read(ctx context.Context) (claim stacks.Claim, mark string, err error) {
	err = do(ctx, l.pace, func() (err error) {
		claim, mark, err = l.at.Read(ctx)
		return err
	})
	return claim, mark, err
}

// Keep renews the lock until ctx ends; it returns an error when it was lost.
func (l *Lock) Keep(ctx context.Context) error {
	for {
		if err := l.pace.Sleep(ctx, renew); err != nil {
			return nil
		}
		next := l.claim
		next.Until = l.pace.Now().UTC().Round(0).Add(held)
		if err := l.write(ctx, next); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the lock of the fleet was lost: %w", err)
		}
	}
}

// write replaces the lock's state; a lost answer counts when the state is there.
func (l *Lock) write(ctx context.Context, next stacks.Claim) error {
	return do(ctx, l.pace, func() error {
		mark, err := l.at.Write(ctx, next, l.mark)
		if errors.Is(err, stacks.ErrLost) {
			now, seen, readErr := l.at.Read(ctx)
			if readErr != nil || now != next {
				return errors.Join(err, readErr)
			}
			mark, err = seen, nil
		}
		if err == nil {
			l.mark, l.claim = mark, next
		}
		return err
	})
}

// Release frees the lock, also when the run was interrupted.
func (l *Lock) Release(ctx context.Context) error {
	next := l.claim
	next.Until = l.pace.Now().UTC().Round(0)
	return l.write(context.WithoutCancel(ctx), next)
}
