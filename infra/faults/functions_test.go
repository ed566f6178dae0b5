package faults

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// step is a moment in the life of a function at which it is killed.
type step struct {
	name string
	// op is the operation of DynamoDB or SQS, and when says whether it still
	// happens. Without op the CRM does it, with the document in its hands.
	op   string
	when moment
	// knew says that the outcome, which the CRM had told, dies too.
	knew bool
}

// mortal is a compiled function that is killed at the steps it is given, one
// after the other, and started again with the next event.
type mortal struct {
	t         *testing.T
	ledger    *ledger
	bootstrap string
	env       []string

	turn  sync.Mutex
	mu    sync.Mutex
	steps []step
	// down is an operation that is out of order for now.
	down  string
	alive *life
	kills int
}

// life is one process of a function; ctx ends with it.
type life struct {
	*lambdatest.Function
	ctx context.Context
	end func()
}

func (m *mortal) invoke(event any) ([]byte, error) {
	body, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	m.turn.Lock() // an instance takes one event at a time
	defer m.turn.Unlock()
	m.mu.Lock()
	if m.alive == nil {
		ctx, end := context.WithCancel(context.Background())
		m.alive = &life{lambdatest.Start(m.t, m.bootstrap, m.env...), ctx, end}
	}
	f := m.alive
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(f.ctx, time.Minute)
	defer cancel()
	return f.Invoke(ctx, body)
}

// reaches returns the function's next step when the operation is that, and
// what kills it then.
func (m *mortal) reaches(op string) (next step, kill func(), reached bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.alive == nil || len(m.steps) == 0 || m.steps[0].op != op {
		return step{}, func() {}, false
	}
	next, m.steps = m.steps[0], m.steps[1:]
	doomed := m.alive
	m.kills++
	return next, func() {
		doomed.Stop()
		doomed.end()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.alive == doomed {
			m.alive = nil
		}
	}, true
}

// stateKey is how the write of a delivery state names its lead and target.
var stateKey = regexp.MustCompile(`"delivery#([a-z-]+)".*#lead#([0-9a-f-]+)"|#lead#([0-9a-f-]+)".*"delivery#([a-z-]+)"`)

// watch is for the proxy before the function's AWS.
func (m *mortal) watch(op string, body []byte) (moment, func()) {
	next, kill, reached := m.reaches(op)
	m.mu.Lock()
	down := m.down != "" && m.down == op
	m.mu.Unlock()
	if down && !reached {
		return before, kill
	}
	if found := stateKey.FindSubmatch(body); next.knew && found != nil {
		m.ledger.excuse(string(found[2])+string(found[3]), string(found[1])+string(found[4]))
	}
	return next.when, kill
}

