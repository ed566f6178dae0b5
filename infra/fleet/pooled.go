package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Pool is a stack that serves the fleet's dealers; *stacks.Pool is one.
type Pool interface {
	Dealers(ctx context.Context) ([]string, error)
	Published(ctx context.Context) ([]string, error)
	Digest(ctx context.Context, id string) (string, error)
	Put(ctx context.Context, id string, profile []byte) error
	Remove(ctx context.Context, id string) error
	Activity(ctx context.Context, id string, since time.Time) (stacks.Activity, error)
}

// Pooled is the state of a dealer of a pooled fleet whom buyers reach.
const Pooled = "published"

// PoolRunner brings the profiles of dealers who share a stack where the fleet file
// wants them. It never removes one that it was not asked to.
type PoolRunner struct {
	Fleet *File
	Pool  Pool
	Clock Clock
	// Random, Parallel, Profile and Tell are those of Runner.
	Random   func() float64
	Parallel int
	Profile  func(path string) ([]byte, error)
	Tell     func(Progress)
}

func (r *PoolRunner) runner() *Runner {
	return &Runner{Clock: r.Clock, Random: r.Random, Parallel: r.Parallel, Tell: r.Tell}
}

// Plan compares the profiles of rooftops, by a digest of their bytes, with those
// that the stack has. Dealers whom no rooftop of the whole file is follow.
func (r *PoolRunner) Plan(ctx context.Context, rooftops []Rooftop) ([]Step, error) {
	run := r.runner()
	there, err := ask(ctx, run.pace(), func() ([]string, error) { return r.Pool.Dealers(ctx) })
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(rooftops))
	run.each(len(rooftops), func(n int) {
		o := rooftops[n]
		_, found := slices.BinarySearch(there, o.ID)
		steps[n] = r.compare(ctx, o, found)
	})
	inFile := map[string]bool{}
	for _, o := range r.Fleet.Rooftops {
		inFile[o.ID] = true
	}
	for _, id := range there {
		if !inFile[id] {
			o := r.Fleet.Rooftops[0]
			steps = append(steps, Step{ID: id, Stack: o.Stack, Place: o.Place, Action: Left, Note: fmt.Sprintf("`dealer fleet destroy %s` removes its profile", id)})
		}
	}
	return steps, nil
}

func (r *PoolRunner) compare(ctx context.Context, o Rooftop, there bool) Step {
	step := Step{ID: o.ID, Stack: o.Stack, Place: o.Place, Action: Unchanged}
	body, err := r.Profile(o.Profile)
	before := ""
	if err == nil && there {
		before, err = ask(ctx, r.runner().pace(), func() (string, error) { return r.Pool.Digest(ctx, o.ID) })
	}
	now := sha256.Sum256(body)
	after := hex.EncodeToString(now[:])
	switch {
	case err != nil && !errors.Is(err, stacks.ErrMissing):
		step.Action, step.Note = Unknown, err.Error()
	case before == "":
		step.Action, step.Changes = Create, []Change{{"profile", "", after[:digestShown]}}
	case before != after:
		step.Action, step.Changes = Upload, []Change{{"profile", before[:min(len(before), digestShown)], after[:digestShown]}}
	}
	return step
}

// digestShown is how much of a digest tells one profile from another.
const digestShown = 12

// Apply uploads the profiles that are new or changed. One that fails stops no other.
func (r *PoolRunner) Apply(ctx context.Context, rooftops []Rooftop) (Report, error) {
	steps, err := r.Plan(ctx, rooftops)
	if err != nil {
		return nil, err
	}
	return r.carry(ctx, steps[:len(rooftops)], func(n int) (Result, error) {
		switch steps[n].Action {
		case Unknown:
			return Failed, errors.New(steps[n].Note)
		case Unchanged:
			return Kept, nil
		}
		body, err := r.Profile(rooftops[n].Profile)
		if err != nil {
			return Failed, err
		}
		done := Updated
		if steps[n].Action == Create {
			done = Created
		}
		return done, do(ctx, r.runner().pace(), func() error { return r.Pool.Put(ctx, steps[n].ID, body) })
	}), nil
}

// Remove removes the profiles of the steps' dealers, which withdraws them.
func (r *PoolRunner) Remove(ctx context.Context, steps []Step) Report {
	return r.carry(ctx, steps, func(n int) (Result, error) {
		return Removed, do(ctx, r.runner().pace(), func() error { return r.Pool.Remove(ctx, steps[n].ID) })
	})
}

func (r *PoolRunner) carry(ctx context.Context, steps []Step, work func(n int) (Result, error)) Report {
	report, run := make(Report, len(steps)), r.runner()
	run.each(len(steps), func(n int) {
		s := steps[n]
		out := Outcome{ID: s.ID, Stack: s.Stack, Place: s.Place, Result: Untouched}
		began := r.Clock.Now()
		if ctx.Err() == nil {
			var err error
			if out.Result, err = work(n); err != nil {
				out.Result, out.Cause = Failed, err.Error()
			}
		}
		out.Took = r.Clock.Now().Sub(began)
		report[n] = out
		run.tell(s.ID, string(out.Result), out.Result)
	})
	return report
}

// Look tells how the dealers are; leads are counted from since on. Beside some
// lists of all it takes two reads for each dealer, and reads no lead.
func (r *PoolRunner) Look(ctx context.Context, rooftops []Rooftop, since time.Time) ([]Status, error) {
	run := r.runner()
	there, err := ask(ctx, run.pace(), func() ([]string, error) { return r.Pool.Dealers(ctx) })
	if err != nil {
		return nil, err
	}
	reached, err := ask(ctx, run.pace(), func() ([]string, error) { return r.Pool.Published(ctx) })
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(rooftops))
	run.each(len(rooftops), func(n int) {
		o := rooftops[n]
		s := Status{ID: o.ID, Stack: o.Stack, Place: o.Place}
		defer func() { out[n] = s }()
		if _, has := slices.BinarySearch(there, o.ID); !has {
			s.Note = "there is no profile; `dealer fleet apply` uploads it"
			return
		}
		if _, is := slices.BinarySearch(reached, o.ID); is {
			s.State = Pooled
		} else {
			s.Note = "its profile is there, and is not published; the log of the stack's PublishFunction says why if that stays so"
		}
		did, err := ask(ctx, run.pace(), func() (stacks.Activity, error) { return r.Pool.Activity(ctx, o.ID, since) })
		if err != nil {
			s.Note = err.Error()
			return
		}
		s.LeadsToday = &did.Leads
		if !did.Imported.IsZero() {
			s.LastImport = &did.Imported
		}
	})
	return out, nil
}
