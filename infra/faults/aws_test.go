package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// flakyAWS is a proxy before DynamoDB and SQS whose calls break.
func flakyAWS(t *testing.T, endpoint string, d *dice) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := d.moment()
		if r.Header.Get("X-Amz-Target") == "" { // S3 brings the profile, which is kept
			m = healthy
		}
		switch m {
		case before:
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(`{"__type":"InternalServerError","message":"storm"}`))
		case after:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server.URL
}

// deployed is one dealer on emulated AWS, which itself is healthy.
type deployed struct {
	store   lead.Store
	desk    *lead.Desk
	queue   string
	dead    string
	client  *sqs.Client
	profile *dealer.Profile
	env     []string
}

func deploy(t *testing.T, crmURL string, d *dice) *deployed {
	t.Helper()
	endpoint := cloudtest.Moto(t)
	tables, objects := cloudtest.DynamoDB(endpoint), cloudtest.Objects(endpoint)
	text := fmt.Appendf(nil, profile, crmURL)
	p, err := dealer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	table, bucket := cloudtest.Table(t, tables), cloudtest.Bucket(t, objects)
	cloudtest.Put(t, objects, bucket, "dealer.yaml", text)
	s := &deployed{profile: p, client: sqs.NewFromConfig(cloudtest.Config(endpoint)), store: cloud.NewLeads(tables, table)}
	s.queue, s.dead = cloudtest.Queue(t, endpoint)
	s.desk = &lead.Desk{Store: s.store, Queue: cloud.NewQueue(s.client, s.queue), Log: slog.New(slog.DiscardHandler)}
	s.env = append(cloudtest.Environment(flakyAWS(t, endpoint, d)),
		"DEALER_LEADS_TABLE="+table, "DEALER_QUEUE_URL="+s.queue, "DEALER_PROFILE_BUCKET="+bucket, "DEALER_LOG_LEVEL=error")
	return s
}

// poll plays Lambda's poller with one instance of the worker until ctx ends:
// it deletes what did not fail and leaves the rest to its visibility.
func (s *deployed) poll(ctx context.Context, t *testing.T, worker *lambdatest.Function) {
	for ctx.Err() == nil {
		got, err := s.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: aws.String(s.queue), MaxNumberOfMessages: 4,
			MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
		})
		if err != nil || len(got.Messages) == 0 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		var batch events.SQSEvent
		for _, m := range got.Messages {
			batch.Records = append(batch.Records, events.SQSMessage{
				MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body), Attributes: m.Attributes,
			})
		}
		event, err := json.Marshal(batch)
		if err != nil {
			t.Error(err)
			return
		}
		out, err := worker.Invoke(context.WithoutCancel(ctx), event)
		var answer events.SQSEventResponse
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, worker.Log())
			return
		}
		failed := map[string]bool{}
		for _, f := range answer.BatchItemFailures {
			failed[f.ItemIdentifier] = true
		}
		for _, m := range got.Messages {
			if failed[aws.ToString(m.MessageId)] {
				continue
			}
			if _, err := s.client.DeleteMessage(context.WithoutCancel(ctx), &sqs.DeleteMessageInput{QueueUrl: aws.String(s.queue), ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Error(err)
			}
		}
	}
}

// doubled queues a lead once more, as SQS may deliver a message twice.
func (s *deployed) doubled(t *testing.T, id string) {
	t.Helper()
	if err := s.desk.Queue.Enqueue(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func (s *deployed) done(ctx context.Context, ids []string) bool {
	for _, id := range ids {
		states, err := s.store.Deliveries(ctx, s.profile.ID, id)
		if err != nil || len(states) != 1 || states[0].State != lead.HandedOver {
			return false
		}
	}
	return true
}

func TestTheCompiledWorkerLosesNothingInAStormOnAWS(t *testing.T) {
	total := 20
	if testing.Short() {
		total = 10
	}
	d := newDice(11, 0.06)
	r := newReceiver(t, newDice(12, 0))
	s := deploy(t, r.URL, d)
	c := chain{profile: s.profile, desk: s.desk}
	var ids []string
	for n := range total {
		id, err := c.submit(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if ids = append(ids, id); n%4 == 0 {
			s.doubled(t, id)
		}
	}
	bootstrap := lambdatest.Build(t, "../../functions/leadworker")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var running sync.WaitGroup
	for range 2 {
		worker := lambdatest.Start(t, bootstrap, s.env...)
		running.Go(func() { s.poll(ctx, t, worker) })
	}
	for ctx.Err() == nil && !s.done(ctx, ids) {
		time.Sleep(200 * time.Millisecond)
	}
	if ctx.Err() != nil {
		t.Error("leads are still waiting")
	}
	cancel()
	running.Wait()
	t.Logf("%d leads, %d second documents", total, r.audit(t, ids))
}
