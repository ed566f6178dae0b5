package cloud

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Queue is lead.Queue on SQS. A message's body is the lead id and nothing else.
type Queue struct {
	client *sqs.Client
	url    string
}

var _ lead.Queue = (*Queue)(nil)

// NewQueue sends to the queue at url.
func NewQueue(client *sqs.Client, url string) *Queue { return &Queue{client, url} }

// Enqueue returns when SQS has taken the id.
func (q *Queue) Enqueue(ctx context.Context, leadID string) error {
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(q.url), MessageBody: aws.String(leadID)})
	if err != nil {
		return fmt.Errorf("lead %s was not queued: %w", leadID, err)
	}
	return nil
}
