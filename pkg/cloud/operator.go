package cloud

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/logging"
)

// OpenFor opens the stack for a person's command, with that person's own AWS
// rights and the settings given instead of a function's. An empty region is
// the environment's. It looks whether there is a region and credentials, and
// returns ErrNoAccess without.
func OpenFor(ctx context.Context, settings Settings, region string) (*Stack, error) {
	var options []func(*config.LoadOptions) error
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	// A person is told in one sentence, not by the client's own log.
	cfg, err := config.LoadDefaultConfig(ctx, append(options, config.WithLogger(logging.Nop{}))...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoAccess, err)
	}
	if err := identified(ctx, cfg); err != nil {
		return nil, err
	}
	return NewStack(settings, cfg), nil
}
