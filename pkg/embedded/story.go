package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func (s leadStore) Note(ctx context.Context, dealerID, leadID string, e lead.Event) error {
	return s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), dealerID, leadBuckets...)
		if err != nil {
			return err
		}
		if b.Bucket(recordsBucket).Get([]byte(leadID)) == nil {
			return lead.ErrNotFound
		}
		at := append(deliveryKey(leadID, ""), moment(e.At)...)
		w := writer{bucket: b}
		w.putJSON(storiesBucket, append(at, e.ID...), e, time.Time{})
		return w.err
	})
}

func (s leadStore) Story(ctx context.Context, dealerID, leadID string) ([]lead.Event, error) {
	return readUnder[lead.Event](ctx, s, dealerID, storiesBucket, deliveryKey(leadID, ""))
}

func (s leadStore) Audit(ctx context.Context, dealerID string, a lead.Audit) error {
	return s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), dealerID, leadBuckets...)
		if err != nil {
			return err
		}
		return putAudit(b, a)
	})
}

func putAudit(b *bolt.Bucket, a lead.Audit) error {
	w := writer{bucket: b}
	w.putJSON(auditsBucket, append(moment(a.At), a.ID...), a, time.Time{})
	return w.err
}

func (s leadStore) Audits(ctx context.Context, dealerID string) ([]lead.Audit, error) {
	return readUnder[lead.Audit](ctx, s, dealerID, auditsBucket, nil)
}

// readUnder decodes every value whose key begins with the prefix, in key order.
func readUnder[T any](ctx context.Context, s leadStore, dealerID string, bucket, prefix []byte) (all []T, err error) {
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		found := b.Bucket(bucket)
		if found == nil {
			return nil // an older release wrote the file
		}
		c := found.Cursor()
		for k, value := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, value = c.Next() {
			var one T
			if err := json.Unmarshal(value, &one); err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, absentIsEmpty(err)
}
