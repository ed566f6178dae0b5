package inside

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

const (
	// many is how many leads at once no dealer's buyers send.
	many = 100
	// patience is how long a lead may wait, and recent how far back to look: the
	// longest pause between two tries is an hour.
	patience = 20 * time.Minute
	recent   = time.Hour
)

func (x *examination) queues(ctx context.Context) {
	if n, ok := x.depth(ctx, "inside.queue", "LeadQueue"); ok {
		if n > many {
			x.warn("inside.queue", "%d leads are in the queue", n)
		} else {
			x.pass("inside.queue", "%d leads are in the queue", n)
		}
	}
	x.waiting(ctx)
	if n, ok := x.depth(ctx, "inside.dead-letters", "LeadDeadLetters"); ok {
		if n > 0 {
			x.fail("inside.dead-letters", "%d leads are in the dead-letter queue", n)
		} else {
			x.pass("inside.dead-letters", "the dead-letter queue is empty")
		}
	}
}

// depth counts a queue's messages, those under way and delayed too.
func (x *examination) depth(ctx context.Context, id, logical string) (n int, ok bool) {
	url, ok := x.resource(id, logical)
	if !ok {
		return 0, false
	}
	names := []sqstypes.QueueAttributeName{
		sqstypes.QueueAttributeNameApproximateNumberOfMessages, sqstypes.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
		sqstypes.QueueAttributeNameApproximateNumberOfMessagesDelayed,
	}
	out, err := sqs.NewFromConfig(x.Config).GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(url), AttributeNames: names})
	if is(err, "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue") {
		x.fail(id, "the queue is gone")
		return 0, false
	}
	if x.troubled(id, "sqs:GetQueueAttributes", err) {
		return 0, false
	}
	for _, name := range names {
		one, _ := strconv.Atoi(out.Attributes[string(name)])
		n += one
	}
	return n, true
}

// waiting asks the queue and the worker itself: SQS leaves out of the age what
// came back a few times.
func (x *examination) waiting(ctx context.Context) {
	const id = "inside.waiting"
	client := cloudwatch.NewFromConfig(x.Config)
	var oldest time.Duration
	for _, m := range []struct{ namespace, metric, dimension, value string }{
		{"AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", lastPart(x.Resources["LeadQueue"])},
		{cloud.MetricsNamespace, "UndeliveredLeadAge", "Function", x.Resources["LeadWorkerFunction"]},
		{cloud.MetricsNamespace, "UndeliveredLeadAge", "Function", x.Resources["SweeperFunction"]},
	} {
		if m.value == "" {
			continue
		}
		out, err := client.GetMetricStatistics(ctx, &cloudwatch.GetMetricStatisticsInput{
			Namespace: aws.String(m.namespace), MetricName: aws.String(m.metric), Period: aws.Int32(int32(recent / time.Second)),
			Dimensions: []cwtypes.Dimension{{Name: aws.String(m.dimension), Value: aws.String(m.value)}},
			StartTime:  aws.Time(x.Now().Add(-recent)), EndTime: aws.Time(x.Now()), Statistics: []cwtypes.Statistic{cwtypes.StatisticMaximum},
		})
		if x.troubled(id, "cloudwatch:GetMetricStatistics", err) {
			return
		}
		for _, point := range out.Datapoints {
			oldest = max(oldest, time.Duration(aws.ToFloat64(point.Maximum)*float64(time.Second)))
		}
	}
	if oldest > patience {
		x.fail(id, "a lead waited for %s within the last hour", ago(oldest))
		return
	}
	x.pass(id, "at most %s within the last hour", ago(oldest))
}
