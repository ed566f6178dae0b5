package cloud

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Stack gives a function its stores and queues. Clients are made when first
// asked for, which keeps the start short.
type Stack struct {
	Settings Settings

	config aws.Config
	dynamo func() *dynamodb.Client
	object func() *s3.Client
}

// Open reads the settings of the function and the AWS configuration of the
// environment. It does not reach the network.
func Open(ctx context.Context, f Function, lookup func(string) (string, bool)) (*Stack, error) {
	settings, err := ReadSettings(f, lookup)
	if err != nil {
		return nil, err
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	return NewStack(settings, cfg), nil
}

// NewStack uses a configuration that is already there.
func NewStack(settings Settings, cfg aws.Config) *Stack {
	return &Stack{
		Settings: settings, config: cfg,
		dynamo: sync.OnceValue(func() *dynamodb.Client { return dynamodb.NewFromConfig(cfg) }),
		object: sync.OnceValue(func() *s3.Client {
			return s3.NewFromConfig(cfg, func(o *s3.Options) {
				// Emulators serve buckets by path; AWS ignores this without
				// an endpoint of one's own.
				o.UsePathStyle = cfg.BaseEndpoint != nil
			})
		}),
	}
}

// Inventory is the store of vehicles.
func (s *Stack) Inventory() inventory.Store {
	return NewInventory(s.dynamo(), s.Settings.InventoryTable)
}

// Leads is the store of leads.
func (s *Stack) Leads() lead.Store { return NewLeads(s.dynamo(), s.Settings.LeadsTable) }

// Queue is the queue of leads to hand over.
func (s *Stack) Queue() *Queue {
	return NewQueue(sqs.NewFromConfig(s.config), s.Settings.QueueURL)
}

// Config is the AWS configuration, for clients that only some functions need.
func (s *Stack) Config() aws.Config { return s.config }

// Objects is the S3 client.
func (s *Stack) Objects() *s3.Client { return s.object() }

// LogProfile is what the log says when a new profile cannot be used and the
// last good one stays; an alarm matches these words.
const LogProfile = "dealer profile refused"

// Profiles is the dealer profile in S3, asked for at most once each
// ProfileMaxAge. A version that cannot be used is logged as LogProfile.
func (s *Stack) Profiles(log *slog.Logger) dealer.Source {
	origin := NewOrigin(s.object(), s.Settings.ProfileBucket, s.Settings.ProfileKey)
	return dealer.NewCache(origin, s.Settings.ProfileMaxAge, time.Now, func(ctx context.Context, err error) {
		log.ErrorContext(ctx, LogProfile, "error", err)
	})
}

// Log writes to the function's log.
func (s *Stack) Log() *slog.Logger { return NewLogger(os.Stderr, s.Settings.LogLevel) }
