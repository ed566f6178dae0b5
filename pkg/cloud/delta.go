package cloud

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

const (
	attrDelta = "delta"
	skDelta   = "delta"
	// deltaLimit is what a delta may grow to, compressed: every change rewrites
	// it, and beyond this a new snapshot is the better bargain.
	deltaLimit = 16 << 10
)

func deltaKey(dealerID string, number int64) item {
	return key(dealerID+"#snap#"+strconv.FormatInt(number, 10)+"#d", skDelta)
}

// written names the items that were written for this generation alone: its
// delta, or else its blocks and shards.
func (s snapshot) written() snapshot {
	if s.delta == 0 {
		return s
	}
	return snapshot{dealerID: s.dealerID, number: s.delta, delta: s.delta}
}

// writeGeneration writes what a change needs under a number of its own: a delta
// upon the blocks that are there when few units change, else a whole snapshot.
func (s *Inventory) writeGeneration(ctx context.Context, current snapshot, number int64, change inventory.Change) (snapshot, error) {
	if current.blocks > 0 && len(change.Forget) == 0 {
		next, ok, err := s.writeDelta(ctx, current, number, change.Put)
		if ok || err != nil {
			return next, err
		}
	}
	return s.writeSnapshot(ctx, current.dealerID, number, change.All)
}

// writeDelta writes all units that differ from the blocks, unless they are too many.
func (s *Inventory) writeDelta(ctx context.Context, current snapshot, number int64, put []inventory.Vehicle) (next snapshot, ok bool, err error) {
	units, err := s.readDelta(ctx, current)
	if err != nil {
		return next, false, err
	}
	raw, err := stored.AppendVehicles(nil, overlaid(units, put)...)
	if err != nil {
		return next, false, err
	}
	doc, err := s.compress(raw)
	if err != nil || len(doc) > deltaLimit {
		return next, false, err
	}
	next = current
	next.delta = number
	entry, i := next.written().entry(), deltaKey(current.dealerID, number)
	entry[attrDelta], entry[attrAt], i[attrDoc] = num(number), num(s.now().Unix()), bin(doc)
	for _, i := range []item{entry, i} {
		if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(s.name), Item: i}); err != nil {
			return next, false, err
		}
	}
	return next, true, nil
}

// readDelta returns the units that differ from the blocks, in key order. A
// missing delta is ErrConflict: its generation was replaced and swept.
func (s *Inventory) readDelta(ctx context.Context, snap snapshot) ([]inventory.Vehicle, error) {
	if snap.delta == 0 {
		return nil, nil
	}
	k := deltaKey(snap.dealerID, snap.delta)
	i, err := s.get(ctx, getStr(k, attrPK), getStr(k, attrSK))
	if err != nil {
		return nil, fmt.Errorf("inventory delta: %w", err)
	}
	if i == nil {
		return nil, inventory.ErrConflict
	}
	return s.unpack(nil, i)
}

// overlaid is the units with those of upper in their places, in key order.
// units are in key order.
func overlaid(units, upper []inventory.Vehicle) []inventory.Vehicle {
	if len(upper) == 0 {
		return units
	}
	byKey := func(a, b inventory.Vehicle) int { return cmp.Compare(a.Key, b.Key) }
	upper = slices.SortedFunc(slices.Values(upper), byKey)
	out := make([]inventory.Vehicle, 0, len(units)+len(upper))
	for _, v := range upper {
		n, same := slices.BinarySearchFunc(units, v, byKey)
		out = append(append(out, units[:n]...), v)
		if units = units[n:]; same {
			units = units[1:]
		}
	}
	return append(out, units...)
}
