package inventory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// fieldID numbers the members whose values are terms.
type fieldID int

const (
	fieldMake fieldID = iota
	fieldModel
	fieldTrim
	fieldCondition
	fieldVehicleType
	fieldBody
	fieldDriveline
	fieldTransmission
	fieldFuel
	fieldExterior
	fieldInterior
	fieldRooftop
	fieldChargePort
	fieldDCFastCharge
	fieldStatus
	fieldYear
	numFields
)

// fieldInfo says how a field is matched and what its facet is called.
type fieldInfo struct {
	filter, facet string
	// section is the part of the synonym file whose groups apply.
	section string
	// contains lets a filter match whole words inside a value; wordForms is
	// the part of the synonym file with spellings of single words.
	contains  bool
	wordForms string
}

var fieldInfos = [numFields]fieldInfo{
	fieldMake:         {filter: "make", facet: "makes"},
	fieldModel:        {filter: "model", facet: "models"},
	fieldTrim:         {filter: "trim", facet: "trims"},
	fieldCondition:    {filter: "condition", facet: "conditions"},
	fieldVehicleType:  {filter: "vehicle_type", facet: "vehicle_types"},
	fieldBody:         {filter: "body", facet: "bodies", section: "body"},
	fieldDriveline:    {filter: "driveline", facet: "drivelines", section: "driveline"},
	fieldTransmission: {filter: "transmission", facet: "transmissions", section: "transmission", contains: true, wordForms: "transmission words"},
	fieldFuel:         {filter: "fuel", facet: "fuels", section: "fuel", contains: true},
	fieldExterior:     {filter: "exterior_color", facet: "exterior_colors", contains: true, wordForms: "color"},
	fieldInterior:     {filter: "interior_color", facet: "interior_colors", contains: true, wordForms: "color"},
	fieldRooftop:      {filter: "rooftops", facet: "rooftops"},
	fieldChargePort:   {filter: "charge_port", facet: "charge_ports", section: "charge_port"},
	fieldDCFastCharge: {filter: "dc_fast_charge", facet: "dc_fast_charge"},
	fieldStatus:       {facet: "statuses"},
	fieldYear:         {facet: "years"},
}

// field is one member of all listings: which term each has, and what a filter
// value means in terms.
type field struct {
	info fieldInfo
	// of is the term of each document; 0 is no value.
	of []uint32
	// terms starts with the empty term; its posting is the listings without a value.
	terms []term
	// byName finds terms by what a filter may say, byWord by a word inside.
	byName map[string][]uint32
	byWord map[string][]uint32
	// facets are the canonical spellings, in their order among equal counts.
	facets []facetValue

	build *fieldBuilder
}

// term is one distinct value of a field.
type term struct {
	// display is the spelling most listings use.
	display string
	words   []string
	// The documents that have it: docs for few, dense for many.
	docs  *roaring.Bitmap
	dense set
	count int
}

// fieldBuilder is what a field needs only while it is filled.
type fieldBuilder struct {
	byKey map[string]uint32
	byRaw map[string]*spelling
	// spelt lists the spellings of each term.
	spelt [][]*spelling
}

// spelling is one way a value is written in the feed.
type spelling struct {
	display string
	term    uint32
	count   int
}

func newField(id fieldID, docs int) *field {
	return &field{
		info: fieldInfos[id], of: make([]uint32, docs), terms: []term{{}},
		byName: map[string][]uint32{}, byWord: map[string][]uint32{},
		build: &fieldBuilder{
			byKey: map[string]uint32{}, byRaw: map[string]*spelling{},
			spelt: make([][]*spelling, 1),
		},
	}
}

// add gives a document its value. raw tells apart what must be looked at; key
// computes the term's identity from it, for values not seen before.
func (f *field) add(doc int, raw, display string, key func() string) {
	b := f.build
	if raw == "" {
		return
	}
	s, ok := b.byRaw[raw]
	if !ok {
		k := key()
		id, ok := b.byKey[k]
		if !ok {
			id = uint32(len(f.terms))
			b.byKey[k] = id
			f.terms = append(f.terms, term{})
			b.spelt = append(b.spelt, nil)
		}
		s = &spelling{display: display, term: id}
		b.byRaw[raw] = s
		b.spelt[id] = append(b.spelt[id], s)
	}
	s.count++
	f.of[doc] = s.term
}

// finish makes the postings and drops what only the filling needed.
func (f *field) finish() {
	f.post()
	for id := range f.terms {
		t := &f.terms[id]
		best := 0
		for _, s := range f.build.spelt[id] {
			if s.count > best || s.count == best && s.display < t.display {
				best, t.display = s.count, s.display
			}
		}
	}
	for key, id := range f.build.byKey {
		key, generic, _ := strings.Cut(key, pairSeparator)
		f.name(key, id)
		if f.info.filter == "make" {
			for _, spelling := range known().makeSpellings(key) {
				f.name(spelling, id)
			}
		}
		t := &f.terms[id]
		f.name(fold(t.display), id)
		t.words = known().words(f.info.wordForms, t.display+" "+generic)
	}
	if f.info.contains {
		for id := 1; id < len(f.terms); id++ {
			for _, w := range f.terms[id].words {
				f.byWord[w] = appendOnce(f.byWord[w], uint32(id))
			}
		}
	}
	f.build = nil
}

// post makes the postings from the documents' terms.
func (f *field) post() {
	for _, id := range f.of {
		f.terms[id].count++
	}
	docs, ends, at := make([]uint32, len(f.of)), make([]int, len(f.terms)), 0
	for id := range f.terms {
		t := &f.terms[id]
		if t.count > min(len(f.of)/32, 4096) {
			t.dense = newSet(len(f.of))
		}
		ends[id] = at // moves to the end as the documents are put in
		at += t.count
	}
	for doc, id := range f.of {
		if dense := f.terms[id].dense; dense != nil {
			dense.add(uint32(doc))
		} else {
			docs[ends[id]] = uint32(doc)
			ends[id]++
		}
	}
	for id := range f.terms {
		if t := &f.terms[id]; t.dense == nil {
			t.docs = roaring.BitmapOf(docs[ends[id]-t.count : ends[id]]...)
		}
	}
}

func (f *field) name(name string, id uint32) {
	if name != "" {
		f.byName[name] = appendOnce(f.byName[name], id)
	}
}

func appendOnce(ids []uint32, id uint32) []uint32 {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// ranks is the field as a sortable column.
func (f *field) ranks() column {
	displays := make([]string, len(f.terms))
	for i := range f.terms {
		displays[i] = f.terms[i].display
	}
	byTerm := stringRanks(displays)
	col := make(column, len(f.of))
	for doc, id := range f.of {
		col[doc] = byTerm[id]
	}
	return col
}

// displays lists the spellings of the terms, sorted.
func (f *field) displays() []string {
	var out []string
	for _, t := range f.terms[1:] {
		out = append(out, t.display)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	return slices.Compact(out)
}
