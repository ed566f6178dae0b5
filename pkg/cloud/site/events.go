package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/cfn"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// answerTime is kept back for the answer to CloudFormation, which waits an hour
// for one that does not come.
const answerTime = 10 * time.Second

// Handle is the Lambda function. It is called when the profile object changes,
// on a schedule, and by CloudFormation as a custom resource, whose protocol is
// known by RequestType. A profile that is at fault or not there is no error,
// since repeating does not mend it.
func (p *Publisher) Handle(ctx context.Context, event json.RawMessage) error {
	var request cfn.Event
	if err := json.Unmarshal(event, &request); err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	if request.RequestType == "" {
		return p.publish(ctx)
	}
	_, err := cfn.LambdaWrap(p.resource)(ctx, request)
	return err
}

// resource publishes as a part of a deployment. A profile at fault must not
// fail that, or nothing could be deployed until the profile is mended, a
// roll-back included; the log and its alarm tell. Deleting leaves the files,
// which lie in a bucket that outlives the stack.
func (p *Publisher) resource(ctx context.Context, event cfn.Event) (string, map[string]any, error) {
	name := "s3://" + p.Bucket + "/.well-known"
	if event.RequestType == cfn.RequestDelete {
		return event.PhysicalResourceID, nil, nil
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerTime))
		defer cancel()
	}
	if starter := starterOf(event.ResourceProperties); starter.Name != "" && starter.Phone != "" {
		if err := p.Start(ctx, starter); err != nil {
			return name, nil, err
		}
	}
	err := p.publish(ctx)
	return name, nil, err
}

func starterOf(properties map[string]any) Starter {
	text := func(name string) string {
		value, _ := properties[name].(string)
		return value
	}
	return Starter{Name: text("DealerName"), Phone: text("DealerPhone"), Timezone: text("DealerTimezone")}
}

// publish is Publish without what repeating does not mend.
func (p *Publisher) publish(ctx context.Context) error {
	err := p.Publish(ctx)
	if errors.Is(err, ErrNoProfile) {
		p.Log.WarnContext(ctx, "nothing to publish yet", "error", err)
		return nil
	}
	if _, faulty := errors.AsType[*dealer.Faults](err); faulty {
		return nil
	}
	return err
}
