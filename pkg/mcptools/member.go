package mcptools

import (
	"context"
	"net/url"
	"sync"
	"time"
)

// member is one dealer of a network.
type member struct {
	Dealer
	network *network

	mu      sync.Mutex
	offer   *offer        // nil until found
	finding chan struct{} // closed when the look under way ends; nil when there is none
	err     error         // of the last look
	looked  time.Time
}

// lookPause is how long a dealer that was not found is left alone.
const lookPause = 2 * time.Second

// title is how people and models are told of the dealer.
func (m *member) title() string {
	if m.Alias == "" {
		return m.place()
	}
	return m.Alias
}

// place is the host of the dealer's address.
func (m *member) place() string {
	if u, err := url.Parse(m.Address); err == nil && u.Host != "" {
		return u.Host
	}
	return m.Address
}

// known is the dealer's offer, nil when it was not found yet.
func (m *member) known() *offer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offer
}

// find gives the dealer's offer. It looks for the dealer unless it was found;
// who comes meanwhile waits for the same look.
func (m *member) find(ctx context.Context) (*offer, error) {
	m.mu.Lock()
	switch {
	case m.offer != nil:
		defer m.mu.Unlock()
		return m.offer, nil
	case m.finding == nil && m.err != nil && time.Since(m.looked) < lookPause:
		defer m.mu.Unlock()
		return nil, m.err
	case m.finding == nil:
		m.finding = make(chan struct{})
		go m.look(context.WithoutCancel(ctx), m.finding)
	}
	finding := m.finding
	m.mu.Unlock()
	select {
	case <-finding:
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.offer, m.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// look asks Find once. A look goes on for those who come later when whoever
// began it has left.
func (m *member) look(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, m.network.deadline)
	defer cancel()
	o, err := m.ask(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offer, m.err, m.looked, m.finding = o, err, time.Now(), nil
	close(done)
}

// longestName is the most of a card's name that is shown.
const longestName = 60

// nameOf is the dealer's name for forms and consents, which people read: the
// card's, if it has one, on one short line.
func (m *member) nameOf(f *Found) string {
	if name := plain(f.Name, longestName); name != "" {
		return name
	}
	return m.place()
}

func (m *member) ask(ctx context.Context) (o *offer, err error) {
	defer func() {
		if v := recover(); v != nil {
			o, err = nil, recovered(v)
		}
	}()
	found, err := m.Find(ctx)
	if err != nil {
		m.network.Log.InfoContext(ctx, "dealer not found", "dealer", m.title(), "reason", reasonOf(ctx, err), "cause", causeOf(err))
		return nil, err
	}
	offered := offer{
		name: m.nameOf(found), address: m.Address, endpoint: found.Endpoint, now: found.Now,
		alias: m.Alias, version: found.Version, skills: found.Skills, agent: found.Agent,
	}
	if m.Alias != "" {
		offered.prefix = m.Alias + aliasEnd
	}
	if err := m.network.register(m.network.server, offered); err != nil {
		return nil, err
	}
	m.network.Log.InfoContext(ctx, "dealer found", "dealer", m.title(), "contract", found.Version.Label)
	return &offered, nil
}
