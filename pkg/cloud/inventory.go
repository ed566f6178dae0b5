package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

const (
	attrRevision = "revision"
	attrToken    = "token" // tells whose flip a head is
	attrBlocks   = "blocks"
	attrShards   = "shards"
	attrCount    = "units"
	attrAt       = "at"

	skHead  = "head"
	skBlock = "block"
	skShard = "shard"
)

// Inventory is inventory.Store on DynamoDB; the package comment has its keys.
type Inventory struct {
	table
	now func() time.Time
	// held are the blocks of the snapshot read last, as they are stored.
	held atomic.Pointer[heldBlocks]
}

var _ inventory.Store = (*Inventory)(nil)

// NewInventory keeps vehicles in the named table.
func NewInventory(client *dynamodb.Client, name string) *Inventory {
	return &Inventory{table: newTable(client, name), now: time.Now}
}

// SetClock replaces the clock that dates snapshots and says which are old
// enough to be swept. It is to be called before anything else.
func (s *Inventory) SetClock(now func() time.Time) { s.now = now }

// storedHead is the head with what only this store needs.
type storedHead struct {
	inventory.Head
	snapshot
	token string
}

// Head reads one item.
func (s *Inventory) Head(ctx context.Context, dealerID string) (inventory.Head, error) {
	h, err := s.head(ctx, dealerID)
	return h.Head, err
}

func (s *Inventory) head(ctx context.Context, dealerID string) (h storedHead, err error) {
	i, err := s.get(ctx, dealerID+"#head", skHead)
	if err != nil {
		return h, fmt.Errorf("inventory head: %w", err)
	}
	if i == nil {
		return h, inventory.ErrNotFound
	}
	if err := json.Unmarshal([]byte(getStr(i, attrDoc)), &h.Head); err != nil {
		return h, fmt.Errorf("inventory head: %w", err)
	}
	h.token = getStr(i, attrToken)
	h.snapshot = snapshot{
		dealerID: dealerID, number: h.Head.Snapshot,
		blocks: int(getNum(i, attrBlocks)), shards: int(getNum(i, attrShards)),
	}
	if base := getNum(i, attrBase); base != 0 {
		h.snapshot.number, h.snapshot.delta = base, h.Head.Snapshot
	}
	return h, nil
}

// Snapshot reads the head and then all blocks and the delta; of a snapshot that
// this Inventory read last, the delta only.
func (s *Inventory) Snapshot(ctx context.Context, dealerID string, h inventory.Head) ([]inventory.Vehicle, error) {
	current, err := s.head(ctx, dealerID)
	if err != nil {
		return nil, err
	}
	if current.Head.Snapshot != h.Snapshot {
		return nil, inventory.ErrConflict
	}
	return s.readAll(ctx, current.snapshot)
}

// Find reads the head, the delta, a shard and the blocks it names, mostly one.
func (s *Inventory) Find(ctx context.Context, dealerID string, id inventory.Identifier) (inventory.Vehicle, error) {
	var err error
	for range 4 {
		var h storedHead
		if h, err = s.head(ctx, dealerID); err != nil {
			break
		}
		var v inventory.Vehicle
		// A conflict says that the snapshot was swept meanwhile: begin anew.
		if v, err = s.find(ctx, h.snapshot, id); !errors.Is(err, inventory.ErrConflict) {
			return v, err
		}
	}
	return inventory.Vehicle{}, err
}

