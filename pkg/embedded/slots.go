package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/lead"
)

var (
	slotsBucket  = []byte("slots")  // rooftop, 0, type, 0, moments of start and end → taken
	visitsBucket = []byte("visits") // lead id → lead.Visit
	agendaBucket = []byte("agenda") // moment of the start, lead id → nothing
)

// taken is one slot as it is stored.
type taken struct {
	End   time.Time `json:"end"`
	Leads []string  `json:"leads"`
}

func (t taken) until() time.Time { return t.End.Add(lead.SlotKept) }

func slotsOf(rooftop, kind string) []byte { return []byte(rooftop + "\x00" + kind + "\x00") }

func slotKey(v lead.Visit, s lead.Span) []byte {
	return slices.Concat(slotsOf(v.Rooftop, v.Type), moment(s.Start), moment(s.End))
}

// readSlot returns the slot, empty when nobody takes it.
func readSlot(b *bolt.Bucket, key []byte, now time.Time) (t taken, err error) {
	if value := b.Bucket(slotsBucket).Get(key); value != nil {
		err = json.Unmarshal(value, &t)
	}
	if expired(t.until(), now) {
		return taken{}, err
	}
	return t, err
}

// room says why the claims of the visit cannot be met.
func room(b *bolt.Bucket, v lead.Visit, claims []lead.Claim, now time.Time) error {
	for _, c := range claims {
		t, err := readSlot(b, slotKey(v, c.Span), now)
		if err != nil {
			return err
		}
		if len(t.Leads) >= c.Room && !slices.Contains(t.Leads, v.LeadID) {
			return lead.ErrSlotTaken
		}
	}
	return nil
}

// putVisit writes the visit with the slots it gains; old is the visit before,
// or one without slots.
func (w *writer) putVisit(old, v lead.Visit, gained []lead.Claim, now time.Time) {
	w.freeSlots(old, v.Freed(old), now)
	for _, c := range gained {
		t, err := readSlot(w.bucket, slotKey(v, c.Span), now)
		if err != nil {
			w.err = errors.Join(w.err, err)
			return
		}
		t.End = c.End.UTC()
		if at, found := slices.BinarySearch(t.Leads, v.LeadID); !found {
			t.Leads = slices.Insert(t.Leads, at, v.LeadID)
		}
		w.putJSON(slotsBucket, slotKey(v, c.Span), t, t.until())
	}
	if w.err == nil && old.LeadID != "" {
		w.err = w.bucket.Bucket(agendaBucket).Delete(agendaKey(old))
	}
	w.put(agendaBucket, agendaKey(v), nil, time.Time{})
	w.putJSON(visitsBucket, []byte(v.LeadID), v, time.Time{})
}

func agendaKey(v lead.Visit) []byte { return append(moment(v.Start), v.LeadID...) }

func (w *writer) freeSlots(v lead.Visit, spans []lead.Span, now time.Time) {
	for _, span := range spans {
		key := slotKey(v, span)
		t, err := readSlot(w.bucket, key, now)
		if err != nil {
			w.err = errors.Join(w.err, err)
			return
		}
		t.Leads = slices.DeleteFunc(t.Leads, func(id string) bool { return id == v.LeadID })
		switch {
		case w.err != nil:
		case len(t.Leads) == 0:
			w.err = w.bucket.Bucket(slotsBucket).Delete(key)
		default:
			w.putJSON(slotsBucket, key, t, time.Time{}) // its end is noted already
		}
	}
}

// forgetVisit frees what the lead's visit takes and removes it.
func forgetVisit(b *bolt.Bucket, leadID []byte, now time.Time) error {
	if b.Bucket(visitsBucket) == nil {
		return nil // a file of an older release, not written since
	}
	value := b.Bucket(visitsBucket).Get(leadID)
	if value == nil {
		return nil
	}
	var v lead.Visit
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	w := writer{bucket: b}
	w.freeSlots(v, v.Slots, now)
	if w.err != nil {
		return w.err
	}
	if err := b.Bucket(agendaBucket).Delete(agendaKey(v)); err != nil {
		return err
	}
	return b.Bucket(visitsBucket).Delete(leadID)
}

func (s leadStore) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) (all []lead.Slot, err error) {
	prefix := slotsOf(rooftop, kind)
	first := append(slices.Clone(prefix), moment(from.Add(-lead.MaxSlot))...)
	last := append(slices.Clone(prefix), moment(to)...)
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		if b.Bucket(slotsBucket) == nil {
			return nil
		}
		c := b.Bucket(slotsBucket).Cursor()
		for k, value := c.Seek(first); k != nil && bytes.Compare(k, last) < 0; k, value = c.Next() {
			var t taken
			if err := json.Unmarshal(value, &t); err != nil {
				return err
			}
			if t.End.After(from) && !expired(t.until(), now) && len(t.Leads) > 0 {
				all = append(all, lead.Slot{Span: lead.Span{Start: timeOf(k[len(prefix):]), End: t.End}, Leads: t.Leads})
			}
		}
		return nil
	})
	return all, absentIsEmpty(err)
}

func (s leadStore) Visit(ctx context.Context, dealerID, leadID string, now time.Time) (v lead.Visit, err error) {
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		v, err = readVisit(b, []byte(leadID), now)
		return err
	})
	return v, err
}

func readVisit(b *bolt.Bucket, leadID []byte, now time.Time) (v lead.Visit, err error) {
	if b.Bucket(visitsBucket) == nil {
		return v, lead.ErrNotFound
	}
	value := b.Bucket(visitsBucket).Get(leadID)
	if value == nil {
		return v, lead.ErrNotFound
	}
	if err = json.Unmarshal(value, &v); err == nil && expired(v.ExpiresAt, now) {
		return lead.Visit{}, lead.ErrNotFound
	}
	return v, err
}

func (s leadStore) Visits(ctx context.Context, dealerID string, from, to time.Time, limit int, now time.Time) (all []lead.Visit, err error) {
	end := moment(to)
	err = s.read(ctx, dealerID, func(b *bolt.Bucket) error {
		if b.Bucket(agendaBucket) == nil {
			return nil
		}
		c := b.Bucket(agendaBucket).Cursor()
		for k, _ := c.Seek(moment(from)); k != nil && len(all) < limit && bytes.Compare(k[:8], end) < 0; k, _ = c.Next() {
			v, err := readVisit(b, k[8:], now)
			switch {
			case err == nil:
				all = append(all, v)
			case absentIsEmpty(err) != nil:
				return err
			}
		}
		return nil
	})
	return all, absentIsEmpty(err)
}

func (s leadStore) UpdateVisit(ctx context.Context, dealerID string, v lead.Visit, claims []lead.Claim, now time.Time) (lead.Visit, error) {
	next := v.Clone()
	next.Version++
	err := s.db.update(ctx, func(tx *bolt.Tx) error {
		b := tx.Bucket(leadsBucket).Bucket([]byte(dealerID))
		if b == nil {
			return lead.ErrNotFound
		}
		old, err := readVisit(b, []byte(v.LeadID), now)
		if err != nil {
			return err
		}
		if old.Version != v.Version {
			return lead.ErrConflict
		}
		gained := v.Gained(old, claims)
		if err := room(b, v, gained, now); err != nil {
			return err
		}
		w := writer{bucket: b}
		w.putVisit(old, next, gained, now)
		return w.err
	})
	if err != nil {
		return lead.Visit{}, err
	}
	return next, nil
}
