package cloud

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

const (
	attrBase = "base"
	// logPart is how many publications share an item.
	logPart = 1000
)

func logPK(dealerID string) string { return dealerID + "#log" }

// logParts are the items of an import's log. They name the snapshot that the
// import shows and the one it was planned on.
func (s *Inventory) logParts(dealerID string, l inventory.Log, number, base int64) ([]item, error) {
	var parts []item
	for rest := l.Entries; len(rest) > 0; {
		n := min(len(rest), logPart)
		doc, err := stored.AppendLog(nil, rest[:n])
		for err == nil && len(doc) > itemLimit && n > 1 {
			n /= 2
			doc, err = stored.AppendLog(nil, rest[:n])
		}
		if err != nil {
			return nil, err
		}
		sk := fmt.Sprintf("%020d#%d#%04d", l.Entries[0].At.UnixNano(), number, len(parts))
		i := expire(key(logPK(dealerID), sk), l.Until)
		i[attrDoc], i[attrRevision], i[attrBase] = bin(doc), num(number), num(base)
		parts, rest = append(parts, i), rest[n:]
	}
	return parts, nil
}

// writeLog writes the log of an import before its flip: what is shown is
// logged, at the cost of entries that were never shown when the flip fails.
// Published leaves those out.
func (s *Inventory) writeLog(ctx context.Context, parts []item) error {
	writes := make([]types.WriteRequest, len(parts))
	for n, i := range parts {
		writes[n] = types.WriteRequest{PutRequest: &types.PutRequest{Item: i}}
	}
	return s.writeAll(ctx, writes)
}

// discardLog deletes the log of an import that was never shown.
func (s *Inventory) discardLog(ctx context.Context, parts []item) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	writes := make([]types.WriteRequest, len(parts))
	for n, i := range parts {
		writes[n] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key(getStr(i, attrPK), getStr(i, attrSK))}}
	}
	_ = s.writeAll(ctx, writes) // Published leaves out what stays
}

// logged is one item of the log.
type logged struct {
	sk           string
	number, base int64
}

// Published reads the log, then the head, and tells what was shown.
func (s *Inventory) Published(ctx context.Context, dealerID string, now time.Time, each func(inventory.Publication) error) error {
	var parts []logged
	docs := map[string][]byte{}
	err := s.query(ctx, logPK(dealerID), "", false, func(i item) bool {
		if !gone(i, now) {
			part := logged{getStr(i, attrSK), getNum(i, attrRevision), getNum(i, attrBase)}
			parts, docs[part.sk] = append(parts, part), getBin(i, attrDoc)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("log of publications: %w", err)
	}
	if len(parts) == 0 {
		return nil
	}
	head, err := s.head(ctx, dealerID)
	if err != nil {
		return err
	}
	for _, part := range shownParts(parts, head.Head.Snapshot) {
		if err := stored.Log(docs[part.sk], each); err != nil {
			return fmt.Errorf("log of publications, import %s: %w", strconv.FormatInt(part.number, 10), err)
		}
	}
	return nil
}

// shownParts leaves out imports whose flip did not come to pass: those that
// are not shown now, on which nothing was built, and beside which another
// import on the same snapshot was, came later or may still come.
func shownParts(parts []logged, head int64) []logged {
	shown := map[int64]bool{head: true} // by number: certain
	for _, p := range parts {
		shown[p.base] = true
	}
	// Where nothing certain was built on a snapshot, because no log was kept
	// for a while, the latest import on it was the one.
	latest := map[int64]int64{}
	settled := map[int64]bool{head: true}
	for _, p := range parts {
		latest[p.base] = p.number
		if p.number != p.base && shown[p.number] {
			settled[p.base] = true
		}
	}
	var out []logged
	for _, p := range parts {
		if shown[p.number] || !settled[p.base] && latest[p.base] == p.number {
			out = append(out, p)
		}
	}
	return out
}
