package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// Each dealer's bucket holds the head, the units by key, and one empty entry
// for every identifier of every unit: identifier as it is compared, 0, key.
var (
	headKey     = []byte("head")
	unitsBucket = []byte("units")
	idsBucket   = []byte("ids")
)

// Inventory is the store of vehicles in this file.
func (db *DB) Inventory() inventory.Store { return inventoryStore{db} }

type inventoryStore struct{ db *DB }

func (s inventoryStore) Head(ctx context.Context, dealerID string) (h inventory.Head, err error) {
	err = s.db.view(ctx, func(tx *bolt.Tx) error {
		h, err = readHead(tx.Bucket(inventoryBucket).Bucket([]byte(dealerID)))
		return err
	})
	return h, err
}

func (s inventoryStore) Snapshot(ctx context.Context, dealerID string, h inventory.Head) ([]inventory.Vehicle, error) {
	var units strings.Builder
	var ends []int
	err := s.db.view(ctx, func(tx *bolt.Tx) error {
		lot := tx.Bucket(inventoryBucket).Bucket([]byte(dealerID))
		current, err := readHead(lot)
		if err != nil {
			return err
		}
		if current.Snapshot != h.Snapshot {
			return inventory.ErrConflict
		}
		ends = make([]int, 0, current.Kept)
		return lot.Bucket(unitsBucket).ForEach(func(_, value []byte) error {
			if len(ends) == 0 {
				units.Grow(current.Kept * (len(value) + 64))
			}
			units.Write(value)
			ends = append(ends, units.Len())
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return decodeUnits(units.String(), ends)
}

// decodeUnits splits src at ends and decodes the parts on all processors.
func decodeUnits(src string, ends []int) ([]inventory.Vehicle, error) {
	all := make([]inventory.Vehicle, len(ends))
	var work errgroup.Group
	share := len(ends)/runtime.GOMAXPROCS(0) + 1
	for from := 0; from < len(ends); from += share {
		work.Go(func() (err error) {
			var reader stored.Reader
			start := 0
			if from > 0 {
				start = ends[from-1]
			}
			for n := from; n < min(from+share, len(ends)); n++ {
				if err = reader.Decode(src[start:ends[n]], &all[n]); err != nil {
					return err
				}
				start = ends[n]
			}
			return nil
		})
	}
	return all, work.Wait()
}

func (s inventoryStore) Find(ctx context.Context, dealerID string, id inventory.Identifier) (found inventory.Vehicle, err error) {
	prefix := idEntry(stored.Index(id), "")
	err = s.db.view(ctx, func(tx *bolt.Tx) error {
		lot := tx.Bucket(inventoryBucket).Bucket([]byte(dealerID))
		if lot == nil || len(prefix) == 1 {
			return inventory.ErrNotFound
		}
		var reader stored.Reader
		best := 0
		units, c := lot.Bucket(unitsBucket), lot.Bucket(idsBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			v, err := reader.Vehicle(string(units.Get(k[len(prefix):])))
			if err != nil {
				return err
			}
			// Entries come by key, so the first of a rank is the smallest.
			if rank := stored.Rank(v, id); rank > best {
				found, best = v, rank
			}
		}
		if best == 0 {
			return inventory.ErrNotFound
		}
		return nil
	})
	return found, err
}

func idEntry(index, key string) []byte { return []byte(index + "\x00" + key) }

func (s inventoryStore) Apply(ctx context.Context, dealerID string, base inventory.Head, change inventory.Change) (h inventory.Head, err error) {
	err = s.db.update(ctx, func(tx *bolt.Tx) error {
		lot, err := dealerBucket(tx.Bucket(inventoryBucket), dealerID, unitsBucket, idsBucket)
		if err != nil {
			return err
		}
		current, err := readHead(lot)
		if err != nil && !errors.Is(err, inventory.ErrNotFound) {
			return err
		}
		if current.Revision != base.Revision {
			return inventory.ErrConflict
		}
		h = stored.NextHead(current, change, current.Revision+1, time.Now())
		if err := writeUnits(lot, change); err != nil {
			return err
		}
		if err := putLog(lot, change.Log, h); err != nil {
			return err
		}
		value, err := json.Marshal(h)
		if err != nil {
			return err
		}
		return lot.Put(headKey, value)
	})
	if err != nil {
		return inventory.Head{}, err
	}
	return h, nil
}

func writeUnits(lot *bolt.Bucket, change inventory.Change) error {
	units, ids := lot.Bucket(unitsBucket), lot.Bucket(idsBucket)
	var reader stored.Reader
	drop := func(key string) error {
		value := units.Get([]byte(key))
		if value == nil {
			return nil
		}
		old, err := reader.Vehicle(string(value))
		if err != nil {
			return err
		}
		for _, entry := range idEntries(old) {
			if err := ids.Delete(entry); err != nil {
				return err
			}
		}
		return units.Delete([]byte(key))
	}
	for _, v := range change.Forget {
		if err := drop(v.Key); err != nil {
			return err
		}
	}
	for _, v := range change.Put {
		if err := drop(v.Key); err != nil {
			return err
		}
		value, err := stored.AppendVehicle(nil, v)
		if err != nil {
			return err
		}
		if err := units.Put([]byte(v.Key), value); err != nil {
			return err
		}
		for _, entry := range idEntries(v) {
			if err := ids.Put(entry, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func idEntries(v inventory.Vehicle) (entries [][]byte) {
	for _, index := range stored.Indexes(v) {
		entries = append(entries, idEntry(index, v.Key))
	}
	return entries
}

func readHead(lot *bolt.Bucket) (h inventory.Head, err error) {
	if lot == nil {
		return h, inventory.ErrNotFound
	}
	value := lot.Get(headKey)
	if value == nil {
		return h, inventory.ErrNotFound
	}
	return h, json.Unmarshal(value, &h)
}

// dealerBucket returns the dealer's bucket with its sub-buckets, made if
// missing: a file of an older release lacks those that came later.
func dealerBucket(parent *bolt.Bucket, dealerID string, names ...[]byte) (*bolt.Bucket, error) {
	b, err := parent.CreateBucketIfNotExists([]byte(dealerID))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if b.Bucket(name) != nil {
			continue
		}
		if _, err := b.CreateBucket(name); err != nil {
			return nil, err
		}
	}
	return b, nil
}