// TestNoLeadIsLostOrDoubledThoughTheFunctionsAreKilledAtEveryStep runs the
// compiled agent, worker and sweeper, each before an AWS whose calls break and
// each killed at every step it takes.
func TestNoLeadIsLostOrDoubledThoughTheFunctionsAreKilledAtEveryStep(t *testing.T) {
	if testing.Short() {
		t.Skip("a killed worker's lease takes half a minute to lapse")
	}
	t.Parallel()
	endpoint := cloudtest.Moto(t)
	s, l := newStorm(t), newLedger("crm-a", "crm-b")
	a, b := newCRM(t, "crm-a", s, l), newCRM(t, "crm-b", s, l)
	a.silent, b.silent = 1<<30, 1<<30
	objects := cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	cloudtest.Put(t, objects, bucket, "dealer.yaml", []byte(profileText(a.target(), b.target())))
	box := &mailbox{storm: s, client: sqs.NewFromConfig(hurried(endpoint))}
	box.url, box.dead = cloudtest.Queue(t, endpoint)
	table := cloudtest.Table(t, cloudtest.DynamoDB(endpoint))
	function := func(name string, steps ...step) *mortal {
		m := &mortal{t: t, ledger: l, bootstrap: lambdatest.Build(t, "../../functions/"+name), steps: steps}
		m.env = append(cloudtest.Environment(weatheredAWS(t, endpoint, s, 2*once, m.watch)),
			"DEALER_INVENTORY_TABLE="+table, "DEALER_LEADS_TABLE="+table, "DEALER_QUEUE_URL="+box.url,
			"DEALER_PROFILE_BUCKET="+bucket, "DEALER_LOG_LEVEL=error")
		return m
	}
	front := function("agent",
		step{name: "before the lead is stored", op: "TransactWriteItems", when: before},
		step{name: "with the lead stored", op: "TransactWriteItems", when: after},
		step{name: "before the lead is queued", op: "SendMessage", when: before},
		step{name: "with the lead queued", op: "SendMessage", when: after},
		step{name: "before the lead leaves the outbox", op: "DeleteItem", when: before},
	)
	worker := function("leadworker",
		step{name: "before the attempt is on record", op: "TransactWriteItems", when: before},
		step{name: "with the attempt on record", op: "TransactWriteItems", when: after},
		step{name: "with the document at the CRM"},
		step{name: "before the outcome is written", op: "UpdateItem", when: before, knew: true},
		step{name: "with the outcome written", op: "UpdateItem", when: after},
	)
	sweeper := function("sweeper",
		step{name: "before a lead is queued", op: "SendMessage", when: before},
		step{name: "with a lead queued", op: "SendMessage", when: after},
		step{name: "before a lead leaves the outbox", op: "DeleteItem", when: before},
	)
	hook := func() bool {
		_, kill, reached := worker.reaches("")
		kill()
		return !reached
	}
	a.hook.Store(&hook)
	b.hook.Store(&hook)
	buyers := buyers{storm: s, ledger: l, granted: time.Now().Add(-24 * time.Hour), tries: 12, post: func(body []byte) ([]byte, error) {
		out, err := front.invoke(request(body))
		var answer events.APIGatewayProxyResponse
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		return []byte(answer.Body), err
	}}
	deliver := func(batch events.SQSEvent) (answer events.SQSEventResponse, err error) {
		out, err := worker.invoke(batch)
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		return answer, err
	}
	sweep := func() {
		_, _ = sweeper.invoke(map[string]any{"source": "aws.events", "detail-type": "Scheduled Event", "detail": map[string]any{}})
	}
	deadline := time.Now().Add(4 * time.Minute)
	work := func(rounds int) {
		for range rounds {
			any, err := box.round(context.Background(), 1, deliver)
			if err != nil {
				t.Fatal(err)
			}
			if !any {
				return
			}
		}
	}
	armed := func() (n int) {
		for _, m := range []*mortal{front, worker, sweeper} {
			m.mu.Lock()
			n += len(m.steps)
			m.mu.Unlock()
		}
		return n
	}
	n := 0
	for ; n < count(16, 0) || armed() > 0 && n < 40; n++ {
		front.mu.Lock()
		front.down = ""
		if len(front.steps) == 0 && n%3 == 0 {
			front.down = "SendMessage" // for the sweeper to have something to do
		}
		front.mu.Unlock()
		buyers.lead(n)
		work(2)
		if n%3 == 0 {
			sweep()
		}
	}
	if left := armed(); left > 0 {
		t.Errorf("%d steps were never reached: %v %v %v", left, front.steps, worker.steps, sweeper.steps)
	}
	front.mu.Lock()
	front.down = ""
	front.mu.Unlock()
	s.over.Store(true)
	box.poison(t)
	calm := cloud.NewLeads(tables(hurried(endpoint)), table)
	queue := cloud.NewQueue(sqs.NewFromConfig(hurried(endpoint)), box.url)
	for _, want := range []string{"at first", "after the resends"} {
		for sweep(); box.pending(t, box.url) > 0; time.Sleep(50 * time.Millisecond) {
			if work(50); time.Now().After(deadline) {
				t.Fatalf("%s: %d messages are still waiting", want, box.pending(t, box.url))
			}
		}
		checkStates(t, l, calm, queue, time.Now)
	}
	l.balance(t)
	box.deadLetters(t, l)
	t.Logf("%d, %d and %d kills", front.kills, worker.kills, sweeper.kills)
}

// request is the event of a POST to /a2a.
func request(body []byte) events.APIGatewayProxyRequest {
	return events.APIGatewayProxyRequest{
		Resource: "/a2a", Path: "/a2a", HTTPMethod: http.MethodPost, Body: string(body),
		MultiValueHeaders: map[string][]string{"Content-Type": {"application/json"}, "Host": {"agent.stormy.example"}},
		RequestContext: events.APIGatewayProxyRequestContext{
			Stage: "live", ResourcePath: "/a2a", HTTPMethod: http.MethodPost, Path: "/live/a2a",
			Identity: events.APIGatewayRequestIdentity{SourceIP: "203.0.113.7"},
		},
	}
}
