package inventory

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Lot answers the inventory skills from a Store. It keeps the index of each
// dealer's newest generation that it has seen and reads only the head before
// an answer, so an import shows at the next request. It is safe for
// concurrent use; callers that need an index at the same moment wait for one
// build. Indexes of the dealers that were longest not asked for are dropped
// beyond a memory budget.
type Lot struct {
	*shelf
	// version is the contract whose view of the lot this is.
	version aap.Version
}

// shelf is what all views of a lot share.
type shelf struct {
	store Store
	now   func() time.Time
	build singleflight.Group
	// budget bounds the encoded listings of all warm indexes together, in bytes.
	budget int
	watch  Watch

	mu    sync.Mutex
	warm  map[string]*warmIndex
	clock uint64
}

type warmIndex struct {
	index *Index
	used  uint64
}

const warmBytes = 256 << 20

// NewLot makes a Lot; now is the clock that freshness is judged by.
func NewLot(store Store, now func() time.Time) *Lot {
	return &Lot{shelf: &shelf{store: store, now: now, budget: warmBytes, warm: map[string]*warmIndex{}}, version: aap.Primary()}
}

// Bound sets how many bytes of encoded listings all warm indexes may have
// together, 256 MB unless it is called. The indexes over them take about as much
// again. It is to be called before anything else.
func (l *Lot) Bound(bytes int) { l.budget = bytes }

// Under is the same lot as contract v sees it. Where the contract gives "price"
// a meaning that the dealer's number lacks, no listing has a price to filter
// or to sort by, and there is no range of prices; to leave it out of the
// listings themselves is for the translation to that contract.
func (l *Lot) Under(v aap.Version) *Lot {
	if v == l.version {
		return l
	}
	return &Lot{shelf: l.shelf, version: v}
}

// Search answers inventory.search. A dealer without an import has no
// vehicles; that is an answer, not an error.
func (l *Lot) Search(ctx context.Context, p *dealer.Profile, req aap.SearchRequest) (aap.Reply, error) {
	x, err := l.index(ctx, p.ID)
	if err != nil {
		return aap.Reply{}, err
	}
	now := l.now()
	l.answered(ctx, x, now)
	page := x.search(p, l.version, &req, now, false)
	return aap.Reply{Data: page, Message: x.message(p, l.version, &req, page, now)}, nil
}

// Facets answers inventory.facets.
func (l *Lot) Facets(ctx context.Context, p *dealer.Profile, req aap.FacetsRequest) (aap.Reply, error) {
	x, err := l.index(ctx, p.ID)
	if err != nil {
		return aap.Reply{}, err
	}
	now := l.now()
	l.answered(ctx, x, now)
	b := x.facets(p, l.version, &req, now)
	var say sentences
	if b.total == 0 {
		x.explain(&say, p, &req.Filters, b.note, 0)
	}
	x.warn(&say, p, now)
	return aap.Reply{Data: b, Message: say.String()}, nil
}

// index returns the index of the dealer's current generation.
func (l *shelf) index(ctx context.Context, dealerID string) (*Index, error) {
	for range 8 {
		head, err := l.store.Head(ctx, dealerID)
		if errors.Is(err, ErrNotFound) {
			return NewIndex(ctx, nil, Head{})
		}
		if err != nil {
			return nil, fmt.Errorf("read the head of the inventory: %w", err)
		}
		if x := l.held(dealerID, head.Revision); x != nil {
			return x, nil
		}
		key := dealerID + "/" + strconv.FormatInt(head.Revision, 10)
		done := l.build.DoChan(key, func() (any, error) {
			// One caller's end must not fail those who wait with it.
			return l.load(context.WithoutCancel(ctx), dealerID, head)
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-done:
			if result.Err == nil {
				return result.Val.(*Index), nil
			}
			if !errors.Is(result.Err, ErrConflict) {
				return nil, result.Err
			}
		}
	}
	return nil, fmt.Errorf("read the inventory: %w", ErrConflict)
}

// held is the warm index if it shows the revision or a later one.
func (l *shelf) held(dealerID string, revision int64) *Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.warm[dealerID]
	if !ok || w.index.Revision() < revision {
		return nil
	}
	l.clock++
	w.used = l.clock
	return w.index
}

