package pickup

import (
	"context"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Secrets resolves secret references of the dealer profile.
type Secrets interface {
	// Read returns the secret. Its errors hold the reference, never a value.
	Read(ctx context.Context, ref string) (string, error)
	// Forget makes the next Read ask the source of secrets: the value was refused.
	Forget(ref string)
}

// resolve returns value, or the secret it refers to.
func resolve(ctx context.Context, secrets Secrets, value string) (string, error) {
	if !dealer.IsSecret(value) {
		return value, nil
	}
	secret, err := secrets.Read(ctx, value)
	if err != nil {
		return "", &Fault{Reason: "the secret " + value + " cannot be read; see that it is there and that this process may read it", Cause: err}
	}
	return secret, nil
}
