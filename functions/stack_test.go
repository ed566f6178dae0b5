package functions_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// crm takes leads, and refuses as long as it is told to.
type crm struct {
	*httptest.Server
	mu   sync.Mutex
	down bool
	got  []string

	authorization string // of the last request
}

func newCRM(t *testing.T) *crm {
	c := &crm{down: true}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.down {
			http.Error(w, "closed for lunch", http.StatusServiceUnavailable)
			return
		}
		c.got, c.authorization = append(c.got, string(body)), r.Header.Get("Authorization")
	}))
	t.Cleanup(c.Close)
	return c
}

// stack is one deployed dealer.
type stack struct {
	endpoint, bucket, queue string
	objects                 *s3.Client
	messages                *sqs.Client
	env                     []string
}

func deploy(t *testing.T, crmURL string) *stack {
	endpoint := cloudtest.Moto(t)
	tables := cloudtest.DynamoDB(endpoint)
	s := &stack{endpoint: endpoint, objects: cloudtest.Objects(endpoint), messages: sqs.NewFromConfig(cloudtest.Config(endpoint))}
	s.bucket = cloudtest.Bucket(t, s.objects)
	s.queue, _ = cloudtest.Queue(t, endpoint)
	s.env = append(cloudtest.Environment(endpoint),
		"DEALER_INVENTORY_TABLE="+cloudtest.Table(t, tables), "DEALER_LEADS_TABLE="+cloudtest.Table(t, tables),
		"DEALER_QUEUE_URL="+s.queue, "DEALER_PROFILE_BUCKET="+s.bucket, "DEALER_FEED_BUCKET="+s.bucket, "DEALER_PROFILE_KEY=config/dealer.yaml",
		"DEALER_LOG_LEVEL=debug", "DEALER_FORM_KEY="+strings.Repeat("k", 32),
	)
	cloudtest.Put(t, s.objects, s.bucket, "config/dealer.yaml", fmt.Appendf(nil, profile, crmURL))
	return s
}

// uploaded is the event S3 sends for one object, whose key it escapes.
func (s *stack) uploaded(escapedKey string) []byte {
	return fmt.Appendf(nil, `{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-east-1",
		"eventTime":"2026-11-30T12:00:00.000Z","eventName":"ObjectCreated:Put",
		"requestParameters":{"sourceIPAddress":"203.0.113.5"},
		"s3":{"s3SchemaVersion":"1.0","configurationId":"feeds","bucket":{"name":%q,"arn":"arn:aws:s3:::%s"},
		"object":{"key":%q,"size":1024,"eTag":"d41d8cd98f00b204e9800998ecf8427e","sequencer":"0A1B2C"}}}]}`, s.bucket, s.bucket, escapedKey)
}

func (s *stack) report(t *testing.T, key string) (out feeds.Outcome) {
	t.Helper()
	object, err := s.objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)})
	if err != nil {
		t.Fatal(err)
	}
	defer object.Body.Close()
	if err := json.NewDecoder(object.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// poll plays Lambda's poller once: it receives, invokes and deletes what did
// not fail. It returns the bodies and how many came back.
func (s *stack) poll(t *testing.T, worker *lambdatest.Function) (bodies []string, failed int) {
	t.Helper()
	got, err := s.messages.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(s.queue), MaxNumberOfMessages: 10,
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
	})
	if err != nil {
		t.Fatal(err)
	}
	var batch events.SQSEvent
	receipts := map[string]string{}
	for _, m := range got.Messages {
		bodies = append(bodies, aws.ToString(m.Body))
		receipts[aws.ToString(m.MessageId)] = aws.ToString(m.ReceiptHandle)
		batch.Records = append(batch.Records, events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
			Attributes: m.Attributes, EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:us-east-1:123456789012:leads", AWSRegion: "us-east-1",
		})
	}
	if len(bodies) == 0 {
		return nil, 0
	}
	var answer events.SQSEventResponse
	invoke(t, worker, batch, &answer)
	for _, f := range answer.BatchItemFailures {
		// Back at once rather than after the visibility timeout.
		_, err := s.messages.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{
			QueueUrl: aws.String(s.queue), ReceiptHandle: aws.String(receipts[f.ItemIdentifier]), VisibilityTimeout: 0,
		})
		if err != nil {
			t.Fatalf("the worker names %q, which is no message: %v", f.ItemIdentifier, err)
		}
		delete(receipts, f.ItemIdentifier)
	}
	for _, receipt := range receipts {
		if _, err := s.messages.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: aws.String(s.queue), ReceiptHandle: aws.String(receipt)}); err != nil {
			t.Fatal(err)
		}
	}
	return bodies, len(answer.BatchItemFailures)
}
