package inventory

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNotFound: the dealer has no inventory yet, or no unit has the identifier.
	ErrNotFound = errors.New("not in the inventory")
	// ErrConflict: another import flipped the head first; plan again.
	ErrConflict = errors.New("inventory changed meanwhile")
)

// Identifier is one way to name a unit. Exactly one member is set.
type Identifier struct {
	VIN       string
	Stock     string
	VehicleID string
}

// Store keeps the vehicles of dealers. Implementations are safe for concurrent
// use by several processes; a dealer's data is invisible under any other
// dealer's id. Every read sees what the last successful Apply wrote (strongly
// consistent). Errors other than the sentinels are temporary.
type Store interface {
	// Head returns the dealer's current head, or ErrNotFound before the first import.
	Head(ctx context.Context, dealerID string) (Head, error)
	// Snapshot returns every unit of the generation that h names, ordered by
	// key. ErrConflict says the generation is gone because the head has moved
	// on: read the head again.
	Snapshot(ctx context.Context, dealerID string, h Head) ([]Vehicle, error)
	// Find returns the unit an identifier names, listed or not, or ErrNotFound.
	// VINs match exactly; stock numbers and vehicle ids first exactly, then
	// folded with FoldID. When several units share a folded id a listed one
	// wins, then the smallest key.
	Find(ctx context.Context, dealerID string, id Identifier) (Vehicle, error)
	// Apply writes the change and flips the head from base to the returned
	// head, which has base.Revision+1; readers see the old generation or the
	// new one, never a mix. A zero base means "no head yet". ErrConflict, with
	// nothing visible changed, when the current head is not base. A change
	// whose Empty() is true writes no vehicle and keeps the snapshot.
	// On return the change is durable. The entries of change.Log stand in the
	// log if and only if the head was flipped.
	Apply(ctx context.Context, dealerID string, base Head, change Change) (Head, error)
	// Published calls each for every publication in the dealer's log whose
	// retention has not ended at now, those of an earlier import first. An error of each
	// ends it and is returned.
	Published(ctx context.Context, dealerID string, now time.Time, each func(Publication) error) error
}
