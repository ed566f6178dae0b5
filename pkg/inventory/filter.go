package inventory

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// narrowing is one evaluation of filters. Different filters narrow one after
// the other in a fixed order; values inside one of them are united.
type narrowing struct {
	x *Index
	*scratch
	count int
	// priced is true when the contract asked under can show the dealer's price.
	priced bool
	// scored is true when a query has given the matches their scores.
	scored bool
	// emptied is the filter that removed the last before listings.
	emptied string
	before  int
}

// narrow starts with all listings that may be shown and applies the filters.
// The scratch stays with the result until release.
func (x *Index) narrow(p *dealer.Profile, v aap.Version, f *aap.Filters, now time.Time) *narrowing {
	r := &narrowing{x: x, scratch: x.scratch.Get().(*scratch), priced: p.Prices.Shown(v)}
	r.hits.fill(x.Size())
	r.count = x.Size()
	if limit := p.Inventory.HardMaxAge.Std(); limit > 0 {
		for _, rooftop := range x.stale {
			if now.Sub(rooftop.vouched) > limit {
				r.hits.andNot(rooftop.docs)
			}
		}
		r.counted("freshness")
	}
	r.byTerms(p, f)
	r.number("year_min", "year_max", colYear, f.YearMin, f.YearMax)
	r.number("price_min", "price_max", colPrice, f.PriceMin, f.PriceMax)
	r.number("", "mileage_max", colMileage, nil, f.MileageMax)
	r.number("displacement_cc_min", "displacement_cc_max", colDisplacement, f.DisplacementCCMin, f.DisplacementCCMax)
	r.number("electric_range_mi_min", "electric_range_mi_max", colRange, f.ElectricRangeMiMin, f.ElectricRangeMiMax)
	if f.VIN != "" {
		clear(r.tmp)
		if doc, ok := x.byVIN[f.VIN]; ok {
			r.tmp.add(doc)
		}
		r.keep("vin")
	}
	if f.Stock != "" {
		clear(r.tmp)
		for _, doc := range x.stock(f.Stock) {
			r.tmp.add(doc)
		}
		r.keep("stock")
	}
	if f.Query != "" && r.count > 0 {
		r.query(f.Query)
	}
	return r
}

func (r *narrowing) release() { r.x.scratch.Put(r.scratch) }

// keep narrows to tmp.
func (r *narrowing) keep(filter string) {
	r.hits.and(r.tmp)
	r.counted(filter)
}

func (r *narrowing) counted(filter string) {
	before := r.count
	r.count = r.hits.count()
	if r.count == 0 && before > 0 {
		r.emptied, r.before = filter, before
	}
}

func (r *narrowing) byTerms(p *dealer.Profile, f *aap.Filters) {
	for id, values := range filterValues(f) {
		if len(values) == 0 || r.count == 0 {
			continue
		}
		r.scratch.terms = r.x.matching(r.scratch.terms[:0], p, fieldID(id), values)
		r.tmp.any(r.scratch.terms)
		r.keep(fieldInfos[id].filter)
	}
	if f.DCFastCharge != nil && *f.DCFastCharge && r.count > 0 {
		r.tmp.any(r.x.matching(r.scratch.terms[:0], p, fieldDCFastCharge, trueValue))
		r.keep("dc_fast_charge")
	}
}

var trueValue = []string{"true"}

// filterValues lists the array filters by field.
func filterValues(f *aap.Filters) [fieldChargePort + 1][]string {
	return [...][]string{
		fieldMake: f.Make, fieldModel: f.Model, fieldTrim: f.Trim, fieldCondition: f.Condition,
		fieldVehicleType: f.VehicleType, fieldBody: f.Body, fieldDriveline: f.Driveline,
		fieldTransmission: f.Transmission, fieldFuel: f.Fuel, fieldExterior: f.ExteriorColor,
		fieldInterior: f.InteriorColor, fieldRooftop: f.Rooftops, fieldChargePort: f.ChargePort,
	}
}

