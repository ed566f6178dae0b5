// Package targets is what AWS adds to the delivery of leads: targets of type
// ses and s3, and secrets in Systems Manager and Secrets Manager. It is apart
// from package cloud so that the functions before buyers load none of it.
package targets

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Equip gives the worker the transports and secrets of AWS, beside those it
// has. It does not reach the network. It is called before the worker's first
// Handle. Of the schemes of secrets only those named are read; none named is all.
func Equip(w *crm.Worker, cfg aws.Config, schemes ...string) {
	if w.Transports == nil {
		w.Transports = map[string]crm.Opener{}
	}
	w.Transports[dealer.TargetSES] = openSES(cfg)
	w.Transports[dealer.TargetS3] = openS3(cfg)
	sources := map[string]crm.Source{"env": crm.Environment, "ssm": parameters(cfg), "secretsmanager": secrets(cfg)}
	if len(schemes) > 0 {
		maps.DeleteFunc(sources, func(scheme string, _ crm.Source) bool { return !slices.Contains(schemes, scheme) })
	}
	w.Secrets = &crm.SecretCache{Now: w.Now, Sources: sources}
}

// EquipHere is Equip with the machine's own AWS configuration (environment or
// shared files); without a region in it AWS is not configured, and nothing
// changes.
func EquipHere(ctx context.Context, w *crm.Worker) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("the AWS configuration of this machine cannot be read; mend it, or unset AWS_PROFILE: %w", err)
	}
	if cfg.Region != "" {
		Equip(w, cfg)
	}
	return nil
}
