package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// Result is what a run made of one rooftop.
type Result string

// The results.
const (
	Created Result = "created"
	Updated Result = "updated"
	Kept    Result = "unchanged"
	Removed Result = "removed"
	Failed  Result = "failed"
	// Unfinished says that CloudFormation goes on with it after the run ended.
	Unfinished Result = "unfinished"
	// Untouched says that the run did not come to it.
	Untouched Result = "not started"
)

// Outcome is one rooftop of a report.
type Outcome struct {
	ID     string       `json:"rooftop"`
	Stack  string       `json:"stack"`
	Place  stacks.Place `json:"place"`
	Result Result       `json:"result"`
	// Cause says why it failed, in the words of the first resource that did.
	Cause string        `json:"cause,omitempty"`
	Took  time.Duration `json:"took_ns"`
}

// Report is what a run did, in the order of the fleet file.
type Report []Outcome

// Good reports whether every rooftop is where it should be.
func (r Report) Good() bool {
	return !slices.ContainsFunc(r, func(o Outcome) bool { return o.Result == Failed || o.Result == Unfinished || o.Result == Untouched })
}

// Count is how many rooftops had that result.
func (r Report) Count(result Result) (n int) {
	for _, o := range r {
		if o.Result == result {
			n++
		}
	}
	return n
}

// Apply brings the rooftops where the file wants them: first so many canaries that
// change anything, and the others only if all of these came up. A rooftop that
// fails stops no other. When ctx ends, nothing more is begun; what CloudFormation
// has begun goes on, and the next Apply finds it.
func (r *Runner) Apply(ctx context.Context, rooftops []Rooftop, canaries int) Report {
	report := make(Report, len(rooftops))
	var open []Rooftop
	at := map[string]int{}
	for i, o := range rooftops {
		report[i] = Outcome{ID: o.ID, Stack: o.Stack, Place: o.Place, Result: Untouched}
		at[o.ID] = i
		if r.Journal.Done(o.ID, r.mark(o), r.Clock.Now()) {
			report[i].Result = Kept
			continue
		}
		open = append(open, o)
	}
	var mu sync.Mutex
	run := func(steps []Step) {
		r.each(len(steps), func(n int) {
			step := steps[n]
			i := at[step.ID]
			if ctx.Err() != nil {
				return
			}
			began := r.Clock.Now()
			out := r.one(ctx, step, rooftops[i])
			out.ID, out.Stack, out.Place, out.Took = step.ID, step.Stack, step.Place, r.Clock.Now().Sub(began)
			if out.Result != Failed && out.Result != Unfinished {
				if err := r.Journal.Add(step.ID, r.mark(rooftops[i]), r.Clock.Now()); err != nil {
					out.Cause = "it is done, but could not be noted: " + err.Error()
				}
			}
			mu.Lock()
			report[i] = out
			mu.Unlock()
			r.tell(step.ID, string(out.Result), out.Result)
		})
	}
	steps := slices.DeleteFunc(r.Plan(ctx, open), func(s Step) bool { return s.Action == Left })
	if err := r.Release.Upload(ctx, r, changed(steps)); err != nil {
		for i := range report {
			if report[i].Result == Untouched {
				report[i].Cause = err.Error()
			}
		}
		return report
	}
	first, rest := birds(steps, canaries)
	run(first)
	for _, s := range first {
		if !(Report{report[at[s.ID]]}).Good() {
			for _, later := range rest {
				report[at[later.ID]].Cause = "a canary did not come up"
			}
			return report
		}
	}
	run(rest)
	return report
}

// birds parts the first n steps that change something from the others.
func birds(steps []Step, n int) (canaries, rest []Step) {
	for _, s := range steps {
		if s.Action != Unchanged && len(canaries) < n {
			canaries = append(canaries, s)
		} else {
			rest = append(rest, s)
		}
	}
	return canaries, rest
}

// changed are the regions that code is needed in, each once.
func changed(steps []Step) []string {
	var regions []string
	for _, s := range steps {
		if s.Action != Unchanged && s.Action != Unknown && s.Action != Upload && !slices.Contains(regions, s.Place.Region) {
			regions = append(regions, s.Place.Region)
		}
	}
	return regions
}

// mark is a digest of all that a rooftop should be.
func (r *Runner) mark(o Rooftop) string {
	profile := ""
	if o.Profile != "" {
		if body, err := r.Profile(o.Profile); err == nil {
			profile = shortDigest(body)
		}
	}
	return wanted(r.Release.Template, o) + profile
}

func (r *Runner) tell(id, what string, result Result) {
	if r.Tell != nil {
		r.Tell(Progress{id, what, result})
	}
}

// one works on one rooftop until it is right or cannot be.
func (r *Runner) one(ctx context.Context, step Step, o Rooftop) Outcome {
	result := Kept
	var err error
	switch step.Action {
	case Unknown, Blocked:
		return Outcome{Result: Failed, Cause: step.Note}
	case Unchanged:
	case Upload:
		result = Updated
	default:
		result, err = r.bring(ctx, o)
	}
	if err == nil && step.Action != Unchanged {
		if err = r.upload(ctx, o); err != nil {
			err = fmt.Errorf("the stack is right, but its profile could not be uploaded: %w", err)
		}
	}
	switch {
	case err == nil:
		return Outcome{Result: result}
	case ctx.Err() != nil:
		return Outcome{Result: Unfinished, Cause: "interrupted; run the same command again"}
	case errors.Is(err, errStillBusy):
		return Outcome{Result: Unfinished, Cause: err.Error()}
	}
	return Outcome{Result: Failed, Cause: err.Error()}
}
