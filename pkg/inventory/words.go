package inventory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// lexicon finds listings by the words in them, for the query filter.
type lexicon struct {
	wordTable
	// docs holds the documents of each word's texts; word w has those between
	// ends[w-1] and ends[w].
	docs []uint32
	ends []int
	// terms are the terms of the fields that a word stands in or for, by the
	// rank of the field.
	terms [numRanks]map[uint32][]*term
	// byLength lists the words of each length in letters, for words that are
	// not found as they were typed.
	byLength [][]uint32
}

// textBuilder collects the words of features and descriptions.
type textBuilder struct {
	wordTable
	// seen is the last document of each word, plus one; counts its documents.
	seen, counts []uint32
	// flow is the words of all documents one after the other.
	flow []uint32
	ends []int
	// features remembers the words of a feature: lots repeat them.
	features map[string][]uint32
	buf      []byte
}

func newTextBuilder() *textBuilder {
	return &textBuilder{wordTable: newWordTable(), features: map[string][]uint32{}}
}

// add takes the texts of the next document.
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
	b.ends = append(b.ends, len(b.flow))
}

// text adds the words of a long text without making a string of each.
func (b *textBuilder) text(doc uint32, s string) {
	if !ascii(s) {
		for _, w := range words(s) {
			b.put(doc, b.id([]byte(w)))
		}
		return
	}
	buf := b.buf[:0]
	for i := range len(s) {
		if c := wordByte[s[i]]; c != 0 {
			buf = append(buf, c)
			continue
		}
		if len(buf) > 0 {
			b.put(doc, b.id(buf))
			buf = buf[:0]
		}
	}
	if len(buf) > 0 {
		b.put(doc, b.id(buf))
	}
	b.buf = buf
}

// wordByte is each ASCII letter in lower case and each digit, else 0.
var wordByte = func() (table [256]byte) {
	for c := range byte(0x80) {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()

// put relies on documents coming in order.
func (b *textBuilder) put(doc, id uint32) {
	for len(b.seen) <= int(id) {
		b.seen, b.counts = append(b.seen, 0), append(b.counts, 0)
	}
	if b.seen[id] == doc+1 {
		return
	}
	b.seen[id] = doc + 1
	b.counts[id]++
	b.flow = append(b.flow, id)
}

// finish adds the words of the fields, with every known other spelling, and
// makes the lexicon.
func (b *textBuilder) finish(x *Index) *lexicon {
	l := &lexicon{docs: make([]uint32, len(b.flow)), ends: make([]int, len(b.counts))}
	for rank := range l.terms {
		l.terms[rank] = map[uint32][]*term{}
	}
	at := 0
	for id, n := range b.counts {
		l.ends[id] = at // moves to the end as the documents are put in
		at += int(n)
	}
	start := 0
	for doc, end := range b.ends {
		for _, id := range b.flow[start:end] {
			l.docs[l.ends[id]] = uint32(doc)
			l.ends[id]++
		}
		start = end
	}
	for id, f := range x.fields {
		rank, searched := rankOf(fieldID(id))
		if !searched {
			continue
		}
		for i := 1; i < len(f.terms); i++ {
			for _, w := range fieldWords(fieldID(id), &f.terms[i]) {
				l.stands(rank, b.id([]byte(w)), &f.terms[i])
			}
		}
		for name, ids := range f.byName { // VW, CRV, F150
			for _, i := range ids {
				l.stands(rank, b.id([]byte(name)), &f.terms[i])
			}
		}
	}
	l.wordTable = b.wordTable
	for id, word := range l.words {
		n := utf8.RuneCountInString(word)
		for len(l.byLength) <= n {
			l.byLength = append(l.byLength, nil)
		}
		l.byLength[n] = append(l.byLength[n], uint32(id))
	}
	return l
}

func (l *lexicon) stands(rank int, word uint32, t *term) {
	l.terms[rank][word] = append(l.terms[rank][word], t)
}

// fieldWords are the words by which a query finds a term.
func fieldWords(id fieldID, t *term) []string {
	k := known()
	out := append(words(t.display), t.words...)
	for part := range strings.FieldsSeq(t.display) {
		if strings.Contains(part, "-") {
			out = append(out, fold(part)) // crv for CR-V Hybrid
		}
	}
	switch id {
	case fieldBody, fieldDriveline, fieldTransmission, fieldFuel:
		section := fieldInfos[id].section
		out = append(out, k.names[section][k.group(section, t.display)]...)
	}
	return out
}

// or adds the documents of a word.
func (l *lexicon) or(word uint32, out *ranked) {
	if int(word) < len(l.ends) {
		start := 0
		if word > 0 {
			start = l.ends[word-1]
		}
		for _, doc := range l.docs[start:l.ends[word]] {
			out[rankText].add(doc)
		}
	}
	l.orNamed(word, out)
}

// orNamed adds the documents of the fields that a word stands in or for.
func (l *lexicon) orNamed(word uint32, out *ranked) {
	for rank, terms := range l.terms {
		out[rank].orTerms(terms[word])
	}
}

// form is the usual form of a word, such as gray for grey.
func (l *lexicon) form(word string) string {
	for _, section := range [...]string{"color", "transmission words"} {
		if form, ok := known().wordForms[section][word]; ok {
			return form
		}
	}
	return word
}

// find adds the documents of a word, or of the words one typing error away
// when nothing has the word itself.
func (l *lexicon) find(word string, out *ranked) {
	found := false
	for _, w := range [...]string{word, l.form(word)} {
		if id, ok := l.lookup(w); ok {
			l.or(id, out)
			found = true
		}
	}
	n, number := utf8.RuneCountInString(word), digits(word)
	if found || n-len(number) < 4 {
		return
	}
	for length := n - 1; length <= n+1 && length < len(l.byLength); length++ {
		for _, candidate := range l.byLength[length] {
			if w := l.words[candidate]; oneSlip(word, w) && (number == "" || digits(w) == number) {
				l.or(candidate, out)
			}
		}
	}
}

// digits are those of a word: the 4 of 4runner.
func digits(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, word)
}
