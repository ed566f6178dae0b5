package inventory

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// facetValue is one canonical spelling and what a filter with it finds.
type facetValue struct {
	text string
	json []byte
	// terms are what the filter finds in the field; docs is set instead when
	// it finds by another field too.
	terms []uint32
	docs  set
}

// Breakdown is the data of inventory.facets: terms by count and ranges.
type Breakdown struct {
	terms  [numFields][]counted
	ranges [len(facetRanges)]*aap.Range
	total  int
	note   notes
}

type counted struct {
	json  []byte
	count int
}

// facetRanges are the columns with a range facet.
var facetRanges = [...]struct {
	name   string
	column int
}{
	{"price_range", colPrice}, {"mileage_range", colMileage}, {"year_range", colYear},
	{"displacement_cc_range", colDisplacement}, {"electric_range_mi_range", colRange},
}

// tally is how many documents have each term, by field.
type tally [numFields][]uint32

// Facets breaks down the listings that match the filters.
func (x *Index) Facets(p *dealer.Profile, req *aap.FacetsRequest, now time.Time) *Breakdown {
	return x.facets(p, aap.Primary(), req, now)
}

func (x *Index) facets(p *dealer.Profile, v aap.Version, req *aap.FacetsRequest, now time.Time) *Breakdown {
	r := x.narrow(p, v, &req.Filters, now)
	defer r.release()
	return x.breakdown(p, r)
}

// compileFacets finds what each field's canonical spellings stand for: what a
// filter with the spelling would find, so that counts and searches agree.
func (x *Index) compileFacets() {
	for id, f := range x.fields {
		if fieldID(id) == fieldRooftop { // their names are the profile's
			continue
		}
		seen := map[string]bool{}
		for t := 1; t < len(f.terms); t++ {
			text := f.terms[t].display
			if key := fold(text); seen[key] || text == "" {
				continue
			} else {
				seen[key] = true
			}
			value := facetValue{text: text}
			if fieldID(id) == fieldYear {
				value.json = []byte(text)
			} else {
				value.json, _ = aap.AppendValue(nil, text)
			}
			if fieldID(id) == fieldModel {
				pairs, trims := x.models.match(text)
				value.terms = pairs
				value.docs = x.models.together(nil, text)
				if len(trims) > 0 && value.docs == nil {
					value.docs = newSet(x.Size())
				}
				if value.docs != nil {
					value.docs.orTerms(x.models.matching(nil, text))
				}
			} else {
				value.terms = f.match(text)
			}
			f.facets = append(f.facets, value)
		}
		descending := fieldID(id) == fieldYear
		slices.SortFunc(f.facets, func(a, b facetValue) int {
			n := cmp.Or(cmp.Compare(strings.ToLower(a.text), strings.ToLower(b.text)), cmp.Compare(a.text, b.text))
			if descending {
				return -n
			}
			return n
		})
	}
}

func (x *Index) tallyAll() *tally {
	var t tally
	for id, f := range x.fields {
		t[id] = make([]uint32, len(f.terms))
		for i := range f.terms {
			t[id][i] = uint32(f.terms[i].count)
		}
	}
	return &t
}

// tally counts the terms of the matches.
func (r *narrowing) tally() *tally {
	if r.count == r.x.Size() {
		return r.x.whole
	}
	r.docs = r.hits.appendDocs(r.docs[:0])
	var t tally
	total := 0
	for _, f := range r.x.fields {
		total += len(f.terms)
	}
	if cap(r.counts) < total {
		r.counts = make([]uint32, total)
	}
	counts := r.counts[:total]
	clear(counts)
	for id, f := range r.x.fields {
		c := counts[:len(f.terms):len(f.terms)]
		counts = counts[len(f.terms):]
		of := f.of
		for _, doc := range r.docs {
			c[of[doc]]++
		}
		t[id] = c
	}
	return &t
}

