package cloud

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/stored"
)

const (
	// blockSize is when a block is full, before compression: small enough to
	// be read for a single unit, large enough to compress well.
	blockSize = 384 << 10
	// itemLimit keeps an item with its keys under DynamoDB's 400 KB.
	itemLimit = 350 << 10
	// shardEntries is how many identifiers share a shard, 12 bytes each.
	shardEntries = 8192
	entrySize    = 12
)

// snapshot names the stored items of one generation.
type snapshot struct {
	dealerID       string
	number         int64
	blocks, shards int
	// delta numbers the item of units that differ from the blocks; 0 is none.
	delta int64
}

func (s snapshot) pk(kind string, n int) string {
	return s.dealerID + "#snap#" + strconv.FormatInt(s.number, 10) + "#" + kind + strconv.Itoa(n)
}

func (s snapshot) block(n int) item { return key(s.pk("b", n), skBlock) }
func (s snapshot) shard(n int) item { return key(s.pk("s", n), skShard) }
func (s snapshot) entry() item {
	return key(s.dealerID+"#snapshots", strconv.FormatInt(s.number, 10))
}

// block is some vehicles in key order, packed and compressed.
type block struct {
	vehicles []inventory.Vehicle
	doc      []byte
}

// writeSnapshot first notes that the snapshot may exist, then writes it.
func (s *Inventory) writeSnapshot(ctx context.Context, dealerID string, number int64, all []inventory.Vehicle) (snapshot, error) {
	byKey := func(a, b inventory.Vehicle) int { return cmp.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(all, byKey) {
		all = slices.SortedFunc(slices.Values(all), byKey)
	}
	blocks, err := s.pack(all)
	if err != nil {
		return snapshot{}, err
	}
	shards := shardBlocks(blocks)
	snap := snapshot{dealerID: dealerID, number: number, blocks: len(blocks), shards: len(shards)}
	entry := snap.entry()
	entry[attrBlocks], entry[attrShards], entry[attrAt] = num(int64(snap.blocks)), num(int64(snap.shards)), num(s.now().Unix())
	if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(s.name), Item: entry}); err != nil {
		return snap, err
	}
	writes := make([]types.WriteRequest, 0, len(blocks)+len(shards))
	for n, b := range blocks {
		i := snap.block(n)
		i[attrDoc], i[attrCount] = bin(b.doc), num(int64(len(b.vehicles)))
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: i}})
	}
	for n, doc := range shards {
		i := snap.shard(n)
		i[attrDoc] = bin(doc)
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: i}})
	}
	return snap, s.writeAll(ctx, writes)
}

// pack cuts the vehicles into blocks that fit an item.
func (s *Inventory) pack(all []inventory.Vehicle) (blocks []block, err error) {
	var raw []byte
	start := 0
	for n := range all {
		if raw, err = stored.AppendVehicles(raw, all[n]); err != nil {
			return nil, err
		}
		if len(raw) < blockSize && n < len(all)-1 {
			continue
		}
		part := all[start : n+1]
		doc, err := s.compress(raw)
		if err != nil {
			return nil, err
		}
		if len(doc) <= itemLimit {
			blocks = append(blocks, block{part, doc})
		} else if blocks, err = s.halve(blocks, part); err != nil {
			return nil, err
		}
		raw, start = raw[:0], n+1
	}
	return blocks, nil
}

// halve packs a part that did not fit as two.
func (s *Inventory) halve(blocks []block, part []inventory.Vehicle) ([]block, error) {
	if len(part) == 1 {
		return nil, fmt.Errorf("vehicle %s is too large to store", part[0].Key)
	}
	for _, half := range [][]inventory.Vehicle{part[:len(part)/2], part[len(part)/2:]} {
		more, err := s.pack(half)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, more...)
	}
	return blocks, nil
}