// Apply writes the new snapshot, or a delta, under a number of its own, then
// flips the head.
func (s *Inventory) Apply(ctx context.Context, dealerID string, base inventory.Head, change inventory.Change) (inventory.Head, error) {
	current, err := s.head(ctx, dealerID)
	if err != nil && !errors.Is(err, inventory.ErrNotFound) {
		return inventory.Head{}, err
	}
	if current.Revision != base.Revision {
		return inventory.Head{}, inventory.ErrConflict
	}
	next := storedHead{
		Head:  stored.NextHead(current.Head, change, rand.Int64N(1<<62)+1, s.now()),
		token: strconv.FormatUint(rand.Uint64(), 36),
	}
	next.snapshot = current.snapshot
	next.snapshot.dealerID = dealerID
	fresh := next.Head.Snapshot != current.Head.Snapshot
	if fresh {
		if next.snapshot, err = s.writeGeneration(ctx, next.snapshot, next.Head.Snapshot, change); err != nil {
			return inventory.Head{}, err
		}
	}
	built := current.Head.Snapshot
	if !fresh {
		built = next.Head.Snapshot
	}
	log, err := s.logParts(dealerID, change.Log, next.Head.Snapshot, built)
	if err == nil {
		err = s.writeLog(ctx, log)
	}
	if err != nil {
		return inventory.Head{}, err
	}
	switch err := s.flip(ctx, dealerID, base.Revision, next); {
	case errors.Is(err, inventory.ErrConflict):
		if fresh {
			s.discard(ctx, next.snapshot.written())
		}
		s.discardLog(ctx, log)
		return inventory.Head{}, err
	case err != nil:
		// It may have been written all the same, so the snapshot stays.
		return inventory.Head{}, err
	}
	if fresh {
		s.sweep(ctx, dealerID, next.number, next.delta, current.number, current.delta)
	}
	return next.Head, nil
}

// flip puts the head if the stored one still has the revision.
func (s *Inventory) flip(ctx context.Context, dealerID string, revision int64, next storedHead) error {
	doc, err := json.Marshal(next.Head)
	if err != nil {
		return err
	}
	i := key(dealerID+"#head", skHead)
	i[attrDoc], i[attrRevision], i[attrToken] = str(string(doc)), num(next.Revision), str(next.token)
	i[attrBlocks], i[attrShards] = num(int64(next.blocks)), num(int64(next.shards))
	if next.delta != 0 {
		i[attrBase] = num(next.number)
	}
	in := &dynamodb.PutItemInput{
		TableName: aws.String(s.name), Item: i,
		ConditionExpression:      aws.String("attribute_not_exists(#pk)"),
		ExpressionAttributeNames: map[string]string{"#pk": attrPK},
	}
	if revision > 0 {
		in.ConditionExpression = aws.String("#revision = :revision")
		in.ExpressionAttributeNames = map[string]string{"#revision": attrRevision}
		in.ExpressionAttributeValues = item{":revision": num(revision)}
	}
	_, err = s.client.PutItem(ctx, in)
	if !conditionFailed(err) {
		return err
	}
	// The client repeats a put whose answer was lost; the repetition then
	// fails on the head that the first one wrote.
	current, err := s.head(ctx, dealerID)
	if err == nil && current.token == next.token {
		return nil
	}
	if err != nil && !errors.Is(err, inventory.ErrNotFound) {
		return err
	}
	return inventory.ErrConflict
}

// discard deletes a snapshot that was never shown. What fails is swept later.
func (s *Inventory) discard(ctx context.Context, snap snapshot) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = s.deleteSnapshot(ctx, snap)
}

// sweepAfter is longer than any import or reading takes.
const sweepAfter = time.Hour

// sweep deletes snapshots and deltas that nobody can be reading: none of the
// kept ones and not of the last hour. What fails is left to the next import.
func (s *Inventory) sweep(ctx context.Context, dealerID string, keep ...int64) {
	var old []snapshot
	limit := s.now().Add(-sweepAfter).Unix()
	_ = s.query(ctx, dealerID+"#snapshots", "", false, func(i item) bool {
		number, err := strconv.ParseInt(getStr(i, attrSK), 10, 64)
		for _, k := range keep {
			if k == number {
				return true
			}
		}
		if err == nil && getNum(i, attrAt) < limit {
			old = append(old, snapshot{dealerID, number, int(getNum(i, attrBlocks)), int(getNum(i, attrShards)), getNum(i, attrDelta)})
		}
		return len(old) < 10
	})
	for _, snap := range old {
		_ = s.deleteSnapshot(ctx, snap)
	}
}

func (s *Inventory) deleteSnapshot(ctx context.Context, snap snapshot) error {
	writes := make([]types.WriteRequest, 0, snap.blocks+snap.shards+1)
	if snap.delta != 0 {
		writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: deltaKey(snap.dealerID, snap.delta)}})
	}
	for n := range snap.blocks {
		writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: snap.block(n)}})
	}
	for n := range snap.shards {
		writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: snap.shard(n)}})
	}
	if err := s.writeAll(ctx, writes); err != nil {
		return err
	}
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(s.name), Key: snap.entry()})
	return err
}
