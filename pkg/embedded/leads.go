package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// What a dealer's bucket of leads holds. Moments are 8 bytes that sort by time.
var (
	recordsBucket    = []byte("records")    // lead id → record
	keysBucket       = []byte("keys")       // idempotency key → its payload and answer
	equalsBucket     = []byte("equals")     // duplicate key → holder
	receivedBucket   = []byte("received")   // moment, lead id → nothing
	outboxBucket     = []byte("outbox")     // moment, lead id → nothing
	waitingBucket    = []byte("waiting")    // lead id → its key in outbox
	deliveriesBucket = []byte("deliveries") // lead id, 0, target → lead.Delivery
	expiryBucket     = []byte("expiry")     // moment, bucket's initial, key → nothing
	storiesBucket    = []byte("stories")    // lead id, 0, moment, event id → lead.Event
	auditsBucket     = []byte("audits")     // moment, audit id → lead.Audit
)

var leadBuckets = [][]byte{
	recordsBucket, keysBucket, equalsBucket, receivedBucket, outboxBucket, waitingBucket, deliveriesBucket, expiryBucket,
	slotsBucket, visitsBucket, agendaBucket,
	storiesBucket, auditsBucket,
}

// holder is the lead that stands for a duplicate key.
type holder struct {
	LeadID string    `json:"lead_id"`
	Until  time.Time `json:"until"`
}

// Leads is the store of leads in this file.
func (db *DB) Leads() lead.Store { return leadStore{db} }

type leadStore struct{ db *DB }

func (s leadStore) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	record, err := stored.AppendRecord(nil, e.Record)
	if err != nil {
		return err
	}
	return s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), e.Record.DealerID, leadBuckets...)
		if err != nil {
			return err
		}
		if err := admit(b, e, now); err != nil {
			return err
		}
		if err := purge(b, now, purgeAtOnce); err != nil {
			return err
		}
		id := []byte(e.Record.ID)
		at := append(moment(e.Record.ReceivedAt), id...)
		w := writer{bucket: b}
		w.put(recordsBucket, id, record, e.Record.ExpiresAt)
		w.put(receivedBucket, at, nil, time.Time{})
		w.put(outboxBucket, at, nil, time.Time{})
		w.put(waitingBucket, id, at, time.Time{})
		if e.Key != nil {
			w.putKey(*e.Key)
		}
		for _, digest := range e.Poorer {
			w.putJSON(equalsBucket, []byte(digest), holder{e.Record.ID, e.EqualsUntil}, e.EqualsUntil)
		}
		if e.Equal != "" {
			w.putJSON(equalsBucket, []byte(e.Equal), holder{e.Record.ID, e.EqualsUntil}, e.EqualsUntil)
		}
		if e.Booking != nil {
			w.putVisit(lead.Visit{}, e.Booking.Visit, e.Booking.Claims, now)
		}
		return w.err
	})
}

// admit says why the entry may not be written.
func admit(b *bolt.Bucket, e lead.Entry, now time.Time) error {
	if e.Key != nil {
		if err := free(b, e.Key.Value, now); err != nil {
			return err
		}
	}
	if id, err := readEqual(b, []byte(e.Equal), now); err == nil && id != e.Instead {
		return lead.ErrDuplicate
	} else if err != nil && !errors.Is(err, lead.ErrNotFound) {
		return err
	}
	if b.Bucket(recordsBucket).Get([]byte(e.Record.ID)) != nil {
		return fmt.Errorf("lead id %s is in use", e.Record.ID)
	}
	if e.Booking != nil {
		return room(b, e.Booking.Visit, e.Booking.Claims, now)
	}
	return nil
}

func (s leadStore) ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (id string, err error) {
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		id, err = readEqual(b, []byte(equal), now)
		return err
	})
	return id, err
}

func readEqual(b *bolt.Bucket, digest []byte, now time.Time) (string, error) {
	value := b.Bucket(equalsBucket).Get(digest)
	if value == nil {
		return "", lead.ErrNotFound
	}
	var h holder
	if err := json.Unmarshal(value, &h); err != nil {
		return "", err
	}
	if expired(h.Until, now) {
		return "", lead.ErrNotFound
	}
	return h.LeadID, nil
}

func (s leadStore) Load(ctx context.Context, dealerID, leadID string, now time.Time) (r lead.Record, err error) {
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		r, err = readRecord(b, []byte(leadID), now)
		return err
	})
	return r, err
}

