package targets

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Direct reads the secrets of Systems Manager and Secrets Manager, each time
// anew and with the rights of the context, so that nobody gets what another one
// read. The environment is not read: it holds the rights of the function, which
// must go to no address that a profile names.
type Direct struct{ sources map[string]crm.Source }

// NewDirect does not reach the network.
func NewDirect(cfg aws.Config) Direct {
	return Direct{map[string]crm.Source{"ssm": parameters(cfg), "secretsmanager": secrets(cfg)}}
}

// Read returns the secret. Its errors hold the reference, never a value.
func (d Direct) Read(ctx context.Context, ref string) (string, error) {
	scheme, name, _ := dealer.SplitSecret(ref)
	source, ok := d.sources[scheme]
	if !ok {
		return "", fmt.Errorf("%w: %s cannot be read on AWS, only ssm and secretsmanager", crm.ErrNoSource, ref)
	}
	value, err := source(ctx, name)
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", ref, err)
	}
	return value, nil
}

// Forget has nothing to forget.
func (Direct) Forget(string) {}
