package embedded

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/pickup/ledger"
)

// sourcesBucket, in a dealer's bucket of the inventory, holds the states of
// feed sources by name.
var sourcesBucket = []byte("sources")

// Pickups keeps the states of feed sources in this file. Claims live in memory:
// no other process holds the file, so that one that died holds no claim.
func (db *DB) Pickups() ledger.Store { return pickupStore{db} }

type pickupStore struct{ db *DB }

// visits are claims by dealer and source.
type visits struct {
	mu     sync.Mutex
	claims map[[2]string]claim
	last   uint64
}

type claim struct {
	token string
	until time.Time
}

// claim gives the source to a new visitor unless one has it.
func (v *visits) claim(key [2]string, now, until time.Time) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if held, ok := v.claims[key]; ok && now.Before(held.until) {
		return "", false
	}
	if v.claims == nil {
		v.claims = map[[2]string]claim{}
	}
	v.last++
	c := claim{strconv.FormatUint(v.last, 10), until}
	v.claims[key] = c
	return c.token, true
}

// end runs write if the visitor still has the source, and takes it from them
// when that went well.
func (v *visits) end(key [2]string, token string, write func() error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.claims[key].token != token || token == "" {
		return ledger.ErrBusy
	}
	err := write()
	if err == nil {
		delete(v.claims, key)
	}
	return err
}

func (s pickupStore) States(ctx context.Context, dealerID string) (states []ledger.State, err error) {
	err = s.db.view(ctx, func(tx *bolt.Tx) error {
		states = nil
		lot := tx.Bucket(inventoryBucket).Bucket([]byte(dealerID))
		if lot == nil || lot.Bucket(sourcesBucket) == nil {
			return nil
		}
		return lot.Bucket(sourcesBucket).ForEach(func(_, value []byte) error {
			var st ledger.State
			err := json.Unmarshal(value, &st)
			states = append(states, st)
			return err
		})
	})
	return states, err
}

func (s pickupStore) Claim(ctx context.Context, dealerID, source string, now, until time.Time) (ledger.State, error) {
	token, ok := s.db.visits.claim([2]string{dealerID, source}, now, until)
	if !ok {
		return ledger.State{}, ledger.ErrBusy
	}
	st := ledger.State{Source: source}
	states, err := s.States(ctx, dealerID)
	for _, known := range states {
		if known.Source == source {
			st = known
		}
	}
	if err != nil {
		_ = s.db.visits.end([2]string{dealerID, source}, token, func() error { return nil }) // it is ours
		return ledger.State{}, err
	}
	st.Claim = token
	return st, nil
}

func (s pickupStore) Settle(ctx context.Context, dealerID string, st ledger.State) error {
	return s.db.visits.end([2]string{dealerID, st.Source}, st.Claim, func() error {
		value, err := json.Marshal(st)
		if err != nil {
			return err
		}
		return s.db.update(ctx, func(tx *bolt.Tx) error {
			lot, err := dealerBucket(tx.Bucket(inventoryBucket), dealerID, unitsBucket, idsBucket, sourcesBucket)
			if err != nil {
				return err
			}
			return lot.Bucket(sourcesBucket).Put([]byte(st.Source), value)
		})
	})
}
