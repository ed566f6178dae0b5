package inventory

import "math/bits"

// set is a set of documents with one bit for each; searches narrow one down.
type set []uint64

func newSet(docs int) set { return make(set, (docs+63)/64) }

func (s set) has(doc uint32) bool { return s[doc/64]>>(doc%64)&1 != 0 }
func (s set) add(doc uint32)      { s[doc/64] |= 1 << (doc % 64) }
func (s set) remove(doc uint32)   { s[doc/64] &^= 1 << (doc % 64) }

func (s set) fill(docs int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if docs%64 != 0 {
		s[len(s)-1] = 1<<(docs%64) - 1
	}
}

func (s set) and(t set) {
	for i := range s {
		s[i] &= t[i]
	}
}

func (s set) andNot(t set) {
	for i := range s {
		s[i] &^= t[i]
	}
}

func (s set) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s set) or(t set) {
	for i := range s {
		s[i] |= t[i]
	}
}

// orTerms adds the documents that have any of the terms.
func (s set) orTerms(terms []*term) {
	for _, t := range terms {
		if t.dense != nil {
			s.or(t.dense)
			continue
		}
		t.docs.WriteDenseTo(s) // sparse: lists, which add
	}
}

// any replaces the set with the documents that have any of the terms.
func (s set) any(terms []*term) {
	clear(s)
	s.orTerms(terms)
}

// appendDocs adds the members in ascending order.
func (s set) appendDocs(out []uint32) []uint32 {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// each calls f with every member in ascending order.
func (s set) each(f func(doc uint32)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(uint32(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// scratch is the memory of one search, used again by later ones.
type scratch struct {
	hits, tmp set
	docs      []uint32
	terms     []*term
	counts    []uint32
	// ranks and scores are made by the first query.
	ranks  *ranked
	scores []uint16
}

func newScratch(docs int) *scratch {
	return &scratch{hits: newSet(docs), tmp: newSet(docs)}
}
