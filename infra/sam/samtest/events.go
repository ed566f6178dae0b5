package samtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"encoding/json"
)

// wiring is how events reach functions.
type wiring struct {
	permissions []tree
	sources     []tree
	rules       []rule
	buckets     map[string]tree

	open    sync.WaitGroup
	pollers sync.WaitGroup
	stop    context.CancelFunc
	faults  sync.Mutex
	failed  []string
}

type rule struct {
	arn        string
	properties tree
}

func (s *Stack) notify(bucket string, configuration tree) {
	if s.buckets == nil {
		s.buckets = map[string]tree{}
	}
	s.buckets[bucket] = configuration
}

// permitted reports whether the function may be called by the service for the source.
func (s *Stack) permitted(f *function, service, source string) bool {
	return slices.ContainsFunc(s.permissions, func(p tree) bool {
		arn := textAt(p, "SourceArn")
		return s.function(textAt(p, "FunctionName")) == f && textAt(p, "Action") == "lambda:InvokeFunction" &&
			textAt(p, "Principal") == service && (arn == "" || glob(arn, source))
	})
}

// stored is S3's part when an object is put: it calls functions and tells
// EventBridge, as the bucket's configuration says.
func (s *Stack) stored(bucket, key string, size int64) {
	source := "arn:aws:s3:::" + bucket
	for _, c := range listAt(s.buckets[bucket], "LambdaConfigurations") {
		if !strings.HasPrefix(textAt(c, "Event"), "s3:ObjectCreated:") || !filtered(c, key) {
			continue
		}
		escaped := strings.ReplaceAll(url.QueryEscape(key), "%2F", "/")
		s.later(textAt(c, "Function"), "s3.amazonaws.com", source, tree{"Records": []any{tree{
			"eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": region, "eventTime": today(), "eventName": "ObjectCreated:Put",
			"requestParameters": tree{"sourceIPAddress": "203.0.113.5"},
			"s3": tree{
				"s3SchemaVersion": "1.0", "configurationId": "feeds", "bucket": tree{"name": bucket, "arn": source},
				"object": tree{"key": escaped, "size": size, "sequencer": fmt.Sprintf("%016X", time.Now().UnixNano())},
			},
		}}})
	}
	if textAt(s.buckets[bucket], "EventBridgeConfiguration", "EventBridgeEnabled") == "true" {
		s.bus(tree{
			"version": "0", "id": "1", "detail-type": "Object Created", "source": "aws.s3", "account": account, "time": today(), "region": region,
			"resources": []any{source},
			"detail":    tree{"version": "0", "bucket": tree{"name": bucket}, "object": tree{"key": key, "size": size}, "reason": "PutObject"},
		})
	}
}

func filtered(configuration any, key string) bool {
	for _, rule := range listAt(configuration, "Filter", "S3Key", "Rules") {
		value := textAt(rule, "Value")
		switch strings.ToLower(textAt(rule, "Name")) {
		case "prefix":
			if !strings.HasPrefix(key, value) {
				return false
			}
		case "suffix":
			if !strings.HasSuffix(key, value) {
				return false
			}
		}
	}
	return true
}

// bus is EventBridge: the event goes to the targets of every rule that it fits.
func (s *Stack) bus(event tree) {
	for _, r := range s.rules {
		if pattern := treeAt(r.properties, "EventPattern"); pattern != nil && fits(pattern, event) {
			s.target(r, event)
		}
	}
}

// fits matches values and nested members, which is what the template uses.
func fits(pattern, value any) bool {
	switch p := pattern.(type) {
	case tree:
		v, ok := value.(tree)
		if !ok {
			return false
		}
		for key, inner := range p {
			if !fits(inner, v[key]) {
				return false
			}
		}
		return true
	case []any:
		return slices.ContainsFunc(p, func(choice any) bool {
			if matcher, ok := choice.(tree); ok {
				prefix, ok := matcher["prefix"].(string)
				return ok && strings.HasPrefix(text(value), prefix)
			}
			return text(choice) == text(value)
		})
	}
	return false
}

func (s *Stack) target(r rule, event tree) {
	for _, target := range listAt(r.properties, "Targets") {
		sent := any(event)
		if input := textAt(target, "Input"); input != "" {
			sent = json.RawMessage(input)
		}
		s.later(textAt(target, "Arn"), "events.amazonaws.com", r.arn, sent)
	}
}

// Scheduled lets the time come of every rule with a schedule, once.
func (s *Stack) Scheduled() {
	for _, r := range s.rules {
		if textAt(r.properties, "ScheduleExpression") != "" && textAt(r.properties, "State") != "DISABLED" {
			s.target(r, tree{
				"version": "0", "id": "1", "detail-type": "Scheduled Event", "source": "aws.events", "account": account, "time": today(),
				"region": region, "resources": []any{r.arn}, "detail": tree{},
			})
		}
	}
	s.Settle()
}

