package cloud

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	ststypes "github.com/aws/aws-sdk-go-v2/service/sts/types"
)

var (
	// ErrNoDealer: in a stack of many dealers, work that says of no dealer whose
	// it is may touch nobody's data.
	ErrNoDealer = errors.New("the work does not say which dealer it is for")
	// ErrUnknownDealer: no profile of that dealer was published.
	ErrUnknownDealer = errors.New("no dealer of this stack")
)

// dealerTag is the session tag that the dealers' roles compare with keys.
const dealerTag = "dealer"

// dealerForm is a dealer id. It has neither "#" nor "*", so that no id is the
// beginning of another's keys and none is a pattern in a policy.
var dealerForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

type dealerKey struct{}

// ForDealer makes the work under the context that of one dealer: in a stack of
// many, the stores reach that dealer's keys and no others, whatever they are
// asked for.
func ForDealer(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, dealerKey{}, id)
}

// DealerOf is whose work it is; false in a stack of one dealer.
func DealerOf(ctx context.Context) (id string, ok bool) {
	id, ok = ctx.Value(dealerKey{}).(string)
	return id, ok
}

// dealerCredentials are those of the role of one dealer: the one of the
// context, whose id is the session's tag. Each session is kept until five
// minutes before its end, and the sessions longest not used are forgotten.
type dealerCredentials struct {
	sessions *Tenants[*aws.CredentialsCache]
}

const (
	// sessionLength is the longest that a role may give to another one.
	sessionLength = time.Hour
	renewBefore   = 5 * time.Minute
	// mostSessions bounds the sessions kept, at some 3 KB each.
	mostSessions = 1000
)

func newDealerCredentials(cfg aws.Config, role string) *dealerCredentials {
	client := sync.OnceValue(func() *sts.Client { return sts.NewFromConfig(cfg) })
	open := func(id string) *aws.CredentialsCache {
		provider := stscreds.NewAssumeRoleProvider(client(), role, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName, o.Duration = "@"+id, sessionLength
			o.Tags = []ststypes.Tag{{Key: aws.String(dealerTag), Value: aws.String(id)}}
		})
		return aws.NewCredentialsCache(provider, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = renewBefore })
	}
	return &dealerCredentials{NewTenants(mostSessions, open, func(*aws.CredentialsCache) int { return 1 })}
}

// Retrieve gives the credentials of the context's dealer.
func (c *dealerCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	id, ok := DealerOf(ctx)
	if !ok {
		return aws.Credentials{}, ErrNoDealer
	}
	if !dealerForm.MatchString(id) {
		return aws.Credentials{}, fmt.Errorf("%w: the id is not well formed", ErrUnknownDealer)
	}
	return c.sessions.Of(id).Retrieve(ctx)
}

// DealerOfKey is the dealer whose object it is: the first segment below the
// prefix, which ends in a slash. False where that is no dealer id.
func DealerOfKey(prefix, key string) (id string, ok bool) {
	rest, below := strings.CutPrefix(key, prefix)
	id, _, inside := strings.Cut(rest, "/")
	return id, below && inside && dealerForm.MatchString(id)
}
