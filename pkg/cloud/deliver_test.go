package cloud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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

func batch(ids ...string) (b events.SQSEvent) {
	for n, id := range ids {
		b.Records = append(b.Records, events.SQSMessage{MessageId: fmt.Sprint("message-", n), Body: id})
	}
	return b
}

func TestOnlyFailedMessagesComeBack(t *testing.T) {
	var log bytes.Buffer
	d := &cloud.Deliverer{Log: cloud.NewLogger(&log, nil), Handle: func(_ context.Context, id string) error {
		switch id {
		case "bad":
			return errors.New("CRM closed")
		case "panic":
			panic("maxine@example.com")
		}
		return nil
	}}
	out, err := d.Deliver(t.Context(), batch("ok", "bad", "ok2", "panic", "two words", "", strings.Repeat("x", 200), "ok3"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(out)
	want := `{"batchItemFailures":[{"itemIdentifier":"message-1"},{"itemIdentifier":"message-3"},{"itemIdentifier":"message-4"},{"itemIdentifier":"message-5"},{"itemIdentifier":"message-6"}]}`
	if string(body) != want {
		t.Errorf("%s, want %s", body, want)
	}
	if strings.Contains(log.String(), "maxine") {
		t.Errorf("the log tells a panic's value: %s", &log)
	}
	out, _ = d.Deliver(t.Context(), batch("ok"))
	if body, _ := json.Marshal(out); string(body) != `{"batchItemFailures":[]}` {
		t.Errorf("all well is %s; an absent list would not be read as success everywhere", body)
	}
}

func TestNoLeadIsBegunWhenTheTimeRunsOut(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	var begun atomic.Int64
	d := &cloud.Deliverer{Log: cloud.NewLogger(io.Discard, nil), Handle: func(context.Context, string) error {
		begun.Add(1)
		time.Sleep(250 * time.Millisecond)
		return nil
	}}
	if out, _ := d.Deliver(ctx, batch("a", "b", "c", "d", "e", "f")); begun.Load() != 4 || len(out.BatchItemFailures) != 2 {
		t.Errorf("%d begun and %d come back, want the first four begun and two back", begun.Load(), len(out.BatchItemFailures))
	}
}

// station is a real queue, with a message taken from it as Lambda's poller does.
type station struct {
	client *sqs.Client
	url    string
}

func newStation(t *testing.T) station {
	t.Helper()
	endpoint := cloudtest.Moto(t)
	url, _ := cloudtest.Queue(t, endpoint)
	return station{sqs.NewFromConfig(cloudtest.Config(endpoint)), url}
}

func (s station) send(t *testing.T, body string) {
	t.Helper()
	if _, err := s.client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(s.url), MessageBody: aws.String(body)}); err != nil {
		t.Fatal(err)
	}
}

// take receives what is visible, hidden for the given seconds.
func (s station) take(t *testing.T, seconds int32) (b events.SQSEvent) {
	t.Helper()
	got, err := s.client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(s.url), MaxNumberOfMessages: 10, VisibilityTimeout: seconds,
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Messages {
		b.Records = append(b.Records, events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body), Attributes: m.Attributes,
		})
	}
	return b
}

func (s station) deliverer(handle func(context.Context, string) error) *cloud.Deliverer {
	return &cloud.Deliverer{Queue: cloud.NewQueue(s.client, s.url), Log: cloud.NewLogger(io.Discard, nil), Handle: handle}
}

func TestAMessageStaysHiddenWhileASlowReceiverAnswers(t *testing.T) {
	s := newStation(t)
	s.send(t, "lead-1")
	batch := s.take(t, 1) // visible again after a second, were it not held
	seen := 0
	d := s.deliverer(func(context.Context, string) error {
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
			seen += len(s.take(t, 1).Records)
		}
		return nil
	})
	d.Step = 2 * time.Second
	if out, _ := d.Deliver(t.Context(), batch); len(out.BatchItemFailures) != 0 || len(batch.Records) != 1 {
		t.Fatalf("%v of %v", out, batch)
	}
	if seen != 0 {
		t.Errorf("%d other workers got the lead meanwhile", seen)
	}
	// Held in short steps: a worker that is killed costs the lead no more.
	time.Sleep(2500 * time.Millisecond)
	if got := s.take(t, 1); len(got.Records) != 1 {
		t.Errorf("a message that nobody holds any more is still hidden")
	}
}

// inTime is a failure that says when to come back.
type inTime time.Duration

func (l inTime) Error() string             { return "later" }
func (l inTime) RetryAfter() time.Duration { return time.Duration(l) }

func TestAFailedMessageComesBackAfterThePauseItsErrorAsksFor(t *testing.T) {
	s := newStation(t)
	asks := map[string]error{
		"soon":    fmt.Errorf("crm: %w", inTime(1500*time.Millisecond)),
		"not-yet": inTime(99 * time.Hour),
		"unsaid":  errors.New("store is down"),
	}
	for _, body := range []string{"soon", "not-yet", "unsaid", "no id"} {
		s.send(t, body)
	}
	d := s.deliverer(func(_ context.Context, id string) error { return asks[id] })
	if out, err := d.Deliver(t.Context(), s.take(t, 900)); err != nil || len(out.BatchItemFailures) != 4 {
		t.Fatalf("%v, %v", out, err)
	}
	back := func() string {
		var bodies []string
		for _, m := range s.take(t, 1).Records {
			bodies = append(bodies, m.Body)
		}
		slices.Sort(bodies)
		return strings.Join(bodies, ", ")
	}
	if got := back(); got != "no id" {
		t.Errorf("back at once: %s", got)
	}
	time.Sleep(3 * time.Second)
	if got := back(); got != "no id, soon, unsaid" {
		t.Errorf("back after three seconds: %s", got)
	}
}

func TestAMessageThatIsNoLeadEndsAmongTheDeadLettersSoon(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	url, dead := cloudtest.Queue(t, endpoint)
	s := station{sqs.NewFromConfig(cloudtest.Config(endpoint)), url}
	s.send(t, "not a lead id")
	d := s.deliverer(func(context.Context, string) error { return nil })
	for range 45 {
		if _, err := d.Deliver(t.Context(), s.take(t, 900)); err != nil {
			t.Fatal(err)
		}
	}
	s.url = dead
	if got := s.take(t, 900); len(got.Records) != 1 || got.Records[0].Body != "not a lead id" {
		t.Errorf("the dead letters are %v", got)
	}
}
