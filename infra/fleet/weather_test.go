package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// weather stands before the emulator: it refuses and loses calls as AWS does at
// its worst, and lets stacks fail, which the emulator cannot. It also mends what
// the emulator forgets: the tags of a change set that updates.
type weather struct {
	address string
	moto    string

	mu sync.Mutex
	// storm is the part of calls that go wrong.
	storm  float64
	dice   *rand.Rand
	counts map[string]int
	// fails are stacks whose creation fails; failed those that have.
	fails, failed map[string]bool
	// busy are stacks that somebody else works on, and for how many looks.
	busy map[string]int
	// executed counts what was carried out, by stack.
	executed map[string]int
	sets     map[string]url.Values
	// after is called after each execution.
	after func(stack string)
	drift string
}

func newWeather(t *testing.T) *weather {
	t.Helper()
	w := &weather{moto: cloudtest.Moto(t), dice: rand.New(rand.NewPCG(7, 11)), counts: map[string]int{}, executed: map[string]int{},
		fails: map[string]bool{}, failed: map[string]bool{}, busy: map[string]int{}, sets: map[string]url.Values{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.address = server.URL
	return w
}

// turn changes the weather while calls may be under way.
func (w *weather) turn(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *weather) accounts() *stacks.Accounts {
	cfg := cloudtest.Config(w.address)
	return stacks.NewAccounts(cfg)
}

func (w *weather) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	action, stack := form.Get("Action"), form.Get("StackName")
	if _, name, ok := strings.Cut(stack, ":stack/"); ok {
		stack, _, _ = strings.Cut(name, "/")
	}
	w.mu.Lock()
	w.counts[action]++
	luck := 1.0
	if action != "" {
		luck = w.dice.Float64() / max(w.storm, 1e-9)
	}
	fails, failed, busy := w.fails[stack], w.failed[stack], w.busy[stack] > 0
	if action == "DescribeStacks" && busy {
		w.busy[stack]--
	}
	if action == "CreateChangeSet" {
		w.sets[form.Get("ChangeSetName")] = form
	}
	made := w.sets[form.Get("ChangeSetName")]
	w.mu.Unlock()
	switch {
	case luck < 0.5:
		fault(rw, 400, "Throttling", "Rate exceeded")
		return
	case luck < 0.7:
		fault(rw, 500, "InternalFailure", "An internal error occurred")
		return
	}
	if action == "ExecuteChangeSet" && made.Get("ChangeSetType") == "UPDATE" {
		whole := url.Values{}
		for k, v := range made {
			whole[k] = v
		}
		whole.Set("Action", "UpdateStack")
		w.pass(r, []byte(whole.Encode()))
	}
	status, answer := w.answer(r, body, action, stack, fails, failed)
	if action == "ExecuteChangeSet" && status == 200 && !fails {
		w.mu.Lock()
		w.executed[stack]++
		after := w.after
		w.mu.Unlock()
		if after != nil {
			after(stack)
		}
	}
	if action == "DescribeStacks" {
		w.mu.Lock()
		for name := range w.failed {
			answer = showing(answer, name, "ROLLBACK_COMPLETE")
		}
		if busy {
			answer = showing(answer, stack, "UPDATE_IN_PROGRESS")
		}
		w.mu.Unlock()
	}
	if luck < 1 { // carried out, and the answer is lost
		if c, _, err := http.NewResponseController(rw).Hijack(); err == nil {
			c.Close()
			return
		}
	}
	rw.Header().Set("Content-Type", "text/xml")
	rw.WriteHeader(status)
	_, _ = rw.Write(answer)
}

func (w *weather) answer(r *http.Request, body []byte, action, stack string, fails, failed bool) (int, []byte) {
	switch {
	case action == "ExecuteChangeSet" && fails:
		w.mu.Lock()
		w.failed[stack] = true
		w.mu.Unlock()
		return 200, []byte("<ExecuteChangeSetResponse><ExecuteChangeSetResult/></ExecuteChangeSetResponse>")
	case action == "DescribeStackEvents" && failed:
		return 200, []byte(eventsOf(stack))
	case action == "DeleteStack" && failed:
		w.mu.Lock()
		delete(w.failed, stack)
		w.mu.Unlock()
	case action == "DetectStackDrift":
		return 200, []byte("<DetectStackDriftResponse><DetectStackDriftResult><StackDriftDetectionId>" + stack + "</StackDriftDetectionId></DetectStackDriftResult></DetectStackDriftResponse>")
	case action == "DescribeStackDriftDetectionStatus":
		return 200, []byte("<R><DescribeStackDriftDetectionStatusResult><StackId>x</StackId><StackDriftDetectionId>x</StackDriftDetectionId><DetectionStatus>DETECTION_COMPLETE</DetectionStatus><Timestamp>2026-01-01T00:00:00Z</Timestamp></DescribeStackDriftDetectionStatusResult></R>")
	case action == "DescribeStackResourceDrifts":
		drift := ""
		if w.drift == stack {
			drift = "<member><StackId>x</StackId><LogicalResourceId>Q</LogicalResourceId><ResourceType>AWS::SQS::Queue</ResourceType><StackResourceDriftStatus>MODIFIED</StackResourceDriftStatus>" +
				"<PropertyDifferences><member><PropertyPath>/DelaySeconds</PropertyPath><ExpectedValue>0</ExpectedValue><ActualValue>5</ActualValue><DifferenceType>NOT_EQUAL</DifferenceType></member></PropertyDifferences><Timestamp>2026-01-01T00:00:00Z</Timestamp></member>"
		}
		return 200, []byte("<R><DescribeStackResourceDriftsResult><StackResourceDrifts>" + drift + "</StackResourceDrifts></DescribeStackResourceDriftsResult></R>")
	}
	return w.pass(r, body)
}

func (w *weather) pass(r *http.Request, body []byte) (int, []byte) {
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, w.moto+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return 502, nil
	}
	out.Header = r.Header.Clone()
	res, err := http.DefaultClient.Do(out)
	if err != nil {
		return 502, nil
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	return res.StatusCode, answer
}

func fault(rw http.ResponseWriter, status int, code, message string) {
	rw.Header().Set("Content-Type", "text/xml")
	rw.WriteHeader(status)
	fmt.Fprintf(rw, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error><RequestId>1</RequestId></ErrorResponse>", code, message)
}

func showing(answer []byte, stack, status string) []byte {
	at := regexp.MustCompile(`(?s)(<StackName>` + regexp.QuoteMeta(stack) + `</StackName>.*?<StackStatus>)[^<]+`)
	return at.ReplaceAll(answer, []byte("${1}"+status))
}

func eventsOf(stack string) string {
	id := "arn:aws:cloudformation:us-east-1:123456789012:stack/" + stack + "/1"
	event := func(logical, physical, kind, status, reason string) string {
		return fmt.Sprintf("<member><StackId>%s</StackId><EventId>1</EventId><StackName>%s</StackName><LogicalResourceId>%s</LogicalResourceId><PhysicalResourceId>%s</PhysicalResourceId>"+
			"<ResourceType>%s</ResourceType><Timestamp>2026-01-01T00:00:00Z</Timestamp><ResourceStatus>%s</ResourceStatus><ResourceStatusReason>%s</ResourceStatusReason></member>", id, stack, logical, physical, kind, status, reason)
	}
	return "<R><DescribeStackEventsResult><StackEvents>" +
		event(stack, id, "AWS::CloudFormation::Stack", "ROLLBACK_COMPLETE", "") +
		event("T", "t", "AWS::SNS::Topic", "CREATE_FAILED", "Resource creation cancelled") +
		event("Q", "q", "AWS::SQS::Queue", "CREATE_FAILED", "The queue of "+stack+" is one too many") +
		"</StackEvents></DescribeStackEventsResult></R>"
}

// hurried is a clock whose waits take no time.
type hurried struct {
	mu  sync.Mutex
	now time.Time
}

func newHurried() *hurried { return &hurried{now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)} }

func (h *hurried) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hurried) Sleep(ctx context.Context, d time.Duration) error {
	h.mu.Lock()
	h.now = h.now.Add(d)
	h.mu.Unlock()
	return ctx.Err()
}
