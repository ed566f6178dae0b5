package cloud

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

const (
	skRecord   = "record"
	skKey      = "key"
	skEqual    = "equal"
	skDelivery = "delivery#"
)

// Leads is lead.Store on DynamoDB; the package comment has its keys.
type Leads struct{ table }

var _ lead.Store = (*Leads)(nil)

// NewLeads keeps leads in the named table.
func NewLeads(client *dynamodb.Client, name string) *Leads { return &Leads{newTable(client, name)} }

func leadPK(dealerID, leadID string) string  { return dealerID + "#lead#" + leadID }
func equalPK(dealerID, digest string) string { return dealerID + "#equal#" + digest }
func outboxPK(dealerID string) string        { return dealerID + "#outbox" }
func receivedPK(dealerID string) string      { return dealerID + "#received" }
func timeSK(t time.Time, id string) string   { return fmt.Sprintf("%020d#%s", t.UnixNano(), id) }

// ByKey reads one item.
func (s *Leads) ByKey(ctx context.Context, dealerID, value string, now time.Time) (lead.Key, error) {
	i, err := s.get(ctx, keyPK(dealerID, value), skKey)
	if err != nil {
		return lead.Key{}, fmt.Errorf("idempotency key: %w", err)
	}
	if gone(i, now) {
		return lead.Key{}, lead.ErrNotFound
	}
	k, err := stored.Key([]byte(getStr(i, attrDoc)))
	if err != nil {
		return lead.Key{}, fmt.Errorf("idempotency key: %w", err)
	}
	return k, nil
}

// ByEqual reads one item.
func (s *Leads) ByEqual(ctx context.Context, dealerID, equal string, now time.Time) (string, error) {
	if equal == "" {
		return "", lead.ErrNotFound
	}
	i, err := s.get(ctx, equalPK(dealerID, equal), skEqual)
	if err != nil {
		return "", fmt.Errorf("equal lead: %w", err)
	}
	if gone(i, now) {
		return "", lead.ErrNotFound
	}
	return getStr(i, attrLead), nil
}

// Load reads one item.
func (s *Leads) Load(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Record, error) {
	i, err := s.get(ctx, leadPK(dealerID, leadID), skRecord)
	if err != nil {
		return lead.Record{}, fmt.Errorf("lead %s: %w", leadID, err)
	}
	return s.record(i, now)
}

func (s *Leads) record(i item, now time.Time) (lead.Record, error) {
	if gone(i, now) {
		return lead.Record{}, lead.ErrNotFound
	}
	raw, err := s.expand(getBin(i, attrDoc))
	if err != nil {
		return lead.Record{}, fmt.Errorf("lead: %w", err)
	}
	return stored.Record(raw)
}

// Enqueued deletes the outbox item.
func (s *Leads) Enqueued(ctx context.Context, dealerID, leadID string) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(s.name), Key: key(outboxPK(dealerID), leadID),
	})
	return err
}

// Outbox reads the dealer's whole outbox, which is empty but for the last
// moments or while the queue is down.
func (s *Leads) Outbox(ctx context.Context, dealerID string, before time.Time, limit int) ([]string, error) {
	type waiting struct {
		at int64
		id string
	}
	var all []waiting
	err := s.query(ctx, outboxPK(dealerID), "", false, func(i item) bool {
		if at := getNum(i, attrAt); at < before.UnixNano() {
			all = append(all, waiting{at, getStr(i, attrSK)})
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	slices.SortFunc(all, func(a, b waiting) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	ids := make([]string, 0, min(limit, len(all)))
	for _, w := range all[:min(limit, len(all))] {
		ids = append(ids, w.id)
	}
	return ids, nil
}

// List walks the leads by time, backwards, and reads the records a page at a time.
func (s *Leads) List(ctx context.Context, dealerID string, before time.Time, limit int, now time.Time) ([]lead.Record, error) {
	const page = 25
	var all []lead.Record
	below := timeSK(before, "")
	for len(all) < limit {
		var ids []string
		err := s.query(ctx, receivedPK(dealerID), below, true, func(i item) bool {
			below = getStr(i, attrSK)
			if _, id, ok := strings.Cut(below, "#"); ok && !gone(i, now) {
				ids = append(ids, id)
			}
			return len(ids) < page
		})
		if err != nil {
			return nil, fmt.Errorf("leads by time: %w", err)
		}
		keys := make([]item, len(ids))
		for n, id := range ids {
			keys[n] = key(leadPK(dealerID, id), skRecord)
		}
		found, err := s.getAll(ctx, keys)
		if err != nil {
			return nil, fmt.Errorf("leads by time: %w", err)
		}
		for _, id := range ids {
			i := found[[2]string{leadPK(dealerID, id), skRecord}]
			if gone(i, now) || len(all) == limit {
				continue
			}
			r, err := s.record(i, now)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		if len(ids) < page {
			break
		}
	}
	return all, nil
}

// gone reports whether the item is missing or its time is over. The expires
// attribute is for DynamoDB alone: it is rounded and acted upon days late.
func gone(i item, now time.Time) bool {
	if i == nil {
		return true
	}
	until := getNum(i, attrUntil)
	return until != 0 && now.UnixNano() >= until
}

// expire sets when the item ends; a zero time is never.
func expire(i item, until time.Time) item {
	if !until.IsZero() {
		i[attrUntil] = num(until.UnixNano())
		i[attrExpires] = num(until.Unix() + 1)
	}
	return i
}
