package leadtest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

type slotKey struct {
	rooftop, kind string
	start, end    int64
}

func keyOf(v lead.Visit, s lead.Span) slotKey {
	return slotKey{v.Rooftop, v.Type, s.Start.Unix(), s.End.Unix()}
}

// room reports whether every claim of the visit can be met.
func (d *dealer) room(v lead.Visit, claims []lead.Claim) bool {
	return !slices.ContainsFunc(claims, func(c lead.Claim) bool {
		slot := d.slots[keyOf(v, c.Span)]
		return slot != nil && len(slot.Leads) >= c.Room && !slices.Contains(slot.Leads, v.LeadID)
	})
}

func (d *dealer) take(v lead.Visit, claims []lead.Claim) {
	for _, c := range claims {
		key := keyOf(v, c.Span)
		slot := d.slots[key]
		if slot == nil {
			slot = &lead.Slot{Span: c.Span}
			d.slots[key] = slot
			days := d.days[[2]string{v.Rooftop, v.Type}]
			at, _ := slices.BinarySearchFunc(days, slot, byTime)
			d.days[[2]string{v.Rooftop, v.Type}] = slices.Insert(days, at, slot)
		}
		if at, found := slices.BinarySearch(slot.Leads, v.LeadID); !found {
			slot.Leads = slices.Insert(slot.Leads, at, v.LeadID)
		}
	}
}

func (d *dealer) free(v lead.Visit, spans []lead.Span) {
	for _, span := range spans {
		if slot := d.slots[keyOf(v, span)]; slot != nil {
			slot.Leads = slices.DeleteFunc(slot.Leads, func(id string) bool { return id == v.LeadID })
		}
	}
}

func byTime(a, b *lead.Slot) int {
	return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End))
}

// Slots implements lead.Calendar.
func (m *Memory) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]lead.Slot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []lead.Slot
	days := m.dealer(dealerID).days[[2]string{rooftop, kind}]
	first, _ := slices.BinarySearchFunc(days, &lead.Slot{Span: lead.Span{Start: from.Add(-lead.MaxSlot)}}, byTime)
	for _, slot := range days[first:] {
		if !slot.Start.Before(to) {
			break
		}
		if len(slot.Leads) > 0 && slot.End.After(from) && now.Before(slot.End.Add(lead.SlotKept)) {
			found = append(found, lead.Slot{Span: slot.Span, Leads: slices.Clone(slot.Leads)})
		}
	}
	return found, nil
}

// Visit implements lead.Calendar.
func (m *Memory) Visit(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Visit, error) {
	if err := ctx.Err(); err != nil {
		return lead.Visit{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.dealer(dealerID).visits[leadID]
	if !ok || !now.Before(v.ExpiresAt) {
		return lead.Visit{}, lead.ErrNotFound
	}
	return v.Clone(), nil
}

// Visits implements lead.Calendar.
func (m *Memory) Visits(ctx context.Context, dealerID string, from, to time.Time, limit int, now time.Time) ([]lead.Visit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []lead.Visit
	for _, v := range m.dealer(dealerID).visits {
		if !v.Start.Before(from) && v.Start.Before(to) && now.Before(v.ExpiresAt) {
			found = append(found, v.Clone())
		}
	}
	slices.SortFunc(found, func(a, b lead.Visit) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.LeadID, b.LeadID))
	})
	return found[:min(limit, len(found))], nil
}

// UpdateVisit implements lead.Calendar.
func (m *Memory) UpdateVisit(ctx context.Context, dealerID string, v lead.Visit, claims []lead.Claim, now time.Time) (lead.Visit, error) {
	if err := ctx.Err(); err != nil {
		return lead.Visit{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dealer(dealerID)
	old, ok := d.visits[v.LeadID]
	if !ok || !now.Before(old.ExpiresAt) {
		return lead.Visit{}, lead.ErrNotFound
	}
	if old.Version != v.Version {
		return lead.Visit{}, lead.ErrConflict
	}
	gained := v.Gained(old, claims)
	if !d.room(v, gained) {
		return lead.Visit{}, lead.ErrSlotTaken
	}
	d.free(old, v.Freed(old))
	d.take(v, gained)
	v.Version++
	d.visits[v.LeadID] = v.Clone()
	return v, nil
}
