package leadtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Memory is a lead.Store that fulfils the whole contract except durability.
type Memory struct {
	mu      sync.Mutex
	dealers map[string]*dealer
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{dealers: map[string]*dealer{}} }

var _ lead.Store = (*Memory)(nil)

type dealer struct {
	records    map[string]lead.Record
	keys       map[string]lead.Key
	equals     map[string]equal
	outbox     map[string]time.Time
	deliveries map[string]map[string]lead.Delivery
	visits     map[string]lead.Visit
	slots      map[slotKey]*lead.Slot
	days       map[[2]string][]*lead.Slot // those of a rooftop and type, by time
	stories    map[string][]lead.Event
	audits     []lead.Audit
}

type equal struct {
	leadID string
	until  time.Time
}

func (m *Memory) dealer(id string) *dealer {
	d := m.dealers[id]
	if d == nil {
		d = &dealer{
			records: map[string]lead.Record{}, keys: map[string]lead.Key{}, equals: map[string]equal{},
			outbox: map[string]time.Time{}, deliveries: map[string]map[string]lead.Delivery{},
			visits: map[string]lead.Visit{}, slots: map[slotKey]*lead.Slot{}, days: map[[2]string][]*lead.Slot{},
			stories: map[string][]lead.Event{},
		}
		m.dealers[id] = d
	}
	return d
}

// Create implements lead.Store.
func (m *Memory) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(e.Record.DealerID)
	if e.Key != nil {
		if k, ok := d.keys[e.Key.Value]; ok && now.Before(k.ExpiresAt) {
			return lead.ErrKeyTaken
		}
	}
	if q, ok := d.equals[e.Equal]; ok && now.Before(q.until) && q.leadID != e.Instead {
		return lead.ErrDuplicate
	}
	if b := e.Booking; b != nil {
		if !d.room(b.Visit, b.Claims) {
			return lead.ErrSlotTaken
		}
		d.take(b.Visit, b.Claims)
		d.visits[e.Record.ID] = b.Visit.Clone()
	}
	r := clone(e.Record)
	d.records[r.ID] = r
	d.outbox[r.ID] = r.ReceivedAt
	if e.Key != nil {
		d.keys[e.Key.Value] = cloneKey(*e.Key)
	}
	if e.Equal != "" {
		for _, digest := range append(slices.Clone(e.Poorer), e.Equal) {
			d.equals[digest] = equal{r.ID, e.EqualsUntil}
		}
	}
	return nil
}

// Bind implements lead.Store.
func (m *Memory) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(dealerID)
	if old, ok := d.keys[k.Value]; ok && now.Before(old.ExpiresAt) {
		return lead.ErrKeyTaken
	}
	if _, ok := d.records[k.LeadID]; !ok {
		return lead.ErrNotFound
	}
	d.keys[k.Value] = cloneKey(k)
	return nil
}

// ByKey implements lead.Store.
func (m *Memory) ByKey(ctx context.Context, dealerID, key string, now time.Time) (lead.Key, error) {
	if err := ctx.Err(); err != nil {
		return lead.Key{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.dealer(dealerID).keys[key]
	if !ok || !now.Before(k.ExpiresAt) {
		return lead.Key{}, lead.ErrNotFound
	}
	return cloneKey(k), nil
}

// ByEqual implements lead.Store.
func (m *Memory) ByEqual(ctx context.Context, dealerID, digest string, now time.Time) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if q, ok := m.dealer(dealerID).equals[digest]; ok && now.Before(q.until) {
		return q.leadID, nil
	}
	return "", lead.ErrNotFound
}

// Load implements lead.Store.
func (m *Memory) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	if err := ctx.Err(); err != nil {
		return lead.Record{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.dealer(dealerID).records[leadID]
	if !ok || !now.Before(r.ExpiresAt) {
		return lead.Record{}, lead.ErrNotFound
	}
	return clone(r), nil
}

// Enqueued implements lead.Store.
func (m *Memory) Enqueued(ctx context.Context, dealerID, leadID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.dealer(dealerID).outbox, leadID)
	return nil
}

// Outbox implements lead.Store.
func (m *Memory) Outbox(ctx context.Context, dealerID string, before time.Time, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(dealerID)
	var ids []string
	for id, at := range d.outbox {
		if at.Before(before) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(d.outbox[a].Compare(d.outbox[b]), cmp.Compare(a, b))
	})
	return ids[:min(limit, len(ids))], nil
}

// Deliveries implements lead.Store.
func (m *Memory) Deliveries(ctx context.Context, dealerID, leadID string) ([]lead.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var states []lead.Delivery
	for _, d := range m.dealer(dealerID).deliveries[leadID] {
		states = append(states, d)
	}
	slices.SortFunc(states, func(a, b lead.Delivery) int { return cmp.Compare(a.Target, b.Target) })
	return states, nil
}

// UpdateDelivery implements lead.Store.
func (m *Memory) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return lead.Delivery{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	states := m.dealer(dealerID).deliveries
	if _, ok := m.dealer(dealerID).records[leadID]; !ok {
		return lead.Delivery{}, lead.ErrNotFound
	}
	if states[leadID][d.Target].Version != d.Version {
		return lead.Delivery{}, lead.ErrConflict
	}
	if states[leadID] == nil {
		states[leadID] = map[string]lead.Delivery{}
	}
	d.Version++
	states[leadID][d.Target] = d
	return d, nil
}

// List implements lead.Store.
func (m *Memory) List(ctx context.Context, dealerID string, before time.Time, limit int, now time.Time) ([]lead.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []lead.Record
	for _, r := range m.dealer(dealerID).records {
		if r.ReceivedAt.Before(before) && now.Before(r.ExpiresAt) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b lead.Record) int {
		return cmp.Or(b.ReceivedAt.Compare(a.ReceivedAt), cmp.Compare(b.ID, a.ID))
	})
	found = found[:min(limit, len(found))]
	for i := range found {
		found[i] = clone(found[i])
	}
	return found, nil
}

// cloneKey shares no byte slice with k.
func cloneKey(k lead.Key) lead.Key {
	if k.Answer != nil {
		k.Answer = &lead.Answer{Data: bytes.Clone(k.Answer.Data), Message: k.Answer.Message}
	}
	return k
}

// clone shares no byte slice with r; listings are never changed in place.
func clone(r lead.Record) lead.Record {
	r.Request = json.RawMessage(bytes.Clone(r.Request))
	r.Answer.Data = json.RawMessage(bytes.Clone(r.Answer.Data))
	if r.Listing != nil {
		listing := *r.Listing
		r.Listing = &listing
	}
	return r
}
