package inside

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
)

func (x *examination) alarms(ctx context.Context) {
	const id = "inside.alarms"
	logical := x.logical("Alarm")
	var faults, silent []string
	found := 0
	for some := range slices.Chunk(logical, 100) { // as many as one call takes
		names := make([]string, len(some))
		for i, name := range some {
			names[i] = x.Resources[name]
		}
		out, err := cloudwatch.NewFromConfig(x.Config).DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{AlarmNames: names})
		if x.troubled(id, "cloudwatch:DescribeAlarms", err) {
			x.topic(ctx)
			return
		}
		for _, a := range out.MetricAlarms {
			found++
			name := some[slices.Index(names, aws.ToString(a.AlarmName))]
			if a.StateValue == cwtypes.StateValueAlarm {
				faults = append(faults, name+": "+aws.ToString(a.AlarmDescription))
			}
			if !aws.ToBool(a.ActionsEnabled) || len(a.AlarmActions) == 0 {
				silent = append(silent, name)
			}
		}
	}
	switch {
	case found < len(logical) || found == 0:
		x.fail(id, "%d of the stack's %d alarms are there", found, len(logical))
	case len(faults) > 0:
		x.fail(id, "%s", strings.Join(faults, "; "))
	case len(silent) > 0:
		x.warn(id, "their actions are turned off: %s", strings.Join(silent, ", "))
	default:
		x.pass(id, "none of %d", found)
	}
	x.topic(ctx)
}

func (x *examination) topic(ctx context.Context) {
	const id = "inside.alarm-topic"
	arn, ok := x.resource(id, "AlarmTopic")
	if !ok {
		return
	}
	confirmed, waiting := 0, 0
	pages := sns.NewListSubscriptionsByTopicPaginator(sns.NewFromConfig(x.Config), &sns.ListSubscriptionsByTopicInput{TopicArn: aws.String(arn)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if is(err, "NotFound", "NotFoundException") {
			x.fail(id, "the topic is gone")
			return
		}
		if x.troubled(id, "sns:ListSubscriptionsByTopic", err) {
			return
		}
		for _, s := range page.Subscriptions {
			if strings.HasPrefix(aws.ToString(s.SubscriptionArn), "arn:") {
				confirmed++
			} else {
				waiting++
			}
		}
	}
	switch {
	case confirmed > 0:
		x.pass(id, "%d confirmed subscriptions", confirmed)
	case waiting > 0:
		x.fail(id, "%d subscriptions wait to be confirmed, and none is", waiting)
	default:
		x.fail(id, "nobody is subscribed")
	}
}