func (x *Index) breakdown(p *dealer.Profile, r *narrowing) *Breakdown {
	b, t := &Breakdown{total: r.count, note: r.notes()}, r.tally()
	for id, f := range x.fields {
		if len(f.terms) == 1 && !(fieldID(id) == fieldRooftop && len(p.Rooftops) == 1) {
			continue // the dealer has nothing with it
		}
		if fieldID(id) == fieldRooftop {
			b.terms[id] = x.rooftopCounts(p, t[id])
			continue
		}
		out := make([]counted, 0, len(f.facets))
		for i := range f.facets {
			value, n := &f.facets[i], 0
			if value.docs != nil {
				n = overlap(value.docs, r.hits)
			} else {
				for _, term := range value.terms {
					n += int(t[id][term])
				}
			}
			if n > 0 {
				out = append(out, counted{value.json, n})
			}
		}
		if fieldID(id) != fieldYear {
			slices.SortStableFunc(out, func(a, b counted) int { return b.count - a.count })
		}
		b.terms[id] = out
	}
	for i, span := range facetRanges {
		if span.column == colPrice && !r.priced {
			continue
		}
		b.ranges[i] = r.span(span.column)
	}
	return b
}

// rooftopCounts counts by the profile's names.
func (x *Index) rooftopCounts(p *dealer.Profile, t []uint32) []counted {
	counts, rooftops := map[string]int{}, rooftopNames(p)
	for term, n := range t {
		name := x.fields[fieldRooftop].terms[term].display
		if at := rooftops[fold(name)]; at != nil {
			name = at.Name
		} else if name == "" && len(p.Rooftops) == 1 {
			name = p.Rooftops[0].Name
		}
		if name != "" && n > 0 {
			counts[name] += int(n)
		}
	}
	out := make([]counted, 0, len(counts))
	for name, n := range counts {
		quoted, _ := aap.AppendValue(nil, name)
		out = append(out, counted{quoted, n})
	}
	slices.SortFunc(out, func(a, b counted) int {
		return cmp.Or(b.count-a.count, strings.Compare(string(a.json), string(b.json)))
	})
	return out
}

// span is the smallest and the largest value of a column among the matches,
// or nil when none has one.
func (r *narrowing) span(c int) *aap.Range {
	col := r.x.columns[c]
	if r.count*4 < len(col) {
		low, high := math.Inf(1), math.Inf(-1)
		r.hits.each(func(doc uint32) {
			if n := col[doc]; n == n {
				low, high = min(low, n), max(high, n)
			}
		})
		if low > high {
			return nil
		}
		return &aap.Range{Min: low, Max: high}
	}
	o := r.x.ordered(sortField(c), false)
	docs := o.docs[:o.values]
	first := slices.IndexFunc(docs, r.hits.has)
	if first < 0 {
		return nil
	}
	last := len(docs) - 1
	for !r.hits.has(docs[last]) {
		last--
	}
	return &aap.Range{Min: col[docs[first]], Max: col[docs[last]]}
}

// AppendJSON implements aap.Appender.
func (b *Breakdown) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	comma := false
	name := func(s string) {
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(append(append(dst, '"'), s...), `":`...)
	}
	for id, terms := range b.terms {
		if terms == nil {
			continue
		}
		name(fieldInfos[id].facet)
		dst = append(dst, '[')
		for i, t := range terms {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, `{"value":`...), t.json...)
			dst = append(dst, `,"count":`...)
			dst = append(appendInt(dst, t.count), '}')
		}
		dst = append(dst, ']')
	}
	for i, span := range b.ranges {
		if span == nil {
			continue
		}
		name(facetRanges[i].name)
		dst = append(dst, `{"min":`...)
		dst = appendFloat(dst, span.Min)
		dst = append(dst, `,"max":`...)
		dst = append(appendFloat(dst, span.Max), '}')
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes what AppendJSON appends.
func (b *Breakdown) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendFloat(dst []byte, n float64) []byte { return strconv.AppendFloat(dst, n, 'f', -1, 64) }

func overlap(a, b set) int {
	both := make(set, len(a))
	copy(both, a)
	both.and(b)
	return both.count()
}
