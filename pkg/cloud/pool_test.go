package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// poolOf is a stack of many dealers in moto, with those given in its roster.
func poolOf(t *testing.T, endpoint string, change func(*cloud.Settings), dealers ...string) *cloud.Stack {
	t.Helper()
	objects := cloudtest.Objects(endpoint)
	s := cloud.Settings{
		LeadsTable: cloudtest.Table(t, cloudtest.DynamoDB(endpoint)), ProfileBucket: cloudtest.Bucket(t, objects),
		ProfileKey: "dealers/", DealerRole: "arn:aws:iam::123456789012:role/one-dealer",
	}
	s.QueueURL, _ = cloudtest.Queue(t, endpoint)
	change(&s)
	for _, id := range dealers {
		cloudtest.Put(t, objects, s.ProfileBucket, cloud.RosterKey(id, cloud.NoHost), nil)
	}
	return cloud.NewStack(s, cloudtest.Config(endpoint))
}

// counting is a proxy before endpoint that counts requests of a kind.
func counting(t *testing.T, endpoint string, counts func(*http.Request) bool) (address string, n *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	n = &atomic.Int64{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if counts(r) {
			n.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, n
}

func TestADealerWhoseCRMHangsHoldsNobodyElsesLeads(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	stack := poolOf(t, endpoint, func(s *cloud.Settings) { s.HandOversPerDealer = 2 }, "flooded", "quiet")
	messages := sqs.NewFromConfig(cloudtest.Config(endpoint))
	for n := range 9 {
		if err := stack.Queue().Enqueue(cloud.ForDealer(t.Context(), "flooded"), fmt.Sprintf("f-%d", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := stack.Queue().Enqueue(cloud.ForDealer(t.Context(), "quiet"), "q-1"); err != nil {
		t.Fatal(err)
	}
	got, err := messages.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(stack.Settings.QueueURL), MaxNumberOfMessages: 10, MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
	})
	if err != nil || len(got.Messages) != 10 {
		t.Fatalf("%d messages, %v", len(got.Messages), err)
	}
	hung := make(chan struct{})
	var under, most atomic.Int64
	done := make(chan string, 20)
	handle := func(ctx context.Context, id string) error {
		if of, _ := cloud.DealerOf(ctx); of == "flooded" {
			most.Store(max(most.Load(), under.Add(1)))
			<-hung
			under.Add(-1)
		}
		done <- id
		return nil
	}
	deliverer := &cloud.Deliverer{Queue: stack.Queue(), Handle: handle, Log: slog.New(slog.DiscardHandler), Admit: stack.Admit()}
	var instances sync.WaitGroup
	var back atomic.Int64
	for _, m := range got.Messages { // each in an instance of its own, the quiet dealer's last
		if m.Attributes["MessageGroupId"] != *m.MessageAttributes["dealer"].StringValue {
			t.Errorf("the group of %s is %v", *m.Body, m.Attributes)
		}
		event := events.SQSEvent{Records: []events.SQSMessage{{
			MessageId: *m.MessageId, ReceiptHandle: *m.ReceiptHandle, Body: *m.Body, Attributes: m.Attributes,
			MessageAttributes: map[string]events.SQSMessageAttribute{"dealer": {StringValue: m.MessageAttributes["dealer"].StringValue, DataType: "String"}},
		}}}
		instances.Go(func() {
			out, err := deliverer.Deliver(t.Context(), event)
			if err != nil {
				t.Error(err)
			}
			back.Add(int64(len(out.BatchItemFailures)))
		})
	}
	select {
	case id := <-done:
		if id != "q-1" {
			t.Errorf("first done is %s", id)
		}
	case <-time.After(20 * time.Second):
		t.Error("the quiet dealer's lead waits for the other's CRM")
	}
	for deadline := time.Now().Add(20 * time.Second); back.Load() < 7 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
	close(hung)
	instances.Wait()
	if back.Load() != 7 || most.Load() > 2 {
		t.Errorf("%d came back and %d were under way at once; want 7 and at most 2", back.Load(), most.Load())
	}
	// What has ended leaves its place to the next.
	again := events.SQSEvent{Records: []events.SQSMessage{{MessageId: "1", Body: "f-9", MessageAttributes: map[string]events.SQSMessageAttribute{"dealer": {StringValue: aws.String("flooded")}}}}}
	if out, err := deliverer.Deliver(t.Context(), again); err != nil || len(out.BatchItemFailures) != 0 {
		t.Errorf("%v, %v", out, err)
	}
}

func TestAMessageForNoDealerOfTheStackIsHandledForNobody(t *testing.T) {
	stack := poolOf(t, cloudtest.Moto(t), func(*cloud.Settings) {}, "ash")
	deliverer := &cloud.Deliverer{Queue: stack.Queue(), Log: slog.New(slog.DiscardHandler), Admit: stack.Admit(), Handle: func(ctx context.Context, id string) error {
		of, _ := cloud.DealerOf(ctx)
		t.Errorf("%s is handled for %q", id, of)
		return nil
	}}
	for _, dealer := range []*string{nil, aws.String(""), aws.String("oak"), aws.String("as"), aws.String("ash#lead"), aws.String("*"), aws.String("ash/-")} {
		m := events.SQSMessage{MessageId: "1", Body: "L-1"}
		if dealer != nil {
			m.MessageAttributes = map[string]events.SQSMessageAttribute{"dealer": {StringValue: dealer}}
		}
		if out, err := deliverer.Deliver(t.Context(), events.SQSEvent{Records: []events.SQSMessage{m}}); err != nil || len(out.BatchItemFailures) != 1 {
			t.Errorf("%v: %v, %v", m.MessageAttributes, out, err)
		}
	}
}

func TestADealersAllowanceIsOneOverAllInstancesAndSpentForNobodyElse(t *testing.T) {
	address, writes := counting(t, cloudtest.Moto(t), func(r *http.Request) bool { return strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") })
	stack := poolOf(t, address, func(*cloud.Settings) {}, "ash", "oak")
	log := slog.New(slog.DiscardHandler)
	of := func(id string) *cloud.Allowance { return stack.NewAllowance(id, "calls", 100, time.Hour, log) }
	instances := []*cloud.Allowance{of("ash"), of("ash"), of("ash")}
	ctx := cloud.ForDealer(t.Context(), "ash")
	granted, wait := 0, time.Duration(0)
	for n := range 900 {
		if w := instances[n%3].Take(ctx); w == 0 {
			granted++
		} else {
			wait = w
		}
	}
	if granted > 100 || granted < 90 || wait <= 0 || wait > time.Hour {
		t.Errorf("%d calls of 100 were granted, then a wait of %v", granted, wait)
	}
	if n := writes.Load(); n > 30 {
		t.Errorf("900 calls cost %d writes", n)
	}
	if w := of("oak").Take(cloud.ForDealer(t.Context(), "oak")); w != 0 {
		t.Errorf("another dealer waits %v", w)
	}
	if w := stack.NewAllowance("ash", "leads", 0, time.Hour, log).Take(ctx); w != 0 {
		t.Errorf("without a limit: %v", w)
	}
}

func TestWhoAsksForDealersThatAreNotThereCostsNothing(t *testing.T) {
	address, lists := counting(t, cloudtest.Moto(t), func(r *http.Request) bool { return r.URL.Query().Has("list-type") })
	stack := poolOf(t, address, func(*cloud.Settings) {}, "ash")
	for n := range 2000 {
		if err := stack.Roster().Check(t.Context(), fmt.Sprintf("guess-%d", n)); !errors.Is(err, cloud.ErrUnknownDealer) {
			t.Fatal(err)
		}
		if _, err := stack.Roster().ByHost(t.Context(), fmt.Sprintf("guess-%d.example.com", n)); !errors.Is(err, cloud.ErrUnknownDealer) {
			t.Fatal(err)
		}
	}
	if n := lists.Load(); n != 1 {
		t.Errorf("4000 guesses list the dealers %d times", n)
	}
	if err := stack.Roster().Check(t.Context(), "ash"); err != nil {
		t.Error(err)
	}
}

func TestInstancesThatLookAnewAtOnceLoseNoListOfDealers(t *testing.T) {
	stack := poolOf(t, cloudtest.Moto(t), func(*cloud.Settings) {}, "ash")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if err := stack.Roster().CheckNow(t.Context(), "oak"); !errors.Is(err, cloud.ErrUnknownDealer) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := stack.Roster().CheckNow(t.Context(), "ash"); err != nil {
		t.Error(err)
	}
}

func TestTheFirstDealerUnderAHostKeepsIt(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	stack := poolOf(t, endpoint, func(*cloud.Settings) {})
	objects := cloudtest.Objects(endpoint)
	cloudtest.Put(t, objects, stack.Settings.ProfileBucket, cloud.RosterKey("oak", "agent.example.com"), nil)
	time.Sleep(1100 * time.Millisecond) // S3 dates objects to the second
	cloudtest.Put(t, objects, stack.Settings.ProfileBucket, cloud.RosterKey("ash", "agent.example.com"), nil)
	if id, err := stack.Roster().ByHost(t.Context(), "agent.example.com"); err != nil || id != "oak" {
		t.Errorf("%q, %v", id, err)
	}
}

func TestWithoutADealerNothingIsReached(t *testing.T) {
	address, calls := counting(t, cloudtest.Moto(t), func(r *http.Request) bool { return r.Header.Get("X-Amz-Target") != "" })
	stack := poolOf(t, address, func(*cloud.Settings) {})
	before := calls.Load()
	for name, ctx := range map[string]context.Context{"no dealer": t.Context(), "no id": cloud.ForDealer(t.Context(), "ash#b"), "a pattern": cloud.ForDealer(t.Context(), "*")} {
		if _, err := stack.Leads().Load(ctx, "ash", "L-1", time.Now()); !errors.Is(err, cloud.ErrNoDealer) && !errors.Is(err, cloud.ErrUnknownDealer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if calls.Load() != before {
		t.Error("a table was asked")
	}
}

func TestTenantsAreKeptByWeightTheOldestUseGoesFirst(t *testing.T) {
	opened := map[string]int{}
	weight := map[string]int{}
	tenants := cloud.NewTenants(100, func(id string) string { opened[id]++; return id }, func(id string) int { return max(weight[id], 10) })
	for n := range 10 {
		tenants.Of(fmt.Sprint("d", n))
	}
	tenants.Of("d0")
	tenants.Of("new") // d1 goes
	for _, id := range []string{"d0", "d2", "d9", "new"} {
		tenants.Of(id)
	}
	if opened["d0"] != 1 || opened["d2"] != 1 {
		t.Errorf("opened %v", opened)
	}
	tenants.Of("d1")
	if opened["d1"] != 2 {
		t.Error("more is kept than may be")
	}
	weight["new"] = 95 // it grew: nothing fits beside it
	tenants.Of("new")
	tenants.Of("d0")
	if opened["d0"] != 2 || opened["new"] != 1 {
		t.Errorf("opened %v", opened)
	}
}