// later calls a function in the background, as services do that wait for no answer.
func (s *Stack) later(arn, service, source string, event any) {
	f := s.function(arn)
	if f == nil || !s.permitted(f, service, source) {
		s.fail("%s may not call %s for %s", service, arn, source)
		return
	}
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped {
		return
	}
	s.open.Add(1)
	go func() {
		defer s.open.Done()
		if _, err := s.invoke(context.Background(), f, event); err != nil {
			s.fail("%s failed at an event of %s: %v", f.id, source, err)
		}
	}()
}

func (s *Stack) fail(format string, args ...any) {
	s.faults.Lock()
	defer s.faults.Unlock()
	s.failed = append(s.failed, fmt.Sprintf(format, args...))
}

func (s *Stack) failures() []string {
	s.faults.Lock()
	defer s.faults.Unlock()
	return slices.Clone(s.failed)
}

// Settle waits until the functions that were called by events are done. What
// waits in queues is not waited for.
func (s *Stack) Settle() { s.open.Wait() }

// listen starts a poller for each queue that a function is called from.
func (s *Stack) listen() {
	ctx, stop := context.WithCancel(context.Background())
	s.wiring.stop = stop
	for _, source := range s.sources {
		f := s.function(textAt(source, "FunctionName"))
		queue := s.queueOf(textAt(source, "EventSourceArn"))
		if f == nil || queue == "" || textAt(source, "Enabled") == "false" {
			s.t.Fatalf("nothing can be made of the event source %v", source)
		}
		s.pollers.Add(1)
		go func() {
			defer s.pollers.Done()
			for ctx.Err() == nil {
				if err := s.poll(ctx, f, queue, source); err != nil && ctx.Err() == nil {
					s.fail("%s: %v", f.id, err)
					return
				}
			}
		}()
	}
}

func (s *Stack) queueOf(arn string) string {
	for _, id := range s.Of("AWS::SQS::Queue") {
		if s.resources[id].Attributes["Arn"] == arn {
			return s.resources[id].Ref
		}
	}
	return ""
}

func (s *Stack) stopListening() {
	s.open.Wait()
	if s.wiring.stop != nil {
		s.wiring.stop()
	}
	s.pollers.Wait()
}

// poll takes one batch from the queue to the function and deletes what did not
// fail (Lambda Developer Guide, "Using Lambda with Amazon SQS"): without
// ReportBatchItemFailures an answer means that all is done.
func (s *Stack) poll(ctx context.Context, f *function, queue string, source tree) error {
	client := sqs.NewFromConfig(s.Config())
	size := int32(10)
	if given, ok := source["BatchSize"].(float64); ok {
		size = int32(given)
	}
	got, err := client.ReceiveMessage(context.WithoutCancel(ctx), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(queue), MaxNumberOfMessages: size, WaitTimeSeconds: 1,
		MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
	})
	if err != nil || len(got.Messages) == 0 {
		return err
	}
	var batch events.SQSEvent
	receipts := map[string]string{}
	for _, m := range got.Messages {
		receipts[aws.ToString(m.MessageId)] = aws.ToString(m.ReceiptHandle)
		attributes := map[string]events.SQSMessageAttribute{}
		for name, attribute := range m.MessageAttributes {
			attributes[name] = events.SQSMessageAttribute{StringValue: attribute.StringValue, DataType: aws.ToString(attribute.DataType)}
		}
		batch.Records = append(batch.Records, events.SQSMessage{
			MessageAttributes: attributes,
			MessageId:         aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
			Attributes: m.Attributes, EventSource: "aws:sqs", EventSourceARN: textAt(source, "EventSourceArn"), AWSRegion: region,
		})
	}
	out, err := s.invoke(ctx, f, batch)
	if err != nil {
		return err // all of them come back
	}
	if slices.Contains(listAt(source, "FunctionResponseTypes"), any("ReportBatchItemFailures")) {
		var answer events.SQSEventResponse
		if err := json.Unmarshal(out, &answer); err != nil {
			return fmt.Errorf("the answer cannot be read: %w", err)
		}
		for _, failed := range answer.BatchItemFailures {
			if _, there := receipts[failed.ItemIdentifier]; !there {
				return fmt.Errorf("%q failed, which was not in the batch", failed.ItemIdentifier)
			}
			delete(receipts, failed.ItemIdentifier)
		}
	}
	var faults []error
	for _, receipt := range receipts {
		_, err := client.DeleteMessage(context.WithoutCancel(ctx), &sqs.DeleteMessageInput{QueueUrl: aws.String(queue), ReceiptHandle: aws.String(receipt)})
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
