package inventory

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Index answers searches over one generation of one dealer's inventory. It
// never changes once built and is safe for concurrent use. Documents are the
// listed units in the order of their keys.
type Index struct {
	head Head
	// keys, vins and stocks identify the documents.
	keys, stocks []string
	byVIN        map[string]uint32
	// byStock finds the first document by stock number, exact and folded;
	// sharedStock those that come after it.
	byStock     map[string]uint32
	sharedStock map[string][]uint32
	// encoded is every listing as it goes on the wire, one after the other;
	// document d lies between ends[d-1] and ends[d].
	encoded []byte
	ends    []int

	columns [numColumns]column
	orders  [2 * numSorts]order
	fields  [numFields]*field
	models  *models
	words   *lexicon
	stale   []rooftopAge
	whole   *tally

	gone []goneUnit

	scratch sync.Pool
}

// rooftopAge is when a rooftop's listings were last vouched for.
type rooftopAge struct {
	name    string
	vouched time.Time
	docs    set
}

// goneUnit is a unit that is kept but not listed, for leads about it.
type goneUnit struct {
	pair, trim string
	year       int64
	unit       Vehicle
}

// NewIndex builds the index of a generation. units are all units of the
// generation in the order of their keys; the index keeps no reference to the
// listed ones.
func NewIndex(ctx context.Context, units []Vehicle, head Head) (*Index, error) {
	x := &Index{head: head}
	listed := make([]*Vehicle, 0, len(units))
	for i := range units {
		if units[i].State.Listed() {
			listed = append(listed, &units[i])
			continue
		}
		x.gone = append(x.gone, goneUnit{
			pair: pairKey(units[i].Listing.Make, units[i].Listing.Model),
			trim: fold(units[i].Listing.Trim), year: intOf(units[i].Listing.Year), unit: units[i],
		})
	}
	if !slices.IsSortedFunc(listed, byKey) {
		slices.SortFunc(listed, byKey)
	}
	x.scratch.New = func() any { return newScratch(len(listed)) }
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	work.Go(func() error { return x.encode(ctx, listed) })
	work.Go(func() error {
		x.fill(listed)
		return ctx.Err()
	})
	text := newTextBuilder()
	work.Go(func() error {
		for doc, v := range listed {
			text.add(uint32(doc), &v.Listing)
		}
		return ctx.Err()
	})
	if err := work.Wait(); err != nil {
		return nil, err
	}
	x.words = text.finish(x)
	x.whole = x.tallyAll()
	x.compileFacets()
	x.ordered(colUpdated, true)
	return x, nil
}

func byKey(a, b *Vehicle) int { return cmp.Compare(a.Key, b.Key) }

func intOf(n *aap.Int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// Revision is the head's revision that the index shows.
func (x *Index) Revision() int64 { return x.head.Revision }

// Size is the number of listings.
func (x *Index) Size() int { return len(x.keys) }

func (x *Index) encode(ctx context.Context, listed []*Vehicle) error {
	x.ends = make([]int, len(listed))
	vouched := map[string]string{}
	for name, at := range x.head.Vouched {
		vouched[name] = stamp(at)
	}
	for doc, v := range listed {
		if doc%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := v.Listing
		row.Status = string(v.State)
		if row.UpdatedAt == "" {
			at, ok := vouched[row.Rooftop]
			if !ok {
				at = stamp(x.head.vouchedFor(row.Rooftop))
				vouched[row.Rooftop] = at
			}
			row.UpdatedAt = at
		}
		var err error
		if x.encoded, err = appendListing(x.encoded, &row); err != nil {
			return fmt.Errorf("encode %s: %w", v.Key, err)
		}
		x.ends[doc] = len(x.encoded)
		if doc == 255 { // enough to know how long they are
			x.encoded = slices.Grow(x.encoded, len(x.encoded)/256*(len(listed)-doc)*11/10)
		}
	}
	return nil
}

// listing is one document's JSON.
func (x *Index) listing(doc uint32) []byte {
	start := 0
	if doc > 0 {
		start = x.ends[doc-1]
	}
	return x.encoded[start:x.ends[doc]]
}

// fill makes the columns, the fields and the identifiers.
func (x *Index) fill(listed []*Vehicle) {
	n := len(listed)
	x.keys, x.stocks = make([]string, n), make([]string, n)
	x.byVIN, x.byStock = make(map[string]uint32, n), make(map[string]uint32, 2*n)
	x.sharedStock = map[string][]uint32{}
	for c := range x.columns {
		x.columns[c] = make(column, n)
	}
	for id := range x.fields {
		x.fields[id] = newField(fieldID(id), n)
	}
	var pairs []string // by term of the model field
	pairs = append(pairs, "")
	for doc, v := range listed {
		row := &v.Listing
		x.keys[doc], x.stocks[doc] = v.Key, row.Stock
		if row.VIN != "" {
			x.byVIN[row.VIN] = uint32(doc)
		}
		if row.Stock != "" {
			x.addStock(row.Stock, uint32(doc))
			if f := FoldID(row.Stock); f != row.Stock && f != "" {
				x.addStock(f, uint32(doc))
			}
		}
		x.fillColumns(doc, row, x.updatedAt(row))
		x.fillFields(doc, v, &pairs)
	}
	for id := range x.fields {
		x.fields[id].finish()
	}
	x.models = newModels(x.fields[fieldModel], x.fields[fieldTrim], pairs)
	for id, t := range x.fields[fieldRooftop].terms {
		docs := newSet(n)
		docs.any([]*term{&x.fields[fieldRooftop].terms[id]})
		x.stale = append(x.stale, rooftopAge{name: t.display, vouched: x.head.vouchedFor(t.display), docs: docs})
	}
}

func (x *Index) addStock(number string, doc uint32) {
	if _, taken := x.byStock[number]; taken {
		x.sharedStock[number] = append(x.sharedStock[number], doc)
		return
	}
	x.byStock[number] = doc
}

// withStock are the documents whose stock number is spelt so, exactly or folded.
func (x *Index) withStock(number string) []uint32 {
	doc, ok := x.byStock[number]
	if !ok {
		return nil
	}
	return append([]uint32{doc}, x.sharedStock[number]...)
}

// updatedAt is when the dealer's system vouched for a row.
func (x *Index) updatedAt(row *aap.Vehicle) time.Time {
	if row.UpdatedAt != "" {
		if at, err := time.Parse(time.RFC3339, row.UpdatedAt); err == nil {
			return at
		}
	}
	return x.head.vouchedFor(row.Rooftop)
}

// vouchedFor is when a rooftop's cars were last vouched for.
func (h Head) vouchedFor(rooftop string) time.Time {
	if at, ok := h.Vouched[rooftop]; ok {
		return at
	}
	if at, ok := h.Vouched[""]; ok {
		return at
	}
	return h.ImportedAt
}

func stamp(at time.Time) string { return at.UTC().Truncate(time.Second).Format(time.RFC3339) }
