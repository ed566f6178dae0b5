package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Account is an account in one region as a run needs it; *stacks.Account is one.
type Account interface {
	All(ctx context.Context) ([]stacks.Stack, error)
	Find(ctx context.Context, name string) (stacks.Stack, error)
	Propose(ctx context.Context, p stacks.Proposal) error
	Proposed(ctx context.Context, stack, name string) (stacks.ChangeSet, error)
	Execute(ctx context.Context, stack, name, token string) error
	Discard(ctx context.Context, stack, name string) error
	Delete(ctx context.Context, id, token string) error
	Events(ctx context.Context, id string) ([]stacks.Event, error)
	Objects
	Comparer
}

// Objects are what a run uploads.
type Objects interface {
	Same(ctx context.Context, bucket, key string, body []byte) (bool, error)
	Put(ctx context.Context, bucket, key, contentType string, body []byte) error
	URL(bucket, key string) string
	Profile(ctx context.Context, stack string) (bucket, key string, err error)
}

// Comparer finds resources that are not as their template says.
type Comparer interface {
	StartDrift(ctx context.Context, id string) (string, error)
	Drifted(ctx context.Context, detection string) (bool, error)
	Drifts(ctx context.Context, id string) ([]stacks.Drift, error)
}

// Runner brings rooftops where the fleet file wants them.
type Runner struct {
	Fleet   *File
	Release *Release
	// At opens an account; it does not reach the network.
	At    func(stacks.Place) Account
	Clock Clock
	// Random is a number from 0 up to 1, for the pauses between tries.
	Random func() float64
	// Parallel is how many rooftops are worked on at once.
	Parallel int
	// Patience is how long one change of a stack may take.
	Patience time.Duration
	// Journal saves questions when a run goes on; nil for none.
	Journal *Journal
	// Profile reads a dealer profile by the path in the fleet file.
	Profile func(path string) ([]byte, error)
	// Tell is called after each step of each rooftop, by several at once.
	Tell func(Progress)
}

// Progress is something that happened to one rooftop.
type Progress struct {
	ID   string
	What string
	// Result is set when the rooftop is done with.
	Result Result
}

func (r *Runner) pace() pace { return pace{r.Clock, r.Random} }

// Survey asks every place of the rooftops what is deployed there. A place that
// cannot be asked is reported as such and stops no other.
func (r *Runner) Survey(ctx context.Context, rooftops []Rooftop) map[stacks.Place]Seen {
	places := (&File{Rooftops: rooftops}).Places()
	seen := map[stacks.Place]Seen{}
	var mu sync.Mutex
	var asking errgroup.Group
	asking.SetLimit(max(1, r.Parallel))
	for _, place := range places {
		asking.Go(func() error {
			list, err := ask(ctx, r.pace(), func() ([]stacks.Stack, error) { return r.At(place).All(ctx) })
			mu.Lock()
			defer mu.Unlock()
			seen[place] = Seen{list, err}
			return nil
		})
	}
	_ = asking.Wait() // each place holds its own error
	return seen
}

// Plan surveys and compares. Profiles that differ from what a stack has are
// among the changes.
func (r *Runner) Plan(ctx context.Context, rooftops []Rooftop) []Step {
	steps := Plan(r.Fleet, r.Release.Template, rooftops, r.Survey(ctx, rooftops))
	byID := map[string]Rooftop{}
	for _, o := range rooftops {
		byID[o.ID] = o
	}
	r.each(len(steps), func(n int) {
		step := &steps[n]
		o, ok := byID[step.ID]
		if !ok || o.Profile == "" || step.Action != Unchanged && step.Action != Update {
			return
		}
		same, err := r.sameProfile(ctx, o)
		switch {
		case err != nil:
			step.Note = fmt.Sprintf("whether its profile is right is not known: %v", err)
		case !same:
			step.Changes = append(step.Changes, Change{"profile", "another", o.Profile})
			if step.Action == Unchanged {
				step.Action = Upload
			}
		}
	})
	return steps
}

// each runs work for 0 to n-1, as many at once as the runner may.
func (r *Runner) each(n int, work func(int)) {
	var all errgroup.Group
	all.SetLimit(max(1, r.Parallel))
	for i := range n {
		all.Go(func() error { work(i); return nil })
	}
	_ = all.Wait() // the work keeps its errors
}

func (r *Runner) sameProfile(ctx context.Context, o Rooftop) (bool, error) {
	body, err := r.Profile(o.Profile)
	if err != nil {
		return false, err
	}
	account := r.At(o.Place)
	return ask(ctx, r.pace(), func() (bool, error) {
		bucket, key, err := account.Profile(ctx, o.Stack)
		if err != nil {
			return false, err
		}
		return account.Same(ctx, bucket, key, body)
	})
}

// upload puts the rooftop's profile where its stack reads it, unless it is there.
func (r *Runner) upload(ctx context.Context, o Rooftop) error {
	if o.Profile == "" {
		return nil
	}
	body, err := r.Profile(o.Profile)
	if err != nil {
		return err
	}
	account := r.At(o.Place)
	return do(ctx, r.pace(), func() error {
		bucket, key, err := account.Profile(ctx, o.Stack)
		if err != nil {
			return err
		}
		if same, err := account.Same(ctx, bucket, key, body); err != nil || same {
			return err
		}
		return account.Put(ctx, bucket, key, "application/yaml", body)
	})
}

// Drift has CloudFormation compare the stacks of steps with their templates and
// fills in what differs.
func (r *Runner) Drift(ctx context.Context, steps []Step) {
	r.each(len(steps), func(n int) {
		step := &steps[n]
		if step.State == "" || step.Action == Waiting || step.Action == Replace || step.State == stacks.Review {
			return
		}
		drift, err := r.drift(ctx, r.At(step.Place), step.Stack)
		step.Drift = drift
		if err != nil {
			step.Note = fmt.Sprintf("its drift is not known: %v", err)
		}
	})
}

func (r *Runner) drift(ctx context.Context, account Comparer, stack string) ([]stacks.Drift, error) {
	detection, err := ask(ctx, r.pace(), func() (string, error) { return account.StartDrift(ctx, stack) })
	if err != nil {
		return nil, err
	}
	var partly error
	for until := r.Clock.Now().Add(r.Patience); ; {
		done, err := ask(ctx, r.pace(), func() (bool, error) { return account.Drifted(ctx, detection) })
		if err != nil && !done {
			return nil, err
		}
		if done {
			partly = err
			break
		}
		if r.Clock.Now().After(until) {
			return nil, errors.New("CloudFormation is still comparing")
		}
		if err := r.Clock.Sleep(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
	list, err := ask(ctx, r.pace(), func() ([]stacks.Drift, error) { return account.Drifts(ctx, stack) })
	return list, errors.Join(err, partly)
}
