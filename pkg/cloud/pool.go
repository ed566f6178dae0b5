package cloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// profilesPrefix is where the template has the profiles of many dealers.
const profilesPrefix = "dealers/"

// PooledProfile is the name of a dealer's profile below the dealer's prefix.
const PooledProfile = "dealer.yaml"

// ProfileKeyOf is where the profile of one dealer of many lies.
func (s Settings) ProfileKeyOf(id string) string { return s.ProfileKey + id + "/" + PooledProfile }

const (
	// profileWeight is what a parsed profile takes, in bytes of its document.
	profileWeight = 8
	// warmProfiles bounds the profiles kept, in bytes of memory: some 1,000
	// documents of 8 KB.
	warmProfiles = 64 << 20
)

// DealerProfile is the profile of one dealer of many, and how much memory it takes.
type DealerProfile struct {
	dealer.Source
	document atomic.Int64
}

// Weight is in bytes of memory.
func (p *DealerProfile) Weight() int { return 4<<10 + profileWeight*int(p.document.Load()) }

// DealerProfile reads the profile of one dealer. Its contexts are to be that
// dealer's.
func (s *Stack) DealerProfile(id string, log *slog.Logger) *DealerProfile {
	p := &DealerProfile{}
	origin := &pooledOrigin{NewOrigin(s.object(), s.Settings.ProfileBucket, s.Settings.ProfileKeyOf(id)), id, &p.document}
	p.Source = s.cached(origin, log)
	return p
}

// pooledOrigin refuses a profile that lies at one dealer's place and says that
// it is another's: the id in it names the storage keys.
type pooledOrigin struct {
	*Origin
	id       string
	document *atomic.Int64
}

// Fetch is that of Origin.
func (o *pooledOrigin) Fetch(ctx context.Context, tag string) (dealer.Document, error) {
	document, err := o.Origin.Fetch(ctx, tag)
	if err != nil {
		return document, err
	}
	if p, err := dealer.Parse(document.Body); err == nil && p.ID != o.id {
		return dealer.Document{}, fmt.Errorf("profile %s: its id is %s; a profile lies below its own id", o, p.ID)
	}
	o.document.Store(int64(len(document.Body)))
	return document, nil
}

// pooledProfiles is the profile of the context's dealer.
type pooledProfiles struct {
	tenants *Tenants[*DealerProfile]
}

func newPooledProfiles(s *Stack, log *slog.Logger) pooledProfiles {
	open := func(id string) *DealerProfile { return s.DealerProfile(id, log) }
	return pooledProfiles{NewTenants(warmProfiles, open, (*DealerProfile).Weight)}
}

// Profile is that of the context's dealer.
func (p pooledProfiles) Profile(ctx context.Context) (*dealer.Profile, error) {
	id, ok := DealerOf(ctx)
	if !ok {
		return nil, ErrNoDealer
	}
	return p.tenants.Of(id).Profile(ctx)
}

// mostWorkers bounds the dealers whose workers an instance keeps, each with its
// secrets and connections.
const mostWorkers = 200

// PerDealer handles leads by what open makes: once at the start where there is
// one dealer, and one of many dealers has its own, which shares no cache of
// secrets with another's.
func PerDealer[T interface {
	Handle(ctx context.Context, leadID string) error
}](s *Stack, open func() T) func(ctx context.Context, leadID string) error {
	if !s.Settings.Pooled() {
		return open().Handle
	}
	tenants := NewTenants(mostWorkers, func(string) T { return open() }, func(T) int { return 1 })
	return func(ctx context.Context, leadID string) error {
		id, ok := DealerOf(ctx)
		if !ok {
			return ErrNoDealer
		}
		return tenants.Of(id).Handle(ctx, leadID)
	}
}

// Admit is what a Deliverer asks before each message where there are many
// dealers; nil where there is one. A dealer has HandOversPerDealer places over
// all instances: a message that finds none comes back later, so that the leads
// of a dealer whose CRM is slow or dead never hold the workers of all.
func (s *Stack) Admit() func(context.Context, events.SQSMessage) (context.Context, func(), error) {
	if !s.Settings.Pooled() {
		return nil
	}
	places := newPlaces(newTable(s.dynamo(), s.Settings.LeadsTable), s.Settings.HandOversPerDealer)
	return func(ctx context.Context, m events.SQSMessage) (context.Context, func(), error) {
		id := ""
		if of := m.MessageAttributes[dealerTag].StringValue; of != nil {
			id = *of
		}
		if err := s.roster().CheckNow(ctx, id); err != nil {
			return nil, nil, fmt.Errorf("lead %s: %w", m.Body, err)
		}
		ctx = ForDealer(ctx, id)
		leave, err := places.enter(ctx, id)
		return ctx, leave, err
	}
}

// FeedOf is what feed events ask of each object's key where there are many
// dealers, nil where there is one: the dealer whose folder it lies in, the first
// one below prefix.
func (s *Stack) FeedOf(prefix string) func(context.Context, string) (context.Context, error) {
	if !s.Settings.Pooled() {
		return nil
	}
	return func(ctx context.Context, key string) (context.Context, error) {
		id, ok := DealerOfKey(prefix, key)
		if !ok {
			return nil, fmt.Errorf("%w: the feed lies in no dealer's folder", ErrUnknownDealer)
		}
		if err := s.roster().CheckNow(ctx, id); err != nil {
			return nil, err
		}
		return ForDealer(ctx, id), nil
	}
}

// DealerOfProfile is the dealer whose profile lies at the key; false for other keys.
func (s Settings) DealerOfProfile(key string) (id string, ok bool) {
	id, ok = DealerOfKey(s.ProfileKey, key)
	return id, ok && strings.TrimPrefix(key, s.ProfileKey+id+"/") == PooledProfile
}

// errNoPlace: as many leads of the dealer as may are being handed over.
var errNoPlace = errors.New("other leads of the dealer are being handed over")
