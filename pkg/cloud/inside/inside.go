package inside

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Verdict is how a check ended.
type Verdict string

// The verdicts. A fail loses leads or answers, or state that cannot be brought
// back; a warn is unusual, or could not be looked at; a skip has nothing to look
// at here.
const (
	Skip Verdict = "skip"
	Pass Verdict = "pass"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Finding is the outcome of one check.
type Finding struct {
	// ID is inside.name.
	ID      string
	Verdict Verdict
	// Title is what should hold, Seen what was found: words of the stack, never a
	// secret or anything of a buyer.
	Title, Seen string
	// Rule is where it is asked for, and URL the page.
	Rule, URL string
	// Next is what to do about a warn or a fail; empty otherwise.
	Next string
}

// examination is the findings in the making.
type examination struct {
	cloud.Deployed
	// Config reaches AWS.
	Config aws.Config
	// Now is the clock that ages are told by.
	Now      func() time.Time
	stack    *cloud.Stack
	findings []Finding
	// only is the one dealer to look at in a stack of many; empty for all.
	only string
	// dealers are those whose profile could be had.
	dealers []one
}

// one is one dealer of the stack; the id is empty where there is no other.
type one struct {
	id      string
	profile *dealer.Profile
}

// of says whose something is, where there are several.
func (d one) of(what string) string {
	if d.id == "" {
		return what
	}
	return d.id + ": " + what
}

// mostTold is how many of many faults are told.
const mostTold = 5

// Examine looks at the stack, one request at a time, and returns a finding or
// more for every rule, in the order of the rules. In a stack of many it looks at
// the dealer of the context alone, or without one at all.
func Examine(ctx context.Context, stack *cloud.Stack, d cloud.Deployed, now func() time.Time) []Finding {
	x := &examination{Deployed: d, Config: stack.Config(), Now: now, stack: stack}
	if stack.Settings.Pooled() {
		x.only, _ = cloud.DealerOf(ctx)
	}
	for _, look := range []func(context.Context){
		x.deployment, x.site, x.functions, x.certificate, x.feed, x.queues, x.mail, x.secrets, x.alarms, x.tables, x.buckets, x.logs,
	} {
		look(ctx)
	}
	x.rest()
	return x.findings
}

// rest skips what depends on something that could not be looked at, and puts
// everything into the order of the rules.
func (x *examination) rest() {
	order := map[string]int{}
	for n, r := range rules {
		order[r.id] = n
		if !slices.ContainsFunc(x.findings, func(f Finding) bool { return f.ID == r.id }) {
			x.skip(r.id, "not looked at, for want of what comes before")
		}
	}
	slices.SortStableFunc(x.findings, func(a, b Finding) int { return order[a.ID] - order[b.ID] })
}

func (x *examination) pass(id, seen string, args ...any) { x.add(id, Pass, seen, args) }
func (x *examination) warn(id, seen string, args ...any) { x.add(id, Warn, seen, args) }
func (x *examination) fail(id, seen string, args ...any) { x.add(id, Fail, seen, args) }
func (x *examination) skip(id, seen string, args ...any) { x.add(id, Skip, seen, args) }

func (x *examination) add(id string, v Verdict, seen string, args []any) {
	r := ruleOf(id)
	f := Finding{ID: id, Verdict: v, Title: r.title, Seen: fmt.Sprintf(seen, args...), Rule: r.rule, URL: r.url}
	if v == Warn || v == Fail {
		f.Next = r.next
	}
	x.findings = append(x.findings, f)
}

// judge passes what has no faults.
func (x *examination) judge(id string, bad Verdict, faults []string, good string, args ...any) {
	if len(faults) == 0 {
		x.pass(id, good, args...)
		return
	}
	if more := len(faults) - mostTold; more > 0 {
		faults = append(slices.Clone(faults[:mostTold]), fmt.Sprintf("and %d more", more))
	}
	x.add(id, bad, "%s", []any{strings.Join(faults, "; ")})
}

// troubled is true when err kept the check from looking, which is reported: the
// right that is missing, or the code of AWS's answer. Its words may hold
// anything and are left out.
func (x *examination) troubled(id, action string, err error) bool {
	if err == nil {
		return false
	}
	if denied(err) {
		x.warn(id, "it cannot be looked at without the right %s", action)
		x.findings[len(x.findings)-1].Next = "Have " + action + " allowed to you: infra/README.md has the whole policy for dealer doctor --stack."
		return true
	}
	x.warn(id, "it cannot be looked at: %s is answered with %s", action, codeOf(err))
	x.findings[len(x.findings)-1].Next = "Try again later."
	return true
}

func denied(err error) bool {
	if cloud.LacksRight(codeOf(err)) {
		return true
	}
	answer, ok := errors.AsType[*awshttp.ResponseError](err)
	return ok && answer.HTTPStatusCode() == http.StatusForbidden
}

// codeOf is AWS's own name of a fault.
func codeOf(err error) string {
	if fault, ok := errors.AsType[smithy.APIError](err); ok {
		return fault.ErrorCode()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "nothing in time"
	}
	return "nothing that can be read"
}

func is(err error, codes ...string) bool { return err != nil && slices.Contains(codes, codeOf(err)) }

// resource is the physical id of a resource of the template, or a fail when the
// stack has none.
func (x *examination) resource(id, logical string) (string, bool) {
	name := x.Resources[logical]
	if name == "" {
		x.fail(id, "the stack has no %s", logical)
	}
	return name, name != ""
}

// logical are the template's names with this ending, in order.
func (x *examination) logical(ending string) []string {
	var names []string
	for name := range x.Resources {
		if strings.HasSuffix(name, ending) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ago is an age in words: in days from two of them on, below in hours to a tenth,
// and to the second within the first hour.
func ago(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
	if d >= time.Hour {
		return fmt.Sprintf("%.1f hours", d.Hours())
	}
	return d.Round(time.Second).String()
}