func readRecord(b *bolt.Bucket, id []byte, now time.Time) (lead.Record, error) {
	value := b.Bucket(recordsBucket).Get(id)
	if value == nil {
		return lead.Record{}, lead.ErrNotFound
	}
	r, err := stored.Record(value)
	if err == nil && expired(r.ExpiresAt, now) {
		return lead.Record{}, lead.ErrNotFound
	}
	return r, err
}

func (s leadStore) Enqueued(ctx context.Context, dealerID, leadID string) error {
	return s.db.update(ctx, func(tx *bolt.Tx) error {
		b := tx.Bucket(leadsBucket).Bucket([]byte(dealerID))
		if b == nil {
			return nil
		}
		return leaveOutbox(b, []byte(leadID))
	})
}

func leaveOutbox(b *bolt.Bucket, id []byte) error {
	at := b.Bucket(waitingBucket).Get(id)
	if at == nil {
		return nil
	}
	if err := b.Bucket(outboxBucket).Delete(bytes.Clone(at)); err != nil {
		return err
	}
	return b.Bucket(waitingBucket).Delete(id)
}

func (s leadStore) Outbox(ctx context.Context, dealerID string, before time.Time, limit int) (ids []string, err error) {
	end := moment(before)
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		c := b.Bucket(outboxBucket).Cursor()
		for k, _ := c.First(); k != nil && len(ids) < limit && bytes.Compare(k[:8], end) < 0; k, _ = c.Next() {
			ids = append(ids, string(k[8:]))
		}
		return nil
	})
	return ids, absentIsEmpty(err)
}

func (s leadStore) Deliveries(ctx context.Context, dealerID, leadID string) (all []lead.Delivery, err error) {
	prefix := deliveryKey(leadID, "")
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		c := b.Bucket(deliveriesBucket).Cursor()
		for k, value := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, value = c.Next() {
			var d lead.Delivery
			if err := json.Unmarshal(value, &d); err != nil {
				return err
			}
			all = append(all, d)
		}
		return nil
	})
	return all, absentIsEmpty(err)
}

func (s leadStore) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	next := d
	next.Version++
	key := deliveryKey(leadID, d.Target)
	err := s.db.update(ctx, func(tx *bolt.Tx) error {
		b, err := dealerBucket(tx.Bucket(leadsBucket), dealerID, leadBuckets...)
		if err != nil {
			return err
		}
		if b.Bucket(recordsBucket).Get([]byte(leadID)) == nil {
			return lead.ErrNotFound
		}
		var current lead.Delivery
		if value := b.Bucket(deliveriesBucket).Get(key); value != nil {
			if err := json.Unmarshal(value, &current); err != nil {
				return err
			}
		}
		if current.Version != d.Version {
			return lead.ErrConflict
		}
		w := writer{bucket: b}
		w.putJSON(deliveriesBucket, key, next, time.Time{})
		return w.err
	})
	if err != nil {
		return lead.Delivery{}, err
	}
	return next, nil
}

func (s leadStore) List(ctx context.Context, dealerID string, before time.Time, limit int, now time.Time) (all []lead.Record, err error) {
	end := moment(before)
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		c := b.Bucket(receivedBucket).Cursor()
		k, _ := c.Seek(end)
		if k == nil {
			k, _ = c.Last()
		}
		for ; k != nil && len(all) < limit; k, _ = c.Prev() {
			if bytes.Compare(k[:8], end) >= 0 {
				continue
			}
			r, err := readRecord(b, k[8:], now)
			switch {
			case err == nil:
				all = append(all, r)
			case absentIsEmpty(err) != nil:
				return err
			}
		}
		return nil
	})
	return all, absentIsEmpty(err)
}

func (s leadStore) read(ctx context.Context, dealerID string, do func(*bolt.Bucket) error) error {
	return s.db.view(ctx, func(tx *bolt.Tx) error {
		b := tx.Bucket(leadsBucket).Bucket([]byte(dealerID))
		if b == nil {
			return lead.ErrNotFound
		}
		return do(b)
	})
}

func deliveryKey(leadID, target string) []byte { return []byte(leadID + "\x00" + target) }

// timeOf is the time that moment wrote.
func timeOf(b []byte) time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64(b)^(1<<63))).UTC()
}

// moment is t as 8 bytes that sort like the times they stand for.
func moment(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 64), uint64(t.UnixNano())^(1<<63))
}
