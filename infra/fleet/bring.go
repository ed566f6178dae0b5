package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

const (
	// pollEvery is how often CloudFormation is asked how far it is.
	pollEvery = 5 * time.Second
	// stale is how long CloudFormation may tell what was before a change.
	stale = 2 * time.Minute
)

var errStillBusy = errors.New("CloudFormation is still at work on the stack; run the same command again when it has ended")

// bring makes or updates the rooftop's stack. What an earlier run has begun it
// finds and goes on with: the names and tokens of its calls are digests of what
// is wanted and of the state that it starts from.
func (r *Runner) bring(ctx context.Context, o Rooftop) (Result, error) {
	account, replaced := r.At(o.Place), ""
	for {
		s, err := r.find(ctx, account, o.Stack)
		if errors.Is(err, stacks.ErrMissing) {
			return r.change(ctx, account, o, stacks.Stack{Name: o.Stack}, replaced)
		}
		if err != nil {
			return Failed, err
		}
		if s.Busy() {
			r.tell(o.ID, "waiting until CloudFormation has ended "+s.Status, "")
			if _, err := r.rest(ctx, account, s.ID); err != nil {
				return Failed, err
			}
			continue
		}
		var step Step
		compare(&step, r.Fleet, r.Release.Template, o, s)
		switch step.Action {
		case Blocked:
			return Failed, errors.New(step.Note)
		case Unchanged:
			return Kept, nil
		case Create, Update:
			return r.change(ctx, account, o, s, replaced)
		}
		if replaced == s.ID {
			return Failed, fmt.Errorf("the stack that never came up cannot be removed: %s", s.Reason)
		}
		replaced = s.ID
		r.tell(o.ID, "removing what never came up", "")
		if err := r.remove(ctx, account, s); err != nil {
			return Failed, err
		}
	}
}

func (r *Runner) find(ctx context.Context, account Account, name string) (stacks.Stack, error) {
	return ask(ctx, r.pace(), func() (stacks.Stack, error) { return account.Find(ctx, name) })
}

// rest waits until CloudFormation is not at work on the stack.
func (r *Runner) rest(ctx context.Context, account Account, name string) (stacks.Stack, error) {
	for until := r.Clock.Now().Add(r.Patience); ; {
		s, err := r.find(ctx, account, name)
		if err != nil || !s.Busy() {
			return s, err
		}
		if r.Clock.Now().After(until) {
			return s, errStillBusy
		}
		if err := r.Clock.Sleep(ctx, pollEvery); err != nil {
			return s, err
		}
	}
}

