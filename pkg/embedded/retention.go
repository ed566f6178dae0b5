package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// purgeAtOnce is how many expired entries one new lead takes away with it:
// more than it adds, so that what has expired never piles up.
const purgeAtOnce = 16

// Purge removes everything of a dealer that has expired: records with their
// deliveries, idempotency keys, duplicate keys and logged publications. New leads do the same in
// small steps; Purge is for a dealer that gets none.
func (db *DB) Purge(ctx context.Context, dealerID string, now time.Time) error {
	return db.update(ctx, func(tx *bolt.Tx) error {
		if lot := tx.Bucket(inventoryBucket).Bucket([]byte(dealerID)); lot != nil && lot.Bucket(publishedBucket) != nil {
			if err := purgeLog(lot.Bucket(publishedBucket), now, -1); err != nil {
				return err
			}
		}
		b := tx.Bucket(leadsBucket).Bucket([]byte(dealerID))
		if b == nil {
			return nil
		}
		return purge(b, now, -1)
	})
}

// purge removes up to limit expired entries; a negative limit means all.
func purge(b *bolt.Bucket, now time.Time, limit int) error {
	end := moment(now)
	var due [][]byte
	c := b.Bucket(expiryBucket).Cursor()
	for k, _ := c.First(); k != nil && len(due) != limit && bytes.Compare(k[:8], end) <= 0; k, _ = c.Next() {
		due = append(due, bytes.Clone(k))
	}
	if len(due) > 0 {
		if err := rewriteLater(b.Tx()); err != nil {
			return err
		}
	}
	for _, k := range due {
		if err := b.Bucket(expiryBucket).Delete(k); err != nil {
			return err
		}
		if err := forget(b, k[8], k[9:], now); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the entry unless it was written anew with a later end.
func forget(b *bolt.Bucket, kind byte, key []byte, now time.Time) error {
	switch kind {
	case keysBucket[0]:
		if _, err := readKey(b, string(key), now); !errors.Is(err, lead.ErrNotFound) {
			return err
		}
		return b.Bucket(keysBucket).Delete(key)
	case equalsBucket[0]:
		if _, err := readEqual(b, key, now); !errors.Is(err, lead.ErrNotFound) {
			return err
		}
		return b.Bucket(equalsBucket).Delete(key)
	case slotsBucket[0]:
		t, err := readSlot(b, key, now)
		if err != nil || len(t.Leads) > 0 {
			return err
		}
		return b.Bucket(slotsBucket).Delete(key)
	}
	value := b.Bucket(recordsBucket).Get(key)
	if value == nil {
		return nil
	}
	r, err := stored.Record(value)
	if err != nil || !expired(r.ExpiresAt, now) {
		return err
	}
	return removeLead(b, key, r.ReceivedAt)
}

// removeLead removes a record and what hangs on it by its id. Keys and
// duplicate keys have ends of their own.
func removeLead(b *bolt.Bucket, id []byte, receivedAt time.Time) error {
	for _, name := range [][]byte{deliveriesBucket, storiesBucket} {
		if err := removeUnder(b.Bucket(name), deliveryKey(string(id), "")); err != nil {
			return err
		}
	}
	if err := b.Bucket(receivedBucket).Delete(append(moment(receivedAt), id...)); err != nil {
		return err
	}
	if err := leaveOutbox(b, id); err != nil {
		return err
	}
	if err := forgetVisit(b, id, time.Time{}); err != nil {
		return err
	}
	return b.Bucket(recordsBucket).Delete(id)
}

// removeUnder removes every key that begins with the prefix. The bucket may be
// missing in a file of an older release.
func removeUnder(b *bolt.Bucket, prefix []byte) error {
	if b == nil {
		return nil
	}
	var gone [][]byte
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		gone = append(gone, bytes.Clone(k))
	}
	return removeAll(b, gone)
}

func removeAll(b *bolt.Bucket, keys [][]byte) error {
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// writer puts values until the first fault, and notes when each expires.
type writer struct {
	bucket *bolt.Bucket
	err    error
}

func (w *writer) put(bucket, key, value []byte, until time.Time) {
	if w.err == nil {
		w.err = w.bucket.Bucket(bucket).Put(key, value)
	}
	if w.err == nil && !until.IsZero() {
		w.err = w.bucket.Bucket(expiryBucket).Put(append(append(moment(until), bucket[0]), key...), nil)
	}
}

func (w *writer) putKey(k lead.Key) {
	body, err := stored.AppendKey(nil, k)
	if err != nil {
		w.err = err
		return
	}
	w.put(keysBucket, []byte(k.Value), body, k.ExpiresAt)
}

func (w *writer) putJSON(bucket, key []byte, value any, until time.Time) {
	body, err := json.Marshal(value)
	if err != nil {
		w.err = err
		return
	}
	w.put(bucket, key, body, until)
}

// expired reports whether what lasts until the given time is over; a zero
// time never is.
func expired(until, now time.Time) bool { return !until.IsZero() && !now.Before(until) }

func absentIsEmpty(err error) error {
	if errors.Is(err, lead.ErrNotFound) {
		return nil
	}
	return err
}
