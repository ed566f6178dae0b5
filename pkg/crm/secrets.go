package crm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// ErrNoSource: the process cannot read secrets of that scheme at all.
var ErrNoSource = errors.New("no source of such secrets")

// Secrets resolves secret references of the dealer profile.
type Secrets interface {
	// Read returns the secret. Its errors hold the reference, never a value.
	Read(ctx context.Context, ref string) (string, error)
	// Forget makes the next Read ask the source: a receiver refused the value.
	Forget(ref string)
}

// Source reads one scheme's secrets by name, the reference without the scheme.
type Source func(ctx context.Context, name string) (string, error)

// SecretCache keeps each secret for some minutes. It is safe for concurrent
// use; the fields are set before the first call.
type SecretCache struct {
	// Sources are by scheme: env, ssm, secretsmanager.
	Sources map[string]Source
	// TTL is how long a value is used without asking. Default 5m.
	TTL time.Duration
	// Now defaults to time.Now.
	Now func() time.Time

	mu   sync.Mutex
	kept map[string]keptSecret
}

type keptSecret struct {
	value string
	until time.Time
}

var _ Secrets = (*SecretCache)(nil)

// Read asks the source when nothing fresh is kept. Failures are not kept.
func (c *SecretCache) Read(ctx context.Context, ref string) (string, error) {
	now := time.Now()
	if c.Now != nil {
		now = c.Now()
	}
	c.mu.Lock()
	kept, ok := c.kept[ref]
	c.mu.Unlock()
	if ok && now.Before(kept.until) {
		return kept.value, nil
	}
	scheme, name, _ := dealer.SplitSecret(ref)
	source, ok := c.Sources[scheme]
	if !ok {
		return "", fmt.Errorf("%w: %s cannot be read here, only %s", ErrNoSource, ref, schemes(c.Sources))
	}
	value, err := source(ctx, name)
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", ref, err)
	}
	ttl := c.TTL
	if ttl <= 0 {
		ttl = 5 * time.Minute
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]keptSecret{}
	}
	c.kept[ref] = keptSecret{value, now.Add(ttl)}
	return value, nil
}

// Forget drops what is kept.
func (c *SecretCache) Forget(ref string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, ref)
}

func schemes(sources map[string]Source) string {
	return strings.Join(slices.Sorted(maps.Keys(sources)), ", ")
}

// Environment is the Source of env: the process environment.
func Environment(_ context.Context, name string) (string, error) {
	value, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	return value, nil
}

// resolve returns value, or the secret it refers to.
func (s Setup) resolve(ctx context.Context, value string) (string, error) {
	if !dealer.IsSecret(value) {
		return value, nil
	}
	secret, err := s.Secrets.Read(ctx, value)
	if err != nil {
		reason := "the secret " + value + " cannot be read"
		if errors.Is(err, ErrNoSource) {
			reason += " here"
		}
		return "", &Failure{Reason: reason, Cause: err}
	}
	return secret, nil
}