// remove deletes a stack and waits until it is gone.
func (r *Runner) remove(ctx context.Context, account Account, s stacks.Stack) error {
	if err := do(ctx, r.pace(), func() error { return account.Delete(ctx, s.ID, token("delete", s.ID, s.Status)) }); err != nil && !errors.Is(err, stacks.ErrMissing) {
		return err
	}
	for until := r.Clock.Now().Add(stale); ; {
		now, err := r.rest(ctx, account, s.ID)
		switch {
		case errors.Is(err, stacks.ErrMissing) || err == nil && now.Status == "DELETE_COMPLETE":
			return nil
		case err != nil:
			return err
		case now.Status != s.Status || r.Clock.Now().After(until):
			return errors.New(r.cause(ctx, account, now))
		}
		if err := r.Clock.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// change proposes, executes and waits for one change of the stack s, whose ID is
// empty when there is none.
func (r *Runner) change(ctx context.Context, account Account, o Rooftop, s stacks.Stack, replaced string) (Result, error) {
	tags := Tags(r.Fleet, r.Release.Template, o)
	isNew := s.ID == "" || s.Status == stacks.Review
	p := stacks.Proposal{Stack: o.Stack, New: isNew, Parameters: o.Parameters, Tags: tags}
	base := []string{o.Stack, wanted(r.Release.Template, o), replaced}
	result := Created
	if !isNew {
		result = Updated
		base = append(base, s.ID, s.Status, s.Created.UTC().String(), s.Updated.UTC().String())
	}
	p.Name, p.Token = token("set", base...), token("propose", base...)
	p.Body, p.URL = r.Release.where(r.Fleet, account, o.Place.Region)

	r.tell(o.ID, "proposing", "")
	ready, err := r.proposed(ctx, account, p)
	if errors.Is(err, stacks.ErrEmpty) {
		return Kept, do(ctx, r.pace(), func() error { return account.Discard(ctx, p.Stack, p.Name) })
	}
	if err != nil {
		return Failed, err
	}
	if !ready.Executed {
		r.tell(o.ID, "changing", "")
		// A call whose answer was lost may have been carried out: look before repeating it.
		err := do(ctx, r.pace(), func() error {
			if c, err := account.Proposed(ctx, p.Stack, p.Name); err != nil || c.Executed {
				return err
			}
			return account.Execute(ctx, p.Stack, p.Name, token("execute", base...))
		})
		if err != nil && !errors.Is(err, stacks.ErrMissing) {
			return Failed, err
		}
	}
	return result, r.settle(ctx, account, s, o)
}

// proposed makes the change set if it is not there yet and waits until it can be
// executed. ErrEmpty when it would change nothing.
func (r *Runner) proposed(ctx context.Context, account Account, p stacks.Proposal) (stacks.ChangeSet, error) {
	for until := r.Clock.Now().Add(r.Patience); ; {
		c, err := ask(ctx, r.pace(), func() (stacks.ChangeSet, error) {
			c, err := account.Proposed(ctx, p.Stack, p.Name)
			if !errors.Is(err, stacks.ErrMissing) {
				return c, err
			}
			if err := account.Propose(ctx, p); err != nil && !errors.Is(err, stacks.ErrExists) {
				return c, err
			}
			return stacks.ChangeSet{Pending: true}, nil
		})
		switch {
		case err != nil:
			return c, err
		case c.Executed || c.Ready:
			return c, nil
		case c.Empty:
			return c, stacks.ErrEmpty
		case !c.Pending:
			_ = do(ctx, r.pace(), func() error { return account.Discard(ctx, p.Stack, p.Name) }) // it is of no use to anybody
			return c, fmt.Errorf("CloudFormation refuses the change: %s", c.Reason)
		case r.Clock.Now().After(until):
			return c, errStillBusy
		}
		if err := r.Clock.Sleep(ctx, pollEvery/5); err != nil {
			return c, err
		}
	}
}

// settle waits until the change of before has ended, well or not.
func (r *Runner) settle(ctx context.Context, account Account, before stacks.Stack, o Rooftop) error {
	there := func(s stacks.Stack) bool { return len(changes(r.Fleet, r.Release.Template, o, s)) == 0 }
	began := r.Clock.Now()
	for {
		s, err := r.find(ctx, account, o.Stack)
		waited := r.Clock.Now().Sub(began)
		old := errors.Is(err, stacks.ErrMissing) || s.Status == stacks.Review ||
			s.ID == before.ID && s.Status == before.Status && s.Updated.Equal(before.Updated) && !there(s)
		switch {
		case err != nil && !errors.Is(err, stacks.ErrMissing):
			return err
		case old && waited > stale:
			return errors.New("CloudFormation took the change and did not begin; run the same command again")
		case old:
		case s.Busy():
			if waited > r.Patience {
				return errStillBusy
			}
		case (s.Status == "CREATE_COMPLETE" || s.Status == "UPDATE_COMPLETE") && there(s):
			return nil
		case s.Status == "CREATE_COMPLETE" || s.Status == "UPDATE_COMPLETE":
			return errors.New("somebody else has changed the stack meanwhile; run the same command again")
		default:
			return errors.New(r.cause(ctx, account, s))
		}
		if err := r.Clock.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// cause is what the first resource that failed in the latest change said.
func (r *Runner) cause(ctx context.Context, account Account, s stacks.Stack) string {
	events, err := ask(ctx, r.pace(), func() ([]stacks.Event, error) { return account.Events(ctx, s.ID) })
	if err != nil {
		return fmt.Sprintf("%s: %s (its events cannot be read: %v)", s.Status, s.Reason, err)
	}
	if said := FirstCause(s.ID, events); said != "" {
		return s.Status + ": " + said
	}
	return strings.TrimSuffix(s.Status+": "+s.Reason, ": ")
}

// FirstCause finds the first failure in the latest change of a stack; events are
// newest first. Resources that were cancelled because of another one say nothing.
func FirstCause(id string, events []stacks.Event) string {
	said := ""
	for _, e := range events {
		if e.Begins(id) {
			break
		}
		if strings.HasSuffix(e.Status, "_FAILED") && e.Physical != id && e.Reason != "" && !strings.Contains(e.Reason, "cancelled") {
			said = fmt.Sprintf("%s (%s): %s", e.Logical, e.Type, e.Reason)
		}
	}
	return said
}

// token is a name of letters and digits that is the same for the same parts.
func token(kind string, parts ...string) string {
	h := sha256.New()
	for _, part := range slices.Concat([]string{kind}, parts) {
		fmt.Fprintf(h, "%q ", part)
	}
	return "fleet-" + kind + "-" + hex.EncodeToString(h.Sum(nil))[:32]
}

func shortDigest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])[:16]
}
