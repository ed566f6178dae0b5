package cloud

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Queue is lead.Queue on SQS. A message's body is the lead id and nothing else.
// In a stack of many dealers an attribute says whose the lead is, and so does
// the group, by which SQS keeps the leads of one dealer from delaying others'.
type Queue struct {
	client *sqs.Client
	url    string
}

var _ lead.Queue = (*Queue)(nil)

// NewQueue sends to the queue at url.
func NewQueue(client *sqs.Client, url string) *Queue { return &Queue{client, url} }

// Enqueue returns when SQS has taken the id.
func (q *Queue) Enqueue(ctx context.Context, leadID string) error {
	in := &sqs.SendMessageInput{QueueUrl: aws.String(q.url), MessageBody: aws.String(leadID)}
	if id, ok := DealerOf(ctx); ok {
		in.MessageGroupId = aws.String(id)
		in.MessageAttributes = map[string]types.MessageAttributeValue{dealerTag: {DataType: aws.String("String"), StringValue: aws.String(id)}}
	}
	_, err := q.client.SendMessage(ctx, in)
	if err != nil {
		return fmt.Errorf("lead %s was not queued: %w", leadID, err)
	}
	return nil
}

// Hold keeps a received message from other workers for that long from now, in
// whole seconds, rounded up; zero brings it back at once.
func (q *Queue) Hold(ctx context.Context, receipt string, d time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: aws.String(q.url), ReceiptHandle: aws.String(receipt),
		VisibilityTimeout: int32((d + time.Second - 1) / time.Second), //nolint:gosec // bounded by longestPause
	})
	return err
}