func (l *shelf) load(ctx context.Context, dealerID string, head Head) (*Index, error) {
	began := time.Now()
	units, err := l.store.Snapshot(ctx, dealerID, head)
	if err != nil {
		return nil, fmt.Errorf("read the inventory of revision %d: %w", head.Revision, err)
	}
	x, err := NewIndex(ctx, units, head)
	if err != nil {
		return nil, err
	}
	l.loaded(ctx, x, len(units), time.Since(began))
	l.mu.Lock()
	defer l.mu.Unlock()
	if w, ok := l.warm[dealerID]; ok && w.index.Revision() >= head.Revision {
		return w.index, nil
	}
	l.clock++
	l.warm[dealerID] = &warmIndex{index: x, used: l.clock}
	l.shrink(dealerID)
	return x, nil
}

// shrink drops the indexes longest not used until the rest fits the budget.
func (l *shelf) shrink(except string) {
	total := 0
	for _, w := range l.warm {
		total += len(w.index.encoded)
	}
	for total > l.budget && len(l.warm) > 1 {
		oldest := ""
		for id, w := range l.warm {
			if id != except && (oldest == "" || w.used < l.warm[oldest].used) {
				oldest = id
			}
		}
		total -= len(l.warm[oldest].index.encoded)
		delete(l.warm, oldest)
	}
}

// Vehicle answers inventory.vehicle from the store itself. The identifiers
// are tried in the order VIN, stock number, vehicle id; the first that names
// a unit decides. VEHICLE_UNAVAILABLE says the unit is known and not for sale
// (or too old to be claimed), VEHICLE_NOT_FOUND that no identifier matches.
func (l *Lot) Vehicle(ctx context.Context, p *dealer.Profile, req aap.VehicleRequest) (aap.Reply, error) {
	now := l.now()
	unit, err := l.find(ctx, p, now, req.VIN, req.Stock, req.VehicleID)
	if errors.Is(err, ErrNotFound) {
		return aap.Reply{}, aap.Errorf(aap.VehicleNotFound,
			"No vehicle of this dealer has the identifier. Check the vin, stock or vehicle_id, or use inventory.search.")
	}
	if err != nil {
		return aap.Reply{}, err
	}
	if !unit.State.Listed() {
		return aap.Reply{}, aap.Errorf(aap.VehicleUnavailable,
			"This vehicle is no longer for sale. Use inventory.search for similar ones.")
	}
	head, err := l.store.Head(ctx, p.ID)
	if err != nil {
		return aap.Reply{}, fmt.Errorf("read the head of the inventory: %w", err)
	}
	vouched := head.vouchedFor(unit.Listing.Rooftop)
	since := now.Sub(vouched)
	if l.watch.Answered != nil {
		l.watch.Answered(ctx, Answered{Revision: head.Revision, Age: since})
	}
	if hard := p.Inventory.HardMaxAge.Std(); hard > 0 && since > hard {
		return aap.Reply{}, aap.Errorf(aap.VehicleUnavailable,
			"The dealer's inventory is older than %s, so this vehicle cannot be claimed available. Contact the dealer or try again later.", age(hard))
	}
	row := unit.Listing
	row.Status = string(unit.State)
	if row.UpdatedAt == "" {
		row.UpdatedAt = stamp(vouched)
	}
	var say sentences
	if limit := p.Inventory.MaxAge.Std(); limit > 0 && since > limit {
		say.add("Warning: not confirmed by the dealer's system for %s; availability may have changed.", age(since))
	}
	return aap.Reply{Data: row, Message: say.String()}, nil
}

// find tries the identifiers in order. Units gone for longer than the dealer
// remembers are passed over.
func (l *shelf) find(ctx context.Context, p *dealer.Profile, now time.Time, vin, stock, vehicleID string) (Vehicle, error) {
	for _, id := range [...]Identifier{{VIN: vin}, {Stock: stock}, {VehicleID: vehicleID}} {
		if id == (Identifier{}) || len(id.VIN+id.Stock+id.VehicleID) > longestName {
			continue // no unit has an identifier that long
		}
		unit, err := l.store.Find(ctx, p.ID, id)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return Vehicle{}, fmt.Errorf("find a vehicle: %w", err)
		case !forgotten(unit, p, now):
			return unit, nil
		}
	}
	return Vehicle{}, ErrNotFound
}

// forgotten reports whether a unit has been gone for longer than the dealer
// remembers.
func forgotten(v Vehicle, p *dealer.Profile, now time.Time) bool {
	return !v.State.Listed() && !v.GoneAt.IsZero() && now.Sub(v.GoneAt) > rememberSold(p)
}

func rememberSold(p *dealer.Profile) time.Duration {
	if d := p.Inventory.RememberSold.Std(); d > 0 {
		return d
	}
	return 30 * 24 * time.Hour
}
