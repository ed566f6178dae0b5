package stacks

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
)

// Accounts opens accounts. Credentials of a role are asked for once and kept
// until they are about to end, for all regions.
type Accounts struct {
	own aws.Config

	mu    sync.Mutex
	roles map[Place]aws.CredentialsProvider
}

// Session names what a role does in the account's own records.
const Session = "dealer-fleet"

// Open reads the AWS configuration of the environment. It does not reach the network.
func Open(ctx context.Context) (*Accounts, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return NewAccounts(cfg), nil
}

// NewAccounts uses a configuration that is already there, as one's own rights.
func NewAccounts(cfg aws.Config) *Accounts {
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	return &Accounts{own: cfg, roles: map[Place]aws.CredentialsProvider{}}
}

// At opens a place. It does not reach the network.
func (a *Accounts) At(p Place) *Account {
	cfg := a.own.Copy()
	cfg.Region = p.Region
	if p.Role != "" {
		cfg.Credentials = a.role(p)
	}
	return &Account{
		place: p, config: cfg,
		formation: cloudformation.NewFromConfig(cfg), watch: cloudwatch.NewFromConfig(cfg),
		objects: s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = cfg.BaseEndpoint != nil }),
	}
}

func (a *Accounts) role(p Place) aws.CredentialsProvider {
	key := Place{Role: p.Role, ExternalID: p.ExternalID}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.roles[key] == nil {
		cfg := a.own.Copy()
		if cfg.Region == "" {
			cfg.Region = p.Region
		}
		// Many rooftops start at once, and asking for a role is harmless to repeat.
		cfg.Retryer = nil
		a.roles[key] = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), p.Role, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = Session
			if p.ExternalID != "" {
				o.ExternalID = aws.String(p.ExternalID)
			}
		}))
	}
	return a.roles[key]
}

// Account is an account in one region.
type Account struct {
	place     Place
	config    aws.Config
	formation *cloudformation.Client
	watch     *cloudwatch.Client
	objects   *s3.Client
}
