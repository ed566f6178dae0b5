package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/config"
)

// OpenFor opens the stack for a person's command, with that person's own AWS
// rights and the settings given instead of a function's. An empty region is
// the environment's. It does not reach the network.
func OpenFor(ctx context.Context, settings Settings, region string) (*Stack, error) {
	var options []func(*config.LoadOptions) error
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, err
	}
	return NewStack(settings, cfg), nil
}
