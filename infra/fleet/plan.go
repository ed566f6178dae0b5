package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// The tags that a fleet puts on its stacks.
const (
	TagFleet   = tagPrefix + "fleet"
	TagRooftop = tagPrefix + "rooftop"
	TagVersion = tagPrefix + "version"
	// tagWanted is a digest of everything that the stack was made of. Only stacks
	// with hidden parameters have it: CloudFormation puts a tag that changes on
	// every resource anew.
	tagWanted = tagPrefix + "wanted"

	tagPrefix = "dealer:"
	ownTags   = 4
)

// Action is what an apply would do to one rooftop.
type Action string

// The actions, in the order in which a plan counts them.
const (
	Create    Action = "create"
	Replace   Action = "replace" // a stack that never came up is removed and made anew
	Update    Action = "update"
	Upload    Action = "upload" // the stack is right, and its profile is not
	Unchanged Action = "unchanged"
	Waiting   Action = "busy"        // CloudFormation is at work on it
	Blocked   Action = "blocked"     // a person has to mend the stack first
	Left      Action = "not in file" // deployed, and not in the file any more
	Unknown   Action = "unreachable"
)

// Actions are all of them.
var Actions = []Action{Create, Replace, Update, Upload, Unchanged, Waiting, Blocked, Left, Unknown}

// Change is one difference between a stack and the file.
type Change struct {
	// What is template, profile, or parameter or tag with its name.
	What string `json:"what"`
	From string `json:"from"`
	To   string `json:"to"`
}

func (c Change) String() string { return fmt.Sprintf("%s %q → %q", c.What, c.From, c.To) }

// Step is the plan of one rooftop.
type Step struct {
	ID     string       `json:"rooftop"`
	Stack  string       `json:"stack"`
	Place  stacks.Place `json:"place"`
	Action Action       `json:"action"`
	// State is CloudFormation's word for the stack; empty when there is none.
	State   string         `json:"state,omitempty"`
	Changes []Change       `json:"changes,omitempty"`
	Drift   []stacks.Drift `json:"drift,omitempty"`
	// Note says why nothing can be done, and what to do instead.
	Note string `json:"note,omitempty"`
	// Month are US dollars; absent for stacks that are not in the file.
	Month *Month `json:"month,omitempty"`
}

// Seen is what is deployed at one place, or why that is not known.
type Seen struct {
	Stacks []stacks.Stack
	Err    error
}

// Plan compares rooftops of a fleet with what is deployed. The steps are in the
// order of the rooftops; stacks of the fleet that no rooftop of the whole file
// has follow.
func Plan(f *File, t *Template, rooftops []Rooftop, deployed map[stacks.Place]Seen) []Step {
	byName := map[stacks.Place]map[string]stacks.Stack{}
	for place, seen := range deployed {
		byName[place] = map[string]stacks.Stack{}
		for _, s := range seen.Stacks {
			byName[place][s.Name] = s
		}
	}
	var steps []Step
	for _, r := range rooftops {
		month := MonthOf(t, r.Parameters)
		step := Step{ID: r.ID, Stack: r.Stack, Place: r.Place, Month: &month}
		if err := deployed[r.Place].Err; err != nil {
			step.Action, step.Note = Unknown, err.Error()
		} else if s, ok := byName[r.Place][r.Stack]; ok {
			compare(&step, f, t, r, s)
		} else {
			step.Action = Create
		}
		steps = append(steps, step)
	}
	known := map[string]bool{}
	for _, r := range f.Rooftops {
		known[r.Place.String()+" "+r.Stack] = true
	}
	for _, place := range f.Places() {
		for _, s := range deployed[place].Stacks {
			if key := place.String() + " " + s.Name; s.Tags[TagFleet] == f.Name && !known[key] {
				known[key] = true // another role may see the same account
				steps = append(steps, Step{ID: s.Tags[TagRooftop], Stack: s.Name, Place: place, Action: Left, State: s.Status,
					Note: fmt.Sprintf("`dealer fleet destroy %s` removes it", s.Tags[TagRooftop])})
			}
		}
	}
	return steps
}

// compare fills in what the deployed stack asks for.
func compare(step *Step, f *File, t *Template, r Rooftop, s stacks.Stack) {
	step.State = s.Status
	if owner := s.Tags[TagFleet]; owner != f.Name && s.Status != stacks.Review {
		step.Action, step.Note = Blocked, "a stack of that name is there and is none of this fleet; give the rooftop another stack name"
		if owner == "" {
			step.Note += ", or tag the stack " + TagFleet + "=" + f.Name + " to take it over"
		}
		return
	}
	switch s.Status {
	case stacks.Review:
		step.Action = Create
		return
	case "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED":
		step.Action = Replace
		return
	case "UPDATE_ROLLBACK_FAILED":
		step.Action, step.Note = Blocked, "its roll-back failed; mend what the stack's events name, then `aws cloudformation continue-update-rollback --stack-name "+s.Name+"`"
		return
	}
	step.Changes = changes(f, t, r, s)
	step.Action = Unchanged
	if len(step.Changes) > 0 {
		step.Action = Update
	}
	if s.Busy() {
		step.Action, step.Note = Waiting, "CloudFormation is at work on it; apply waits for that"
	}
}

// changes are the differences in template, parameters and tags.
func changes(f *File, t *Template, r Rooftop, s stacks.Stack) []Change {
	var list []Change
	add := func(what, from, to string) {
		if from != to {
			list = append(list, Change{what, from, to})
		}
	}
	wanted := Tags(f, t, r)
	add("template", s.Tags[TagVersion], t.Version)
	hidden := false
	for _, p := range t.Parameters {
		if p.Hidden {
			hidden = true
			continue
		}
		add("parameter "+p.Name, s.Parameters[p.Name], r.Parameters[p.Name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		if _, ok := t.parameter(name); !ok {
			add("parameter "+name, s.Parameters[name], "")
		}
	}
	all := maps.Clone(s.Tags)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, wanted)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != TagVersion && name != tagWanted && !strings.HasPrefix(name, "aws:") {
			add("tag "+name, s.Tags[name], wanted[name])
		}
	}
	if hidden && len(list) == 0 {
		add("hidden parameters", s.Tags[tagWanted], wanted[tagWanted])
	}
	return list
}

// Tags are all tags of a rooftop's stack.
func Tags(f *File, t *Template, r Rooftop) map[string]string {
	tags := maps.Clone(r.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	tags[TagFleet], tags[TagRooftop], tags[TagVersion] = f.Name, r.ID, t.Version
	if slices.ContainsFunc(t.Parameters, func(p Parameter) bool { return p.Hidden }) {
		tags[tagWanted] = wanted(t, r)
	}
	return tags
}

// wanted is a digest of what a rooftop's stack is made of.
func wanted(t *Template, r Rooftop) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q", t.Version, r.ID, r.Stack)
	for _, m := range []map[string]string{r.Parameters, r.Tags} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(h, " %q=%q", name, m[name])
		}
		fmt.Fprint(h, ";")
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
