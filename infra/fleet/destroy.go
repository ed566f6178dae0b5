package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Doomed is a stack that a destroy would delete.
type Doomed struct {
	ID    string       `json:"rooftop"`
	Stack string       `json:"stack"`
	Place stacks.Place `json:"place"`
	// Retained are the tables and buckets that stay, by their own names.
	Retained []stacks.Resource `json:"retained,omitempty"`
	// Refused says why it is not deleted.
	Refused string `json:"refused,omitempty"`

	id string
}

// Inspector reads what a stack would leave behind; *stacks.Account is one.
type Inspector interface {
	Resources(ctx context.Context, id string) ([]stacks.Resource, error)
	Template(ctx context.Context, id string) ([]byte, error)
}

// Doom finds the fleet's stacks with these ids, or all of them when there are no
// ids, whether or not the file still has them, and what each leaves behind. unknown
// are ids that no stack of the fleet has.
func (r *Runner) Doom(ctx context.Context, inspect func(stacks.Place) Inspector, ids []string) (doomed []Doomed, unknown []string, err error) {
	seen := r.Survey(ctx, r.Fleet.Rooftops)
	taken := map[string]bool{}
	var failures []error
	for _, place := range r.Fleet.Places() {
		if err := seen[place].Err; err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", place, err))
		}
		for _, s := range seen[place].Stacks {
			id := s.Tags[TagRooftop]
			if s.Tags[TagFleet] != r.Fleet.Name || taken[s.ID] || len(ids) > 0 && !slices.Contains(ids, id) {
				continue
			}
			taken[s.ID] = true
			d := Doomed{ID: id, Stack: s.Name, Place: place, id: s.ID}
			switch {
			case s.Protected:
				d.Refused = "its termination protection is on; turn it off with `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name " + s.Name + "`"
			case s.Busy():
				d.Refused = "CloudFormation is at work on it"
			}
			doomed = append(doomed, d)
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(doomed, func(d Doomed) bool { return d.ID == id }) {
			unknown = append(unknown, id)
		}
	}
	r.each(len(doomed), func(n int) {
		d := &doomed[n]
		kept, err := r.retained(ctx, inspect(d.Place), d.id)
		if d.Retained = kept; err != nil && d.Refused == "" {
			d.Refused = fmt.Sprintf("what it leaves behind is not known: %v", err)
		}
	})
	return doomed, unknown, errors.Join(failures...)
}

func (r *Runner) retained(ctx context.Context, at Inspector, id string) ([]stacks.Resource, error) {
	body, err := ask(ctx, r.pace(), func() ([]byte, error) { return at.Template(ctx, id) })
	if err != nil {
		return nil, err
	}
	t, err := ReadTemplate(body)
	if err != nil && !errors.Is(err, ErrMacro) {
		return nil, err
	}
	all, err := ask(ctx, r.pace(), func() ([]stacks.Resource, error) { return at.Resources(ctx, id) })
	if err != nil {
		return nil, err
	}
	names := t.Retained()
	return slices.DeleteFunc(all, func(x stacks.Resource) bool { return !slices.Contains(names, x.Logical) }), nil
}

// Destroy deletes the stacks that nothing refuses and waits until they are gone.
// One that fails stops no other.
func (r *Runner) Destroy(ctx context.Context, doomed []Doomed) Report {
	report := make(Report, len(doomed))
	r.each(len(doomed), func(n int) {
		d := doomed[n]
		out := Outcome{ID: d.ID, Stack: d.Stack, Place: d.Place, Result: Untouched}
		began := r.Clock.Now()
		defer func() {
			out.Took = r.Clock.Now().Sub(began)
			report[n] = out
			r.tell(d.ID, string(out.Result), out.Result)
		}()
		if d.Refused != "" {
			out.Result, out.Cause = Failed, d.Refused
			return
		}
		if ctx.Err() != nil {
			return
		}
		account := r.At(d.Place)
		s, err := r.find(ctx, account, d.id)
		if err == nil && s.Status != "DELETE_COMPLETE" {
			r.tell(d.ID, "deleting", "")
			err = r.remove(ctx, account, s)
		}
		switch {
		case err == nil || errors.Is(err, stacks.ErrMissing):
			out.Result = Removed
		case ctx.Err() != nil || errors.Is(err, errStillBusy):
			out.Result, out.Cause = Unfinished, "CloudFormation goes on with it; run the same command again to see the end"
		default:
			out.Result, out.Cause = Failed, err.Error()
		}
	})
	return report
}
