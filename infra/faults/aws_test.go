package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// weatheredAWS is a proxy before DynamoDB and SQS whose calls break: once in
// so many times, and as watch, when there is one, says of an operation. What
// watch returns is called between the operation and its answer.
func weatheredAWS(t *testing.T, endpoint string, s *storm, once int, watch func(op string, body []byte) (moment, func())) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, op, service := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		if !service { // S3 brings the profile
			proxy.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		// AWS finishes what a caller gave up.
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
		m, then := s.breaks(once), func() {}
		if watch != nil && m == healthy {
			m, then = watch(op, body)
		}
		switch m {
		case before:
			then()
			refuse(w, s.roll(4))
		case after:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			then()
			if s.roll(2) == 0 {
				refuse(w, 0)
			}
			panic(http.ErrAbortHandler)
		default:
			if s.strikes(4 * once) {
				time.Sleep(time.Duration(s.roll(300)) * time.Millisecond)
			}
			proxy.ServeHTTP(w, r)
		}
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server.URL
}

// refuse answers as AWS does in bad times, or not at all.
func refuse(w http.ResponseWriter, way int) {
	say := func(status int, kind string) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"__type":"com.amazonaws#%s","message":"storm"}`, kind)
	}
	switch way {
	case 0:
		say(http.StatusInternalServerError, "InternalServerError")
	case 1:
		say(http.StatusBadRequest, "ProvisionedThroughputExceededException")
	case 2:
		say(http.StatusServiceUnavailable, "ServiceUnavailable")
	default:
		panic(http.ErrAbortHandler)
	}
}

// hurried is a configuration whose retries wait little.
func hurried(endpoint string) aws.Config {
	cfg := cloudtest.Config(endpoint)
	cfg.Retryer = func() aws.Retryer { return retry.AddWithMaxBackoffDelay(retry.NewStandard(), 10*time.Millisecond) }
	return cfg
}

func tables(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.DisableValidateResponseChecksum = true })
}

// mailbox is an SQS queue as Lambda's poller sees it; the poller itself makes
// no mistakes but those it is told to.
type mailbox struct {
	storm     *storm
	client    *sqs.Client
	url, dead string
	// hurry brings failed messages back at once; else when the worker says.
	hurry bool
}

// receive returns up to n messages.
func (b *mailbox) receive(ctx context.Context, url string, n int32) ([]events.SQSMessage, error) {
	got, err := b.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(url), MaxNumberOfMessages: n,
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	var all []events.SQSMessage
	for _, m := range got.Messages {
		all = append(all, events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
			Attributes: m.Attributes, EventSource: "aws:sqs", AWSRegion: "us-east-1",
		})
	}
	return all, nil
}

// round receives once and has the messages delivered. All are visible again at
// once when the call failed. It reports whether there were any.
func (b *mailbox) round(ctx context.Context, n int32, deliver func(events.SQSEvent) (events.SQSEventResponse, error)) (bool, error) {
	messages, err := b.receive(ctx, b.url, n)
	if err != nil || len(messages) == 0 {
		return false, err
	}
	answer, err := deliver(events.SQSEvent{Records: messages})
	failed, later := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		failed[m.MessageId] = err != nil || b.storm.strikes(20) // else it was deleted in vain: SQS delivers at least once
	}
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier], later[f.ItemIdentifier] = b.hurry, !b.hurry
	}
	for _, m := range messages {
		if later[m.MessageId] {
			continue
		}
		if failed[m.MessageId] {
			_, err = b.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
				QueueUrl: aws.String(b.url), ReceiptHandle: aws.String(m.ReceiptHandle), VisibilityTimeout: 0,
			})
		} else {
			_, err = b.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(b.url), ReceiptHandle: aws.String(m.ReceiptHandle)})
		}
		// A receipt ends when another worker receives the message after its time.
		if late := (*sqstypes.ReceiptHandleIsInvalid)(nil); err != nil && !errors.As(err, &late) {
			return true, err
		}
	}
	return true, nil
}

// poison sends what is no lead; SQS itself takes no control characters.
func (b *mailbox) poison(t *testing.T) {
	t.Helper()
	for _, body := range []string{"no-such-lead", `{"lead_id": 1}`, strings.Repeat("x", 300)} {
		if _, err := b.client.SendMessage(context.Background(), &sqs.SendMessageInput{QueueUrl: aws.String(b.url), MessageBody: aws.String(body)}); err != nil {
			t.Fatal(err)
		}
	}
}

// pending counts the messages of a queue, also those in somebody's hands.
func (b *mailbox) pending(t *testing.T, url string) (n int) {
	t.Helper()
	out, err := b.client.GetQueueAttributes(context.Background(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"} {
		var some int
		_, _ = fmt.Sscan(out.Attributes[name], &some)
		n += some
	}
	return n
}

// deadLetters checks that only poison died: every id in the dead-letter queue
// is of no lead.
func (b *mailbox) deadLetters(t *testing.T, l *ledger) {
	t.Helper()
	got := 0
	for {
		messages, err := b.receive(context.Background(), b.dead, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) == 0 {
			break
		}
		for _, m := range messages {
			got++
			l.mu.Lock()
			for _, ids := range l.acknowledged {
				if strings.Contains(strings.Join(ids, " "), m.Body) {
					t.Errorf("lead %s is a dead letter", m.Body)
				}
			}
			l.mu.Unlock()
		}
	}
	if got == 0 {
		t.Error("no poisoned message came to the dead-letter queue")
	}
}
