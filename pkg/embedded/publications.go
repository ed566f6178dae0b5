package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// publishedBucket holds the log of publications, a value an import: moment of
// the import, revision → moment of its end, entries.
var publishedBucket = []byte("published")

// putLog adds the import's entries and takes a few expired ones away.
func putLog(lot *bolt.Bucket, l inventory.Log, h inventory.Head) error {
	if len(l.Entries) == 0 {
		return nil
	}
	b, err := lot.CreateBucketIfNotExists(publishedBucket)
	if err != nil {
		return err
	}
	if err := purgeLog(b, l.Entries[0].At, purgeAtOnce); err != nil {
		return err
	}
	value, err := stored.AppendLog(moment(l.Until), l.Entries)
	if err != nil {
		return err
	}
	return b.Put(binary.BigEndian.AppendUint64(moment(l.Entries[0].At), uint64(h.Revision)), value)
}

// purgeLog removes up to limit expired imports from the front; a negative limit
// means all of them.
func purgeLog(b *bolt.Bucket, now time.Time, limit int) error {
	var gone [][]byte
	c := b.Cursor()
	for k, value := c.First(); k != nil && len(gone) != limit && len(value) >= 8 && bytes.Compare(value[:8], moment(now)) <= 0; k, value = c.Next() {
		gone = append(gone, bytes.Clone(k))
	}
	return removeAll(b, gone)
}

func (s inventoryStore) Published(ctx context.Context, dealerID string, now time.Time, each func(inventory.Publication) error) error {
	var next []byte
	for {
		var value []byte
		// One import at a time, so that a slow reader holds up nobody.
		err := s.db.view(ctx, func(tx *bolt.Tx) error {
			lot := tx.Bucket(inventoryBucket).Bucket([]byte(dealerID))
			if lot == nil || lot.Bucket(publishedBucket) == nil {
				return nil
			}
			k, v := lot.Bucket(publishedBucket).Cursor().Seek(next)
			next, value = append(bytes.Clone(k), 0), bytes.Clone(v)
			return nil
		})
		if err != nil || value == nil {
			return err
		}
		if len(value) < 8 {
			return stored.ErrFormat
		}
		if bytes.Compare(value[:8], moment(now)) <= 0 {
			continue
		}
		if err := stored.Log(value[8:], each); err != nil {
			return err
		}
	}
}