// matching lists the terms that any of the values finds in a field.
func (x *Index) matching(out []*term, p *dealer.Profile, id fieldID, values []string) []*term {
	f := x.fields[id]
	var rooftops map[string]*dealer.Rooftop
	var together set
	if id == fieldRooftop {
		rooftops = rooftopNames(p)
	}
	for i, value := range values {
		if i > 0 && i%1024 == 0 { // a long list repeats itself
			out = distinct(out)
		}
		switch {
		case len(value) > longestName:
		case id == fieldModel:
			out, together = x.models.matching(out, value), x.models.together(together, value)
		case id == fieldRooftop:
			out = x.rooftops(out, p, rooftops, fold(value))
		default:
			for _, term := range f.match(value) {
				out = append(out, &f.terms[term])
			}
		}
	}
	if len(values) > 16 {
		out = distinct(out)
	}
	if together != nil {
		out = append(out, &term{dense: together})
	}
	return out
}

// distinct drops repeated terms.
func distinct(terms []*term) []*term {
	seen := make(map[*term]bool, len(terms))
	return slices.DeleteFunc(terms, func(t *term) bool {
		was := seen[t]
		seen[t] = true
		return was
	})
}

// rooftops finds a rooftop by its name or an alias in the profile, folded. The
// cars of a dealer with one rooftop need not name it.
func (x *Index) rooftops(out []*term, p *dealer.Profile, known map[string]*dealer.Rooftop, name string) []*term {
	f := x.fields[fieldRooftop]
	names := []string{name}
	if at := known[name]; at != nil {
		names = names[:0]
		for _, name := range append([]string{at.Name}, at.Aliases...) {
			names = append(names, fold(name))
		}
		if len(p.Rooftops) == 1 {
			out = append(out, &f.terms[0])
		}
	}
	for _, name := range names {
		for _, term := range f.byName[name] {
			out = append(out, &f.terms[term])
		}
	}
	return out
}

// rooftopNames are the rooftops of the profile by folded names and aliases;
// the first one has a name that several have.
func rooftopNames(p *dealer.Profile) map[string]*dealer.Rooftop {
	out := map[string]*dealer.Rooftop{}
	for i := range p.Rooftops {
		r := &p.Rooftops[i]
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			if f := fold(name); out[f] == nil {
				out[f] = r
			}
		}
	}
	return out
}

// stock finds listings by stock number, exactly or else folded.
func (x *Index) stock(number string) []uint32 {
	if exact := slices.DeleteFunc(x.withStock(number), func(d uint32) bool { return x.stocks[d] != number }); len(exact) > 0 {
		return exact
	}
	return x.withStock(FoldID(number))
}

// number narrows to the listings whose value lies in the closed interval;
// those without a value never do.
func (r *narrowing) number(minName, maxName string, c int, low, high *aap.Int) {
	if low == nil && high == nil || r.count == 0 {
		return
	}
	from, to, name := math.Inf(-1), math.Inf(1), maxName
	if low != nil {
		from, name = float64(*low), minName
	}
	if high != nil {
		to = float64(*high)
		if low != nil {
			name = minName + " and " + maxName
		}
	}
	if c == colPrice && !r.priced {
		clear(r.tmp)
		r.keep(name)
		return
	}
	col := r.x.columns[c]
	o := r.x.ordered(sortField(c), false)
	lo := sort.Search(o.values, func(i int) bool { return col[o.docs[i]] >= from })
	hi := sort.Search(o.values, func(i int) bool { return col[o.docs[i]] > to })
	inside, outside := max(0, hi-lo), len(col)-max(0, hi-lo)
	// The cheapest of three equal ways: look at each candidate, collect what
	// lies inside, or remove what lies outside.
	switch {
	case r.count <= inside && r.count <= outside:
		for i, w := range r.hits {
			for v := w; v != 0; v &= v - 1 {
				bit := v & -v
				if n := col[i*64+bits.TrailingZeros64(bit)]; !(n >= from && n <= to) {
					r.hits[i] &^= bit
				}
			}
		}
		r.counted(name)
	case inside <= outside:
		clear(r.tmp)
		if lo < hi {
			for _, doc := range o.docs[lo:hi] {
				r.tmp.add(doc)
			}
		}
		r.keep(name)
	default:
		for _, doc := range o.docs[:lo] {
			r.hits.remove(doc)
		}
		for _, doc := range o.docs[hi:] {
			r.hits.remove(doc)
		}
		r.counted(name)
	}
}