// readAll fetches and decodes every block and the delta. A missing one is
// ErrConflict.
func (s *Inventory) readAll(ctx context.Context, snap snapshot) ([]inventory.Vehicle, error) {
	const perRead = 10
	items := make([]item, snap.blocks)
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(4)
	for from := 0; from < snap.blocks; from += perRead {
		reads.Go(func() error {
			return s.readBlocks(readCtx, snap, items[from:min(from+perRead, snap.blocks)], from)
		})
	}
	var changed []inventory.Vehicle
	reads.Go(func() (err error) {
		changed, err = s.readDelta(readCtx, snap)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	s.held.Store(&heldBlocks{snap.dealerID, snap.number, items})
	total := 0
	starts := make([]int, len(items)+1)
	for n, i := range items {
		total += int(getNum(i, attrCount))
		starts[n+1] = total
	}
	all := make([]inventory.Vehicle, total)
	var decodes errgroup.Group
	decodes.SetLimit(runtime.GOMAXPROCS(0))
	for n, i := range items {
		decodes.Go(func() error {
			part, err := s.unpack(all[starts[n]:starts[n]:starts[n+1]], i)
			if err == nil && len(part) != starts[n+1]-starts[n] {
				err = stored.ErrFormat
			}
			return err
		})
	}
	if err := decodes.Wait(); err != nil {
		return nil, err
	}
	return overlaid(all, changed), nil
}

// heldBlocks are all blocks of one snapshot. Stored blocks never change, so they
// stand for as long as a head names their snapshot.
type heldBlocks struct {
	dealerID string
	number   int64
	items    []item
}

// readBlocks fills items with the blocks from the given one on.
func (s *Inventory) readBlocks(ctx context.Context, snap snapshot, items []item, from int) error {
	if h := s.held.Load(); h != nil && h.dealerID == snap.dealerID && h.number == snap.number && from+len(items) <= len(h.items) {
		copy(items, h.items[from:])
		return nil
	}
	keys := make([]item, len(items))
	for n := range keys {
		keys[n] = snap.block(from + n)
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return fmt.Errorf("inventory snapshot: %w", err)
	}
	for n := range items {
		if items[n] = found[[2]string{snap.pk("b", from+n), skBlock}]; items[n] == nil {
			return inventory.ErrConflict
		}
	}
	return nil
}

func (s *Inventory) unpack(dst []inventory.Vehicle, i item) ([]inventory.Vehicle, error) {
	raw, err := s.expand(getBin(i, attrDoc))
	if err != nil {
		return nil, fmt.Errorf("inventory snapshot: %w", err)
	}
	return new(stored.Reader).Vehicles(dst, string(raw))
}

// find looks the identifier up in the delta and in its shard, and reads the
// blocks named there. What the delta has of a unit is what counts.
func (s *Inventory) find(ctx context.Context, snap snapshot, id inventory.Identifier) (found inventory.Vehicle, err error) {
	index := stored.Index(id)
	if index == "" {
		return found, inventory.ErrNotFound
	}
	changed, err := s.readDelta(ctx, snap)
	if err != nil {
		return found, err
	}
	units, err := s.named(ctx, snap, index)
	if err != nil {
		return found, err
	}
	best := 0
	for _, v := range overlaid(units, changed) {
		// They come by key, so the first of a rank is the smallest.
		if rank := stored.Rank(v, id); rank > best {
			found, best = v, rank
		}
	}
	if best == 0 {
		return found, inventory.ErrNotFound
	}
	return found, nil
}

// named are the units of the blocks that an identifier's shard names, in key order.
func (s *Inventory) named(ctx context.Context, snap snapshot, index string) (units []inventory.Vehicle, err error) {
	if snap.shards == 0 {
		return nil, nil
	}
	hash := hashOf(index)
	shard, err := s.get(ctx, snap.pk("s", int(hash%uint64(snap.shards))), skShard)
	if err != nil {
		return nil, fmt.Errorf("inventory shard: %w", err)
	}
	if shard == nil {
		return nil, inventory.ErrConflict
	}
	for _, n := range lookUp(getBin(shard, attrDoc), hash) {
		items := make([]item, 1)
		if err := s.readBlocks(ctx, snap, items, n); err != nil {
			return nil, err
		}
		if units, err = s.unpack(units, items[0]); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// shardBlocks lists, for each identifier's hash, the block with the unit. A
// shard is 12-byte entries of hash and block, sorted.
func shardBlocks(blocks []block) [][]byte {
	var entries [][entrySize]byte
	for n, b := range blocks {
		for _, v := range b.vehicles {
			for _, index := range stored.Indexes(v) {
				var e [entrySize]byte
				binary.BigEndian.PutUint64(e[:], hashOf(index))
				binary.BigEndian.PutUint32(e[8:], uint32(n))
				entries = append(entries, e)
			}
		}
	}
	slices.SortFunc(entries, func(a, b [entrySize]byte) int { return bytes.Compare(a[:], b[:]) })
	shards := make([][]byte, (len(entries)+shardEntries-1)/shardEntries)
	for _, e := range slices.Compact(entries) {
		n := binary.BigEndian.Uint64(e[:]) % uint64(len(shards))
		shards[n] = append(shards[n], e[:]...)
	}
	for n := range shards {
		if shards[n] == nil {
			shards[n] = []byte{}
		}
	}
	return shards
}

// lookUp returns the blocks that a shard has for the hash, ascending.
func lookUp(shard []byte, hash uint64) (blocks []int) {
	for ; len(shard) >= entrySize; shard = shard[entrySize:] {
		if binary.BigEndian.Uint64(shard) == hash {
			blocks = append(blocks, int(binary.BigEndian.Uint32(shard[8:])))
		}
	}
	return blocks
}

func hashOf(index string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(index))
	return h.Sum64()
}
