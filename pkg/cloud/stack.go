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

	// config has the rights to the data: the function's own, or in a stack of
	// many dealers those of the dealer of the context. own are the function's.
	config, own aws.Config
	dynamo      func() *dynamodb.Client
	object      func() *s3.Client
	roster      func() *Roster
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
	own := cfg
	if settings.DealerRole != "" {
		cfg.Credentials = newDealerCredentials(own, settings.DealerRole)
	}
	return &Stack{
		Settings: settings, config: cfg, own: own,
		dynamo: sync.OnceValue(func() *dynamodb.Client { return dynamodb.NewFromConfig(cfg) }),
		object: sync.OnceValue(func() *s3.Client { return objectsOf(cfg) }),
		roster: sync.OnceValue(func() *Roster { return NewRoster(objectsOf(own), settings.ProfileBucket, time.Now) }),
	}
}

func objectsOf(cfg aws.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		// Emulators serve buckets by path; AWS ignores this without
		// an endpoint of one's own.
		o.UsePathStyle = cfg.BaseEndpoint != nil
	})
}

// Inventory is the store of vehicles.
func (s *Stack) Inventory() inventory.Store {
	return NewInventory(s.dynamo(), s.Settings.InventoryTable)
}

// Pickups is the store of what is known of feed sources.
func (s *Stack) Pickups() *Pickups { return NewPickups(s.dynamo(), s.Settings.InventoryTable) }

// Leads is the store of leads.
func (s *Stack) Leads() lead.Store { return NewLeads(s.dynamo(), s.Settings.LeadsTable) }

// Queue is the queue of leads to hand over.
func (s *Stack) Queue() *Queue {
	return NewQueue(sqs.NewFromConfig(s.own), s.Settings.QueueURL)
}

// Config is the AWS configuration, for clients that only some functions need. In
// a stack of many dealers its rights are those of the context's dealer.
func (s *Stack) Config() aws.Config { return s.config }

// Objects is the S3 client; its rights are those of Config.
func (s *Stack) Objects() *s3.Client { return s.object() }

// Roster says which dealers there are, where there are many.
func (s *Stack) Roster() *Roster { return s.roster() }

// LogProfile is what the log says when a new profile cannot be used and the
// last good one stays; an alarm matches these words.
const LogProfile = "dealer profile refused"

// Profiles is the dealer profile in S3, asked for at most once each
// ProfileMaxAge. A version that cannot be used is logged as LogProfile. In a
// stack of many dealers it is that of the context's dealer.
func (s *Stack) Profiles(log *slog.Logger) dealer.Source {
	if s.Settings.Pooled() {
		return newPooledProfiles(s, log)
	}
	return s.cached(NewOrigin(s.object(), s.Settings.ProfileBucket, s.Settings.ProfileKey), log)
}

func (s *Stack) cached(origin dealer.Origin, log *slog.Logger) *dealer.Cache {
	return dealer.NewCache(origin, s.Settings.ProfileMaxAge, time.Now, func(ctx context.Context, err error) {
		log.ErrorContext(ctx, LogProfile, "error", err)
	})
}

// Log writes to the function's log.
func (s *Stack) Log() *slog.Logger { return NewLogger(os.Stderr, s.Settings.LogLevel) }
