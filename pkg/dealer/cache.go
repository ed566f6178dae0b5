package dealer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// fetchTimeout bounds one fetch; it outlives the call that began it, because
// other calls wait for the same one.
const fetchTimeout = 10 * time.Second

// Cache is a Source that keeps the profile of an Origin and looks for a new
// version when the one it has is older than its time to live. A version that
// cannot be read or has faults never replaces a good one.
type Cache struct {
	origin Origin
	ttl    time.Duration
	now    func() time.Time
	onBad  func(context.Context, error)

	mu      sync.Mutex
	good    *Profile
	tag     string    // of the last document seen, good or bad
	bad     error     // what is wrong with that document
	outage  bool      // the last fetch failed
	checked time.Time // when a fetch last ended
	flight  *flight
}

// flight is a fetch under way.
type flight struct {
	done    chan struct{}
	profile *Profile
	err     error
}

// NewCache makes a Cache. onBad is told once of each bad version, whose error
// holds a *Faults, and once of each run of failing fetches; it may be nil. Until a
// first good version was loaded, Profile returns the error and the next call
// tries again.
func NewCache(o Origin, ttl time.Duration, now func() time.Time, onBad func(context.Context, error)) *Cache {
	return &Cache{origin: o, ttl: ttl, now: now, onBad: onBad}
}

// Profile returns the profile in force. One call that finds it too old waits
// for the fetch; calls meanwhile get the last good one, or wait for the same
// fetch when there is none yet. It must not be changed by the caller.
func (c *Cache) Profile(ctx context.Context) (*Profile, error) {
	c.mu.Lock()
	last := c.good
	if last != nil && (c.flight != nil || c.now().Sub(c.checked) < c.ttl) {
		c.mu.Unlock()
		return last, nil
	}
	f := c.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		c.flight = f
		go c.fly(context.WithoutCancel(ctx), f, c.tag)
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.profile, f.err
	case <-ctx.Done():
		if last != nil {
			return last, nil
		}
		return nil, ctx.Err()
	}
}

// fly fetches once and lands the outcome.
func (c *Cache) fly(ctx context.Context, f *flight, tag string) {
	bounded, cancel := context.WithTimeout(ctx, fetchTimeout)
	doc, err := c.origin.Fetch(bounded, tag)
	cancel()
	var fresh *Profile
	if err == nil && (doc.Tag != tag || tag == "") {
		fresh, err = c.parse(doc)
		c.land(ctx, f, doc.Tag, fresh, err, false)
		return
	}
	if err == nil || errors.Is(err, ErrNotModified) {
		c.land(ctx, f, tag, nil, nil, false)
		return
	}
	c.land(ctx, f, tag, nil, fmt.Errorf("fetch the dealer profile: %w", err), true)
}

func (c *Cache) parse(doc Document) (*Profile, error) {
	p, err := Parse(doc.Body)
	if err != nil {
		if faults, ok := errors.AsType[*Faults](err); ok {
			if named, ok := c.origin.(fmt.Stringer); ok {
				faults.Document = named.String()
			}
		}
		return nil, err
	}
	p.Modified = doc.Modified
	return p, nil
}

// land stores the outcome of a fetch and wakes who waits for it.
func (c *Cache) land(ctx context.Context, f *flight, tag string, fresh *Profile, err error, failed bool) {
	c.mu.Lock()
	tell := err != nil && !(failed && c.outage)
	c.outage = failed
	switch {
	case failed:
	case fresh != nil:
		c.good, c.tag, c.bad = fresh, tag, nil
	case err != nil:
		tell = tell && (tag != c.tag || c.bad == nil)
		c.tag, c.bad = tag, err
	}
	c.checked, c.flight = c.now(), nil
	if f.profile = c.good; f.profile == nil {
		if f.err = err; f.err == nil {
			f.err = c.bad
		}
		if f.err == nil {
			f.err = errors.New("the profile's origin says not modified before it gave one")
		}
	}
	c.mu.Unlock()
	if tell && c.onBad != nil {
		c.onBad(ctx, err)
	}
	close(f.done)
}
