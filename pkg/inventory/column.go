package inventory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// column holds one number a listing, by document; NaN where the listing has none.
type column []float64

var none = math.NaN()

// The numeric columns.
const (
	colYear = iota
	colPrice
	colListPrice
	colMSRP
	colMileage
	colDisplacement
	colRange
	colUpdated
	numColumns
)

func (x *Index) fillColumns(doc int, v *aap.Vehicle, updated time.Time) {
	for c, n := range [...]*aap.Int{
		colYear: v.Year, colPrice: v.Price, colListPrice: v.ListPrice, colMSRP: v.MSRP,
		colMileage: v.Mileage, colDisplacement: v.DisplacementCC,
	} {
		x.columns[c][doc] = none
		if n != nil {
			x.columns[c][doc] = float64(*n)
		}
	}
	x.columns[colRange][doc] = none
	if v.ElectricRangeMi != nil {
		x.columns[colRange][doc] = *v.ElectricRangeMi
	}
	x.columns[colUpdated][doc] = none
	if !updated.IsZero() {
		x.columns[colUpdated][doc] = float64(updated.UnixMilli())
	}
}

// order is one way to sort all listings: by a column, those without a value
// last in both directions, ties by document (by key, that is).
type order struct {
	once sync.Once
	// docs lists all documents in order; at is where each of them stands.
	docs []uint32
	at   []uint32
	// values counts the documents that have a value; they come first.
	values int
}

func (o *order) build(col column, descending bool) {
	o.docs = make([]uint32, len(col))
	for i := range o.docs {
		o.docs[i] = uint32(i)
	}
	direction := 1
	if descending {
		direction = -1
	}
	slices.SortFunc(o.docs, func(a, b uint32) int {
		x, y := col[a], col[b]
		switch {
		case x < y:
			return -direction
		case x > y:
			return direction
		case x == y || x != x && y != y:
			return int(a) - int(b)
		case x != x:
			return 1
		default:
			return -1
		}
	})
	o.at = make([]uint32, len(col))
	for i, doc := range o.docs {
		o.at[doc] = uint32(i)
	}
	o.values, _ = slices.BinarySearchFunc(o.docs, 0, func(doc uint32, _ int) int {
		if math.IsNaN(col[doc]) {
			return 1
		}
		return -1
	})
}

// sortField is a member a search may sort by (AAP v1.3 search-request schema).
type sortField int

const sortStrings = numColumns

var sortFields = map[string]sortField{
	"year": colYear, "price": colPrice, "list_price": colListPrice, "msrp": colMSRP,
	"mileage": colMileage, "updated_at": colUpdated,
	"make": sortStrings, "model": sortStrings + 1, "stock": sortStrings + 2,
}

// sortNothing is a field that no listing has a value of: what is left of the
// order are its ties, by key.
const sortNothing = sortStrings + 3

// numSorts counts the sort fields' slots.
const numSorts = sortStrings + 4

// ordered returns the order by a field, built on first use: most searches of
// an index ask for two or three of them.
func (x *Index) ordered(f sortField, descending bool) *order {
	slot := 2 * int(f)
	if descending {
		slot++
	}
	o := &x.orders[slot]
	o.once.Do(func() { o.build(x.sortColumn(f), descending) })
	return o
}

func (x *Index) sortColumn(f sortField) column {
	switch f {
	case sortStrings:
		return x.fields[fieldMake].ranks()
	case sortStrings + 1:
		return x.fields[fieldModel].ranks()
	case sortStrings + 2:
		return stringRanks(x.stocks)
	case sortNothing:
		return stringRanks(make([]string, x.Size()))
	}
	return x.columns[f]
}

// stringRanks numbers strings in their order without letter case.
func stringRanks(values []string) column {
	lower := make([]string, len(values))
	for i, s := range values {
		lower[i] = strings.ToLower(s)
	}
	docs := make([]int, len(values))
	for i := range docs {
		docs[i] = i
	}
	slices.SortFunc(docs, func(a, b int) int { return cmp.Compare(lower[a], lower[b]) })
	col := make(column, len(values))
	rank := 0.0
	for i, doc := range docs {
		if i > 0 && lower[doc] != lower[docs[i-1]] {
			rank++
		}
		col[doc] = rank
		if values[doc] == "" {
			col[doc] = none
		}
	}
	return col
}
