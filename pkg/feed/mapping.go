package feed

import (
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// maxColumns caps the columns of a table; a JSON feed's further members are
// not read.
const maxColumns = 2000

// attribute is a column that becomes a member of other_attributes.
type attribute struct {
	name   string
	column int
}

// mapping says which column fills which member.
type mapping struct {
	headers []string
	use     []string // how each column is used, as the report says it
	by      [members][]int
	unit    [members]string // km or mi where the header says so
	attrs   []attribute
	// named are the profile's columns that the file does not have, and clashes
	// the price columns beside the used one.
	missing      []string
	refused      []string
	clashes      []string
	saleOnly     []string
	photoColumns []int // in the order their photos are shown
}

func (m *mapping) has(x member) bool { return len(m.by[x]) > 0 }

// allPhotos reports a column that holds every photo, so that a main photo
// beside it would be one of them again, often as a thumbnail.
func (m *mapping) allPhotos() bool {
	return slices.ContainsFunc(m.by[mPhotos], func(c int) bool {
		h := foldHeader(m.headers[c])
		return !strings.Contains(h, "additional") && !strings.Contains(h, "other") && !strings.Contains(h, "extra")
	})
}

// identified reports whether a column can tell one unit from another.
func (m *mapping) identified() bool { return m.has(mVIN) || m.has(mStock) || m.has(mVehicleID) }

// newMapping maps headers by the profile first, then by the table of spellings.
func newMapping(headers []string, f dealer.Feed) *mapping {
	m := &mapping{headers: headers, use: make([]string, len(headers))}
	folded := make([]string, len(headers))
	for i, h := range headers {
		folded[i] = foldHeader(h)
		if costColumn(h) {
			m.use[i] = UseDropped
		}
	}
	var fixed [members]bool
	for _, name := range sortedKeys(f.Columns) {
		column := f.Columns[name]
		attr, isAttr := strings.CutPrefix(name, "other_attributes.")
		target, ok := memberByName(name)
		if !ok && !isAttr {
			m.missing = append(m.missing, name+" (not a vehicle member)")
			continue
		}
		if !isAttr {
			fixed[target] = true
		}
		at := findColumn(headers, folded, column)
		switch {
		case at < 0:
			m.missing = append(m.missing, name+": "+safe(column))
		case m.use[at] == UseDropped:
			m.refused = append(m.refused, safe(column))
		case isAttr:
			m.attrs = append(m.attrs, attribute{attr, at})
			m.use[at] = name
		default:
			m.by[target] = append(m.by[target], at)
			m.use[at] = name
			m.unit[target] = headerUnit(headers[at])
		}
	}
	m.byTable(folded, fixed)
	m.photoColumns = m.by[mPhotos]
	if !m.allPhotos() {
		m.photoColumns = append(slices.Clone(m.by[mMainPhoto]), m.by[mPhotos]...)
	}
	return m
}

// byTable maps what the profile left, by the table of spellings.
func (m *mapping) byTable(folded []string, fixed [members]bool) {
	type found struct{ column, rank int }
	var all [members][]found
	for i, key := range folded {
		if m.use[i] != "" || key == "" {
			continue
		}
		if name, ok := attrColumn(m.headers[i]); ok {
			m.attrs = append(m.attrs, attribute{name, i})
			m.use[i] = "other_attributes." + name
			continue
		}
		sp, ok := spellingOf(m.headers[i], key)
		if !ok {
			if saleColumn(key) {
				m.saleOnly = append(m.saleOnly, safe(m.headers[i]))
			}
			continue
		}
		if !fixed[sp.member] {
			all[sp.member] = append(all[sp.member], found{i, sp.rank})
		}
	}
	for t := range all {
		target := member(t)
		slices.SortStableFunc(all[t], func(a, b found) int { return a.rank - b.rank })
		for n, c := range all[t] {
			if n > 0 && !target.many() {
				m.use[c.column] = UseUnmapped
				if target == mPrice {
					m.clashes = append(m.clashes, safe(m.headers[c.column]))
				}
				continue
			}
			m.by[t] = append(m.by[t], c.column)
			m.use[c.column] = target.String()
			if n == 0 {
				m.unit[t] = headerUnit(m.headers[c.column])
			}
		}
	}
	for i := range m.use {
		if m.use[i] == "" {
			m.use[i] = UseUnmapped
		}
	}
}

func findColumn(headers, folded []string, name string) int {
	if i := slices.Index(headers, name); i >= 0 {
		return i
	}
	want := foldHeader(name)
	if want == "" {
		return -1
	}
	return slices.Index(folded, want)
}

// attrColumn reads the headers that feed other_attributes: attr:NAME, and
// other_attributes.NAME as a feed in the shape of AAP v1.3 has it.
func attrColumn(header string) (string, bool) {
	if name, ok := strings.CutPrefix(header, "other_attributes."); ok {
		return name, name != ""
	}
	if len(header) < 6 || !strings.EqualFold(header[:5], "attr:") {
		return "", false
	}
	name := strings.Join(strings.Fields(strings.ToLower(header[5:])), "_")
	return name, name != ""
}

// saleColumn names prices that often hold for some buyers only; they are used
// only when the profile maps them (AAP v1.3 pricing-and-ftc).
func saleColumn(folded string) bool {
	return slices.Contains([]string{"saleprice", "specialprice", "discountprice", "discountedprice", "promoprice", "financeprice", "financedprice"}, folded)
}

// headerUnit is km or mi when the header says so, else empty.
func headerUnit(header string) string {
	for _, w := range headerWords(header) {
		switch w {
		case "km", "kms", "kilometers", "kilometres", "kilometrage", "kilométrage", "kilometraje", "kilometer":
			return "km"
		case "mi", "miles", "mile", "millas", "millaje":
			return "mi"
		}
	}
	return ""
}

// known counts the headers that mean something here.
func known(headers []string, f dealer.Feed) int {
	n := 0
	for _, use := range newMapping(headers, f).use {
		if use != UseUnmapped && use != UseDropped {
			n++
		}
	}
	return n
}
