package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/cfn"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// answerTime is kept back for the answer to CloudFormation, which waits an hour
// for one that does not come.
const answerTime = 10 * time.Second

// publisher is what events call: for one dealer, or for many.
type publisher interface {
	// changed publishes anew for the profile that lies at the key, or all where
	// there is none.
	changed(ctx context.Context, key string) error
	// deployed publishes with a deployment, which knows these properties.
	deployed(ctx context.Context, properties map[string]any) error
	// place names what a deployment publishes.
	place() string
}

// handler is the Lambda function for the publisher. It is called when the profile object changes,
// on a schedule, and by CloudFormation as a custom resource, whose protocol is
// known by RequestType. A profile that is at fault or not there is no error,
// since repeating does not mend it.
func handler(p publisher) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, event json.RawMessage) error {
		var request struct {
			cfn.Event
			Detail struct {
				Object struct {
					Key string `json:"key"`
				} `json:"object"`
			} `json:"detail"`
		}
		if err := json.Unmarshal(event, &request); err != nil {
			return fmt.Errorf("read the event: %w", err)
		}
		if request.RequestType == "" {
			return p.changed(ctx, request.Detail.Object.Key)
		}
		_, err := cfn.LambdaWrap(func(ctx context.Context, event cfn.Event) (string, map[string]any, error) {
			return resource(ctx, p, event)
		})(ctx, request.Event)
		return err
	}
}

// Handler is the Lambda function that publishes the stack's dealer, or its dealers.
func Handler(stack *cloud.Stack) func(context.Context, json.RawMessage) error {
	if stack.Settings.Pooled() {
		return handler(poolOf(stack, stack.Log(), stack.Metrics().Published))
	}
	p := Of(stack, "", stack.Log())
	p.OnPublish = stack.Metrics().Published
	return p.Handle
}

// Of publishes the stack's dealer. The id counts where the stack serves many
// dealers; each is published and noted as the stack's own function does it.
func Of(stack *cloud.Stack, id string, log *slog.Logger) *Publisher {
	s := stack.Settings
	if s.Pooled() {
		return poolOf(stack, log, nil).publisher(id)
	}
	return &Publisher{Objects: stack.Objects(), Bucket: s.ProfileBucket, ProfileKey: s.ProfileKey, URL: s.URL, Log: log}
}

func poolOf(stack *cloud.Stack, log *slog.Logger, onPublish func(result string, files int, took time.Duration)) *pool {
	s := stack.Settings
	fresh := func() *cloud.Roster { return cloud.NewRoster(stack.Objects(), s.ProfileBucket, time.Now) }
	return &pool{objects: stack.Objects(), settings: s, roster: fresh, log: log, onPublish: onPublish}
}

// Handle is the Lambda function where there is one dealer.
func (p *Publisher) Handle(ctx context.Context, event json.RawMessage) error {
	return handler(p)(ctx, event)
}

// resource publishes as a part of a deployment. A profile at fault must not
// fail that, or nothing could be deployed until the profile is mended, a
// roll-back included; the log and its alarm tell. Deleting leaves the files,
// which lie in a bucket that outlives the stack.
func resource(ctx context.Context, p publisher, event cfn.Event) (string, map[string]any, error) {
	if event.RequestType == cfn.RequestDelete {
		return event.PhysicalResourceID, nil, nil
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerTime))
		defer cancel()
	}
	return p.place(), nil, p.deployed(ctx, event.ResourceProperties)
}

func (p *Publisher) place() string { return "s3://" + p.Bucket + "/.well-known" }

func (p *Publisher) changed(ctx context.Context, _ string) error { return p.publish(ctx) }

func (p *Publisher) deployed(ctx context.Context, properties map[string]any) error {
	if starter := starterOf(properties); starter.Name != "" && starter.Phone != "" {
		if err := p.Start(ctx, starter); err != nil {
			return err
		}
	}
	return p.publish(ctx)
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
		p.Log.WarnContext(ctx, "nothing to publish yet", p.profile(), "error", err)
		return nil
	}
	if _, faulty := errors.AsType[*dealer.Faults](err); faulty {
		return nil
	}
	return err
}
