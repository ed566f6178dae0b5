package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// RosterPrefix is where publish notes each dealer that it published, as an
	// empty object roster/<dealer>/<host>.
	RosterPrefix = "roster/"
	// DealersPath begins the paths of dealers; the id follows.
	DealersPath = "/dealers/"
	// NoHost is the host of a dealer that has none of its own.
	NoHost = "-"
	// rosterAge is how long a list of the dealers is good.
	rosterAge = time.Minute
	// mostDealers bounds a list. It is far above what one stack can serve.
	mostDealers = 20_000
	// rosterTime bounds making a list; callers wait that long for the first one.
	rosterTime = 5 * time.Second
)

// RosterKey is the object that says that the dealer is published under the host.
func RosterKey(id, host string) string { return RosterPrefix + id + "/" + host }

// Roster says which dealers a stack serves, and under which hosts. It lists
// them anew at most once a minute, however many are asked for: who asks for
// dealers that are not there costs nothing and fills nothing.
type Roster struct {
	objects *s3.Client
	bucket  string
	now     func() time.Time

	turn sync.Mutex // held by who makes a list
	mu   sync.Mutex
	last *listed
}

type listed struct {
	at     time.Time
	ids    []string // sorted
	byHost map[string]string
}

// NewRoster lists what publish notes in the bucket.
func NewRoster(objects *s3.Client, bucket string, now func() time.Time) *Roster {
	return &Roster{objects: objects, bucket: bucket, now: now}
}

// All are the ids of all dealers, sorted. The list is not to be changed.
func (r *Roster) All(ctx context.Context) ([]string, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	return l.ids, nil
}

// Check returns ErrUnknownDealer for an id that no dealer has.
func (r *Roster) Check(ctx context.Context, id string) error {
	l, err := r.list(ctx)
	if err != nil {
		return err
	}
	if _, found := slices.BinarySearch(l.ids, id); !found {
		return ErrUnknownDealer
	}
	return nil
}

// CheckNow is Check for work that no caller from outside can bring about: a
// dealer that is not on the list may have come since, so it is made anew.
func (r *Roster) CheckNow(ctx context.Context, id string) error {
	began := r.now()
	err := r.Check(ctx, id)
	if !errors.Is(err, ErrUnknownDealer) || !dealerForm.MatchString(id) {
		return err
	}
	r.mu.Lock()
	if r.last != nil && r.last.at.Before(began) { // not one that another caller made or dropped meanwhile
		r.last = nil
	}
	r.mu.Unlock()
	return r.Check(ctx, id)
}

// ByHost is the dealer with that host name, in lower case, or ErrUnknownDealer.
func (r *Roster) ByHost(ctx context.Context, host string) (id string, err error) {
	l, err := r.list(ctx)
	if err != nil {
		return "", err
	}
	if id = l.byHost[host]; id == "" {
		return "", ErrUnknownDealer
	}
	return id, nil
}

// list is the list in force. While a new one is made, or cannot be, the old one
// stays in force.
func (r *Roster) list(ctx context.Context) (*listed, error) {
	last := r.held()
	if last != nil && (r.now().Sub(last.at) < rosterAge || !r.turn.TryLock()) {
		return last, nil
	}
	if last == nil {
		r.turn.Lock()
		if last = r.held(); last != nil {
			r.turn.Unlock()
			return last, nil
		}
	}
	defer r.turn.Unlock()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), rosterTime)
	defer cancel()
	fresh, err := r.read(bounded)
	if err != nil && last == nil {
		return nil, fmt.Errorf("list the dealers: %w", err)
	}
	if err != nil {
		fresh = &listed{at: r.now(), ids: last.ids, byHost: last.byHost}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = fresh
	return fresh, nil
}

func (r *Roster) held() *listed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// read lists the objects. Of two dealers that name one host, the one that was
// noted first has it.
func (r *Roster) read(ctx context.Context) (*listed, error) {
	l := &listed{at: r.now(), byHost: map[string]string{}}
	since := map[string]time.Time{}
	pages := s3.NewListObjectsV2Paginator(r.objects, &s3.ListObjectsV2Input{Bucket: aws.String(r.bucket), Prefix: aws.String(RosterPrefix)})
	for pages.HasMorePages() && len(l.ids) < mostDealers {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			id, host, ok := rosterEntry(aws.ToString(object.Key))
			if !ok {
				continue
			}
			l.ids = append(l.ids, id)
			noted := aws.ToTime(object.LastModified)
			if first, taken := since[host]; host != NoHost && (!taken || noted.Before(first)) {
				l.byHost[host], since[host] = id, noted
			}
		}
	}
	slices.Sort(l.ids)
	l.ids = slices.Compact(l.ids)
	return l, nil
}

func rosterEntry(key string) (id, host string, ok bool) {
	id, ok = DealerOfKey(RosterPrefix, key)
	host = strings.TrimPrefix(key, RosterPrefix+id+"/")
	return id, host, ok && host != "" && !strings.Contains(host, "/")
}
