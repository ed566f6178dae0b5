package inventory

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// lexicon finds listings by the words in them, for the query filter.
type lexicon struct {
	ids      map[string]uint32
	postings []*roaring.Bitmap
	// byLength lists the words of each length in letters, for words that are
	// not found as they were typed.
	byLength [][]string
}

// textBuilder collects the words of features and descriptions.
type textBuilder struct {
	ids   map[string]uint32
	lists [][]uint32
	// features remembers the words of a feature: lots repeat them.
	features map[string][]uint32
	buf      []byte
}

func newTextBuilder() *textBuilder {
	return &textBuilder{ids: map[string]uint32{}, features: map[string][]uint32{}}
}

func (b *textBuilder) add(doc uint32, row *aap.Vehicle) {
	for _, feature := range row.Features {
		ids, ok := b.features[feature]
		if !ok {
			for _, w := range words(feature) {
				ids = append(ids, b.id([]byte(w)))
			}
			b.features[feature] = ids
		}
		for _, id := range ids {
			b.put(doc, id)
		}
	}
	b.text(doc, row.Description)
}

// text adds the words of a long text without making a string of each.
func (b *textBuilder) text(doc uint32, s string) {
	if !ascii(s) {
		for _, w := range words(s) {
			b.put(doc, b.id([]byte(w)))
		}
		return
	}
	b.buf = b.buf[:0]
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.buf = append(b.buf, c)
			continue
		case 'A' <= c && c <= 'Z':
			b.buf = append(b.buf, c+'a'-'A')
			continue
		}
		if len(b.buf) > 0 {
			b.put(doc, b.id(b.buf))
			b.buf = b.buf[:0]
		}
	}
	if len(b.buf) > 0 {
		b.put(doc, b.id(b.buf))
	}
}

func (b *textBuilder) id(word []byte) uint32 {
	id, ok := b.ids[string(word)]
	if !ok {
		id = uint32(len(b.lists))
		b.ids[string(word)] = id
		b.lists = append(b.lists, nil)
	}
	return id
}

// put relies on documents coming in order.
func (b *textBuilder) put(doc, id uint32) {
	if list := b.lists[id]; len(list) == 0 || list[len(list)-1] != doc {
		b.lists[id] = append(list, doc)
	}
}

// finish adds the words of the fields, with every known other spelling, and
// makes the lexicon.
func (b *textBuilder) finish(x *Index) *lexicon {
	extra := map[uint32][]*roaring.Bitmap{}
	for id, f := range x.fields {
		switch fieldID(id) {
		case fieldMake, fieldModel, fieldTrim, fieldBody, fieldDriveline, fieldTransmission, fieldFuel, fieldExterior, fieldInterior, fieldYear:
		default:
			continue
		}
		for term := 1; term < len(f.terms); term++ {
			t := &f.terms[term]
			for _, w := range fieldWords(fieldID(id), t) {
				word := b.id([]byte(w))
				extra[word] = append(extra[word], t.docs)
			}
		}
		for name, ids := range f.byName { // VW, CRV, F150
			for _, term := range ids {
				word := b.id([]byte(name))
				extra[word] = append(extra[word], f.terms[term].docs)
			}
		}
	}
	l := &lexicon{ids: b.ids, postings: make([]*roaring.Bitmap, len(b.lists))}
	for word, id := range b.ids {
		docs := roaring.BitmapOf(b.lists[id]...)
		if more := extra[id]; len(more) > 0 {
			docs = roaring.FastOr(append(more, docs)...)
		}
		l.postings[id] = docs
		n := utf8.RuneCountInString(word)
		for len(l.byLength) <= n {
			l.byLength = append(l.byLength, nil)
		}
		l.byLength[n] = append(l.byLength[n], word)
	}
	return l
}

// fieldWords are the words by which a query finds a term.
func fieldWords(id fieldID, t *term) []string {
	k := known()
	out := append(words(t.display), t.words...)
	switch id {
	case fieldBody, fieldDriveline, fieldTransmission, fieldFuel:
		section := fieldInfos[id].section
		out = append(out, k.names[section][k.group(section, t.display)]...)
	}
	return out
}

// query returns the documents that have every token of the text. A token
// stands for a word in any searched field, a stock number or a VIN; a word of
// four letters or more that nobody has may have one typing error.
func (x *Index) query(text string, hits, tmp set) {
	for token := range strings.FieldsSeq(text) {
		clear(tmp)
		x.token(token, tmp)
		hits.and(tmp)
	}
}

func (x *Index) token(token string, out set) {
	if docs, ok := x.byStock[FoldID(token)]; ok {
		for _, d := range docs {
			out.add(d)
		}
	}
	if d, ok := x.byVIN[strings.ToUpper(token)]; ok {
		out.add(d)
	}
	var found []*roaring.Bitmap
	whole := fold(token)
	if id, ok := x.words.ids[whole]; ok {
		found = append(found, x.words.postings[id])
	}
	parts := words(token)
	switch {
	case len(parts) == 1 && parts[0] != whole:
		found = append(found, x.words.find(parts[0])...)
	case len(parts) > 1:
		all := make([]*roaring.Bitmap, 0, len(parts))
		for _, part := range parts {
			all = append(all, roaring.FastOr(x.words.find(part)...))
		}
		found = append(found, roaring.FastAnd(all...))
	case len(parts) == 1 && len(found) == 0:
		found = x.words.find(parts[0])
	case len(parts) == 0 && len(found) == 0: // no letter, no digit: no constraint
		out.fill(x.Size())
	}
	if len(found) > 0 {
		more := newSet(x.Size())
		more.union(found)
		for i := range out {
			out[i] |= more[i]
		}
	}
}

// find returns the postings of a word, or of the words one typing error away
// when nothing has the word itself.
func (l *lexicon) find(word string) []*roaring.Bitmap {
	for _, section := range [...]string{"color", "transmission words"} {
		if form, ok := known().wordForms[section][word]; ok {
			if id, ok := l.ids[form]; ok {
				word = form
				return []*roaring.Bitmap{l.postings[id]}
			}
		}
	}
	if id, ok := l.ids[word]; ok {
		return []*roaring.Bitmap{l.postings[id]}
	}
	n := utf8.RuneCountInString(word)
	if _, err := strconv.ParseFloat(word, 64); n < 4 || err == nil || strings.ContainsAny(word, "0123456789") {
		return nil
	}
	var out []*roaring.Bitmap
	for length := n - 1; length <= n+1 && length < len(l.byLength); length++ {
		for _, candidate := range l.byLength[length] {
			if oneSlip(word, candidate) {
				out = append(out, l.postings[l.ids[candidate]])
			}
		}
	}
	return out
}
