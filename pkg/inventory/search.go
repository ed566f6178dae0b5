package inventory

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Page is the data of one inventory.search answer. It writes its listings by
// copying their prepared JSON.
type Page struct {
	// Total counts the matches on all pages.
	Total int
	// Skip and Limit are the effective ones.
	Skip, Limit int

	x      *Index
	docs   []uint32
	facets *Breakdown
	note   notes
}

// Len is the number of listings on the page.
func (p *Page) Len() int { return len(p.docs) }

// Keys are the keys of the listings on the page, in their order.
func (p *Page) Keys() []string {
	out := make([]string, len(p.docs))
	for i, doc := range p.docs {
		out[i] = p.x.keys[doc]
	}
	return out
}

// AppendJSON implements aap.Appender.
func (p *Page) AppendJSON(dst []byte) ([]byte, error) {
	size := 64
	for _, doc := range p.docs {
		size += len(p.x.listing(doc)) + 1
	}
	dst = slices.Grow(dst, size)
	dst = append(dst, `{"total":`...)
	dst = appendInt(dst, p.Total)
	dst = append(dst, `,"skip":`...)
	dst = appendInt(dst, p.Skip)
	dst = append(dst, `,"limit":`...)
	dst = appendInt(dst, p.Limit)
	dst = append(dst, `,"vehicles":[`...)
	for i, doc := range p.docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, p.x.listing(doc)...)
	}
	dst = append(dst, ']')
	if p.facets != nil {
		dst = append(dst, `,"facets":`...)
		var err error
		if dst, err = p.facets.AppendJSON(dst); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes what AppendJSON appends.
func (p *Page) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// Default page sizes for a profile that sets none (AAP v1.3 inventory.search).
const (
	pageDefault = 20
	pageMax     = 100
)

// Search finds, sorts and pages. now decides what is too old to be claimed. A
// query without a sort brings the best matches first, equal ones in the default
// order; a sort that was asked for is what the answer has.
func (x *Index) Search(p *dealer.Profile, req *aap.SearchRequest, now time.Time) *Page {
	return x.search(p, aap.Primary(), req, now, false)
}

// SearchWithFacets is Search with the breakdown of all matches on the page.
func (x *Index) SearchWithFacets(p *dealer.Profile, req *aap.SearchRequest, now time.Time) *Page {
	return x.search(p, aap.Primary(), req, now, true)
}

func (x *Index) search(p *dealer.Profile, v aap.Version, req *aap.SearchRequest, now time.Time, facets bool) *Page {
	r := x.narrow(p, v, &req.Filters, now)
	defer r.release()
	page := &Page{Total: r.count, x: x, note: r.notes()}
	page.Skip, page.Limit = paging(p, req.Pagination)
	field, descending := sortField(colUpdated), true
	if req.Sort != nil {
		if f, ok := sortFields[req.Sort.Field]; ok {
			field, descending = f, req.Sort.Order == "desc"
		}
	}
	if field == colPrice && !r.priced {
		field = sortNothing
	}
	if o := x.ordered(field, descending); r.scored && req.Sort == nil {
		page.docs = r.best(o, page.Skip, page.Limit)
	} else {
		page.docs = r.page(o, page.Skip, page.Limit)
	}
	if facets {
		page.facets = x.breakdown(p, r)
	}
	return page
}

// paging is the effective skip and limit.
func paging(p *dealer.Profile, ask *aap.Pagination) (skip, limit int) {
	most := p.Inventory.PageMax
	if most <= 0 {
		most = pageMax
	}
	limit = p.Inventory.PageDefault
	if limit <= 0 {
		limit = pageDefault
	}
	if ask != nil && ask.Limit != nil {
		limit = int(*ask.Limit)
	}
	if ask != nil && ask.Skip != nil {
		skip = int(*ask.Skip)
	}
	return max(0, skip), min(max(1, limit), most)
}

// page lists the matches from skip on, at most limit, in an order.
func (r *narrowing) page(o *order, skip, limit int) []uint32 {
	if skip >= r.count {
		return nil
	}
	last := min(r.count, skip+min(limit, math.MaxInt-skip))
	out := make([]uint32, 0, last-skip)
	walk := len(o.docs) / r.count * last
	if few := r.count * bits.Len(uint(r.count)); few < walk {
		// Few matches: sort them instead of walking past everything else.
		r.docs = r.hits.appendDocs(r.docs[:0])
		for i, doc := range r.docs {
			r.docs[i] = o.at[doc]
		}
		slices.Sort(r.docs)
		for _, at := range r.docs[skip:last] {
			out = append(out, o.docs[at])
		}
		return out
	}
	seen := 0
	for _, doc := range o.docs {
		if !r.hits.has(doc) {
			continue
		}
		if seen++; seen > skip {
			if out = append(out, doc); seen == last {
				break
			}
		}
	}
	return out
}
