package inventorytest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	units map[string][]byte
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
	all, err := l.all()
	if err != nil {
		return inventory.Vehicle{}, err
	}
	for _, names := range matchers(id) {
		var hits []inventory.Vehicle
		for _, v := range all {
			if names(v) {
				hits = append(hits, v)
			}
		}
		if len(hits) > 0 {
			return slices.MinFunc(hits, func(a, b inventory.Vehicle) int {
				if a.State.Listed() != b.State.Listed() {
					if a.State.Listed() {
						return -1
					}
					return 1
				}
				return strings.Compare(a.Key, b.Key)
			}), nil
		}
	}
	return inventory.Vehicle{}, inventory.ErrNotFound
}

// matchers lists the ways an identifier names a unit, the strictest first.
func matchers(id inventory.Identifier) []func(inventory.Vehicle) bool {
	switch {
	case id.VIN != "":
		return []func(inventory.Vehicle) bool{
			func(v inventory.Vehicle) bool { return v.Listing.VIN == id.VIN },
		}
	case id.Stock != "":
		return []func(inventory.Vehicle) bool{
			func(v inventory.Vehicle) bool { return v.Listing.Stock == id.Stock },
			func(v inventory.Vehicle) bool { return folded(v.Listing.Stock, id.Stock) },
		}
	case id.VehicleID != "":
		return []func(inventory.Vehicle) bool{
			func(v inventory.Vehicle) bool { return v.Listing.VehicleID == id.VehicleID },
			func(v inventory.Vehicle) bool { return folded(v.Listing.VehicleID, id.VehicleID) },
		}
	}
	return nil
}

func folded(kept, asked string) bool {
	f := inventory.FoldID(kept)
	return f != "" && f == inventory.FoldID(asked)
}

// Apply implements inventory.Store.
func (m *Memory) Apply(_ context.Context, dealerID string, base inventory.Head, change inventory.Change) (inventory.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.dealers[dealerID]
	if !ok {
		l = &lot{units: map[string][]byte{}}
	}
	if l.head.Revision != base.Revision {
		return inventory.Head{}, inventory.ErrConflict
	}
	encoded := make(map[string][]byte, len(change.Put))
	for _, v := range change.Put {
		b, err := json.Marshal(v)
		if err != nil {
			return inventory.Head{}, fmt.Errorf("encode %s: %w", v.Key, err)
		}
		encoded[v.Key] = b
	}
	maps.Copy(l.units, encoded)
	for _, v := range change.Forget {
		delete(l.units, v.Key)
	}
	head := inventory.Head{
		Revision: base.Revision + 1, Snapshot: l.head.Snapshot,
		Vouched: maps.Clone(change.Vouched), ImportedAt: time.Now().UTC(),
		Listed: l.head.Listed, Kept: l.head.Kept,
	}
	if !change.Empty() || base.Revision == 0 {
		head.Snapshot = head.Revision
		all, err := l.all()
		if err != nil {
			return inventory.Head{}, err
		}
		head.Kept, head.Listed = len(all), 0
		for _, v := range all {
			if v.State.Listed() {
				head.Listed++
			}
		}
	}
	l.head = head
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
		var v inventory.Vehicle
		if err := json.Unmarshal(l.units[key], &v); err != nil {
			return nil, fmt.Errorf("decode %s: %w", key, err)
		}
		out = append(out, v)
	}
	return out, nil
}
