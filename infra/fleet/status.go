package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Watched is an account as a status needs it; *stacks.Account is one.
type Watched interface {
	All(ctx context.Context) ([]stacks.Stack, error)
	Alarms(ctx context.Context) ([]string, error)
	Activity(ctx context.Context, stack string, since time.Time) (stacks.Activity, error)
}

// Status is one rooftop as it is.
type Status struct {
	ID    string       `json:"rooftop"`
	Stack string       `json:"stack"`
	Place stacks.Place `json:"place"`
	// State is CloudFormation's word, or Pooled; empty when there is no stack, nobody reaches
	// the dealer, or it is not known.
	State string `json:"state,omitempty"`
	// Version is the digest of the template that the stack was made of.
	Version string `json:"version,omitempty"`
	// LastImport is absent before the first, LeadsToday when it is not known.
	LastImport *time.Time `json:"last_import,omitempty"`
	LeadsToday *int       `json:"leads_today,omitempty"`
	// Alarms are the alarms that ring, by their names in the template.
	Alarms []string `json:"alarms,omitempty"`
	// Note says what could not be learned, and why.
	Note string `json:"note,omitempty"`
}

// Well reports whether the stack is up, known and silent.
func (s Status) Well() bool {
	up := s.State == "CREATE_COMPLETE" || s.State == "UPDATE_COMPLETE" || s.State == "UPDATE_ROLLBACK_COMPLETE" || s.State == Pooled
	return up && len(s.Alarms) == 0 && s.Note == ""
}

// Observer looks at rooftops without changing anything.
type Observer struct {
	At       func(stacks.Place) Watched
	Clock    Clock
	Random   func() float64
	Parallel int
}

// Look tells how the rooftops are; leads are counted from since on. What cannot
// be learned about one is noted there and stops no other.
func (o Observer) Look(ctx context.Context, rooftops []Rooftop, since time.Time) []Status {
	p := pace{o.Clock, o.Random}
	type known struct {
		stacks map[string]stacks.Stack
		alarms []string
		err    error
		// deaf is why alarms are not known.
		deaf error
	}
	places := (&File{Rooftops: rooftops}).Places()
	seen := make([]known, len(places))
	run := Runner{Parallel: o.Parallel}
	run.each(len(places), func(n int) {
		at := o.At(places[n])
		k := &seen[n]
		var list []stacks.Stack
		if list, k.err = ask(ctx, p, func() ([]stacks.Stack, error) { return at.All(ctx) }); k.err != nil {
			return
		}
		k.stacks = map[string]stacks.Stack{}
		for _, s := range list {
			k.stacks[s.Name] = s
		}
		k.alarms, k.deaf = ask(ctx, p, func() ([]string, error) { return at.Alarms(ctx) })
	})
	index := map[stacks.Place]int{}
	for n, place := range places {
		index[place] = n
	}
	out := make([]Status, len(rooftops))
	run.each(len(rooftops), func(n int) {
		r, k := rooftops[n], seen[index[rooftops[n].Place]]
		s := Status{ID: r.ID, Stack: r.Stack, Place: r.Place}
		defer func() { out[n] = s }()
		stack, ok := k.stacks[r.Stack]
		switch {
		case k.err != nil:
			s.Note = k.err.Error()
			return
		case !ok:
			s.Note = "there is no stack; `dealer fleet apply` makes it"
			return
		}
		s.State, s.Version = stack.Status, stack.Tags[TagVersion]
		s.Alarms = stacks.AlarmsOf(r.Stack, k.alarms)
		did, err := ask(ctx, p, func() (stacks.Activity, error) { return o.At(r.Place).Activity(ctx, r.Stack, since) })
		if err == nil {
			s.LeadsToday = &did.Leads
			if !did.Imported.IsZero() {
				s.LastImport = &did.Imported
			}
		}
		if err = errors.Join(err, k.deaf); err != nil {
			s.Note = err.Error()
		}
	})
	return out
}
