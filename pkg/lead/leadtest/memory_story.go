package leadtest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Note implements lead.Store.
func (m *Memory) Note(ctx context.Context, dealerID, leadID string, e lead.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(dealerID)
	if _, ok := d.records[leadID]; !ok {
		return lead.ErrNotFound
	}
	e.Channels = slices.Clone(e.Channels)
	story := slices.DeleteFunc(d.stories[leadID], func(old lead.Event) bool { return old.ID == e.ID })
	d.stories[leadID] = append(story, e)
	slices.SortFunc(d.stories[leadID], func(a, b lead.Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return nil
}

// Story implements lead.Store.
func (m *Memory) Story(ctx context.Context, dealerID, leadID string) ([]lead.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	story := slices.Clone(m.dealer(dealerID).stories[leadID])
	for i := range story {
		story[i].Channels = slices.Clone(story[i].Channels)
	}
	return story, nil
}

// Erase implements lead.Store.
func (m *Memory) Erase(ctx context.Context, dealerID string, leadIDs []string, a lead.Audit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(dealerID)
	for _, id := range leadIDs {
		d.free(d.visits[id], d.visits[id].Slots)
		delete(d.visits, id)
		delete(d.records, id)
		delete(d.outbox, id)
		delete(d.deliveries, id)
		delete(d.stories, id)
	}
	maps.DeleteFunc(d.keys, func(_ string, k lead.Key) bool { return slices.Contains(leadIDs, k.LeadID) })
	maps.DeleteFunc(d.equals, func(_ string, q equal) bool { return slices.Contains(leadIDs, q.leadID) })
	d.audit(a)
	return nil
}

// Audit implements lead.Store.
func (m *Memory) Audit(ctx context.Context, dealerID string, a lead.Audit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dealer(dealerID).audit(a)
	return nil
}

func (d *dealer) audit(a lead.Audit) {
	d.audits = append(slices.DeleteFunc(d.audits, func(old lead.Audit) bool { return old.ID == a.ID }), a)
	slices.SortFunc(d.audits, func(a, b lead.Audit) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
}

// Audits implements lead.Store.
func (m *Memory) Audits(ctx context.Context, dealerID string) ([]lead.Audit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.dealer(dealerID).audits), nil
}
