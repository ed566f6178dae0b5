package embedded

import (
	"context"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

func (s leadStore) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	return s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), dealerID, leadBuckets...)
		if err != nil {
			return err
		}
		if err := free(b, k.Value, now); err != nil {
			return err
		}
		if b.Bucket(recordsBucket).Get([]byte(k.LeadID)) == nil {
			return lead.ErrNotFound
		}
		if err := purge(b, now, purgeAtOnce); err != nil {
			return err
		}
		w := writer{bucket: b}
		w.putKey(k)
		return w.err
	})
}

// free says why the idempotency key may not be written.
func free(b *bolt.Bucket, key string, now time.Time) error {
	if _, err := readKey(b, key, now); err == nil {
		return lead.ErrKeyTaken
	} else if !errors.Is(err, lead.ErrNotFound) {
		return err
	}
	return nil
}

func (s leadStore) ByKey(ctx context.Context, dealerID, key string, now time.Time) (k lead.Key, err error) {
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		k, err = readKey(b, key, now)
		return err
	})
	return k, err
}

func readKey(b *bolt.Bucket, key string, now time.Time) (k lead.Key, err error) {
	value := b.Bucket(keysBucket).Get([]byte(key))
	if value == nil {
		return k, lead.ErrNotFound
	}
	if k, err = stored.Key(value); err != nil {
		return k, err
	}
	if expired(k.ExpiresAt, now) {
		return lead.Key{}, lead.ErrNotFound
	}
	return k, nil
}
