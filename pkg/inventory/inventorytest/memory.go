package inventorytest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Memory is an inventory.Store that forgets everything when the process ends:
// for tests of what stands on a store, and as the plainest reading of the
// contract. Its zero value is ready to use.
type Memory struct {
	mu      sync.RWMutex
	dealers map[string]*lot
}

// lot is one dealer's inventory. Units are kept encoded, so that nobody
// shares memory with the store.
type lot struct {
	head  inventory.Head
	units map[string]kept
	log   []inventory.Log
}

// kept is one encoded unit beside what Find looks at.
type kept struct {
	encoded               []byte
	listed                bool
	vin, stock, vehicleID string
}

// Head implements inventory.Store.
func (m *Memory) Head(_ context.Context, dealerID string) (inventory.Head, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		return inventory.Head{}, inventory.ErrNotFound
	}
	head := l.head
	head.Vouched = maps.Clone(head.Vouched)
	return head, nil
}

// Snapshot implements inventory.Store.
func (m *Memory) Snapshot(_ context.Context, dealerID string, h inventory.Head) ([]inventory.Vehicle, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		return nil, inventory.ErrNotFound
	}
	if l.head.Snapshot != h.Snapshot {
		return nil, inventory.ErrConflict
	}
	return l.all()
}

// Find implements inventory.Store.
func (m *Memory) Find(_ context.Context, dealerID string, id inventory.Identifier) (inventory.Vehicle, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		return inventory.Vehicle{}, inventory.ErrNotFound
	}
	for _, names := range matchers(id) {
		best := ""
		for key, k := range l.units {
			if !names(k) {
				continue
			}
			if had := l.units[best]; best == "" || k.listed && !had.listed || k.listed == had.listed && key < best {
				best = key
			}
		}
		if best != "" {
			return l.units[best].decode(best)
		}
	}
	return inventory.Vehicle{}, inventory.ErrNotFound
}

// matchers lists the ways an identifier names a unit, the strictest first.
func matchers(id inventory.Identifier) []func(kept) bool {
	switch {
	case id.VIN != "":
		return []func(kept) bool{
			func(k kept) bool { return k.vin == id.VIN },
		}
	case id.Stock != "":
		return []func(kept) bool{
			func(k kept) bool { return k.stock == id.Stock },
			folded(func(k kept) string { return k.stock }, id.Stock),
		}
	case id.VehicleID != "":
		return []func(kept) bool{
			func(k kept) bool { return k.vehicleID == id.VehicleID },
			folded(func(k kept) string { return k.vehicleID }, id.VehicleID),
		}
	}
	return nil
}

func folded(of func(kept) string, asked string) func(kept) bool {
	asked = inventory.FoldID(asked)
	return func(k kept) bool {
		f := inventory.FoldID(of(k))
		return f != "" && f == asked
	}
}

// Apply implements inventory.Store.
func (m *Memory) Apply(_ context.Context, dealerID string, base inventory.Head, change inventory.Change) (inventory.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		l = &lot{units: map[string]kept{}}
	}
	if l.head.Revision != base.Revision {
		return inventory.Head{}, inventory.ErrConflict
	}
	put := make(map[string]kept, len(change.Put))
	for _, v := range change.Put {
		b, err := json.Marshal(v)
		if err != nil {
			return inventory.Head{}, fmt.Errorf("encode %s: %w", v.Key, err)
		}
		put[v.Key] = kept{b, v.State.Listed(), v.Listing.VIN, v.Listing.Stock, v.Listing.VehicleID}
	}
	maps.Copy(l.units, put)
	for _, v := range change.Forget {
		delete(l.units, v.Key)
	}
	head := inventory.Head{
		Revision: base.Revision + 1, Snapshot: l.head.Snapshot,
		Vouched: maps.Clone(change.Vouched), ImportedAt: time.Now().UTC(),
		Listed: l.head.Listed, Kept: l.head.Kept, Logged: change.Log.Kept,
	}
	if !change.Empty() || base.Revision == 0 {
		head.Snapshot = head.Revision
		head.Kept, head.Listed = len(l.units), 0
		for _, k := range l.units {
			if k.listed {
				head.Listed++
			}
		}
	}
	l.head = head
	l.log = append(l.log, change.Log)
	if m.dealers == nil {
		m.dealers = map[string]*lot{}
	}
	m.dealers[dealerID] = l
	head.Vouched = maps.Clone(head.Vouched)
	return head, nil
}

func (l *lot) all() ([]inventory.Vehicle, error) {
	out := make([]inventory.Vehicle, 0, len(l.units))
	for _, key := range slices.Sorted(maps.Keys(l.units)) {
		v, err := l.units[key].decode(key)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (k kept) decode(key string) (v inventory.Vehicle, err error) {
	if err := json.Unmarshal(k.encoded, &v); err != nil {
		return v, fmt.Errorf("decode %s: %w", key, err)
	}
	return v, nil
}

// Published implements inventory.Store.
func (m *Memory) Published(_ context.Context, dealerID string, now time.Time, each func(inventory.Publication) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		return nil
	}
	for _, part := range l.log {
		if !now.Before(part.Until) {
			continue
		}
		for _, p := range part.Entries {
			if err := each(p); err != nil {
				return err
			}
		}
	}
	return nil
}
