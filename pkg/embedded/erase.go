package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// Erase removes the leads in one transaction, then writes the file anew: what
// a transaction removes stays readable in freed pages until they are used again.
func (s leadStore) Erase(ctx context.Context, dealerID string, leadIDs []string, a lead.Audit) error {
	err := s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), dealerID, leadBuckets...)
		if err != nil {
			return err
		}
		if err := eraseLeads(b, leadIDs); err != nil {
			return err
		}
		for _, id := range leadIDs {
			if err := tx.Bucket(queueBucket).Delete([]byte(id)); err != nil {
				return err
			}
		}
		if err := putAudit(b, a); err != nil {
			return err
		}
		return tx.Bucket(metaBucket).Put(rewriteKey, rewriteNow)
	})
	if err != nil {
		return err
	}
	return s.db.Rewrite(ctx)
}

func eraseLeads(b *bolt.Bucket, leadIDs []string) error {
	for _, id := range leadIDs {
		if value := b.Bucket(recordsBucket).Get([]byte(id)); value != nil {
			r, err := stored.Record(value)
			if err != nil {
				return err
			}
			if err := removeLead(b, []byte(id), r.ReceivedAt); err != nil {
				return err
			}
		}
	}
	// Keys and duplicate keys do not lie by lead; what expires is listed once more.
	gone := map[byte]func(key []byte) bool{recordsBucket[0]: func(key []byte) bool { return slices.Contains(leadIDs, string(key)) }}
	holders := map[string]func([]byte) (string, error){
		string(keysBucket): func(value []byte) (string, error) {
			k, err := stored.Key(value)
			return k.LeadID, err
		},
		string(equalsBucket): func(value []byte) (string, error) {
			var h holder
			err := json.Unmarshal(value, &h)
			return h.LeadID, err
		},
	}
	for name, leadOf := range holders {
		var keys [][]byte
		err := b.Bucket([]byte(name)).ForEach(func(k, value []byte) error {
			id, err := leadOf(value)
			if err == nil && slices.Contains(leadIDs, id) {
				keys = append(keys, bytes.Clone(k))
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := removeAll(b.Bucket([]byte(name)), keys); err != nil {
			return err
		}
		gone[name[0]] = func(key []byte) bool {
			return slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) })
		}
	}
	var dates [][]byte
	err := b.Bucket(expiryBucket).ForEach(func(k, _ []byte) error {
		if of := gone[k[8]]; of != nil && of(k[9:]) {
			dates = append(dates, bytes.Clone(k))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return removeAll(b.Bucket(expiryBucket), dates)
}
