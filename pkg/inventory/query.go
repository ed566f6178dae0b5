package inventory

import (
	"strings"
	"unicode"
)

// The ranks of the fields that query looks at. A listing counts, for each
// word, by the best field that has it.
const (
	rankName   = iota // make, model, stock number, VIN
	rankKind          // year, trim, body
	rankDetail        // driveline, transmission, fuel, colors
	rankText          // features and description
	numRanks
)

// rankWeights are what a word counts in a field of each rank.
var rankWeights = [numRanks]uint16{rankName: 8, rankKind: 4, rankDetail: 2, rankText: 1}

// rankOf is the rank of a field, if query looks at it.
func rankOf(id fieldID) (rank int, searched bool) {
	switch id {
	case fieldMake, fieldModel:
		return rankName, true
	case fieldYear, fieldTrim, fieldBody:
		return rankKind, true
	case fieldDriveline, fieldTransmission, fieldFuel, fieldExterior, fieldInterior:
		return rankDetail, true
	}
	return 0, false
}

// ranked are documents by the rank of the field that has a word.
type ranked [numRanks]set

func newRanked(docs int) *ranked {
	var r ranked
	for rank := range r {
		r[rank] = newSet(docs)
	}
	return &r
}

func (r *ranked) clear() {
	for _, s := range r {
		clear(s)
	}
}

// query narrows to the listings that have every token of the text, and scores
// them. A token stands for a word in any searched field, a stock number or a
// VIN; a word of four letters or more that nobody has may have one typing
// error, though not in its digits. Up to three tokens in turn may together be one name of a field: mini
// van, rav 4, all wheel drive. Numbers are words and must be exact: "2020" is a year or a model, and
// "under 30k" asks for cars that say "under" and "30k".
func (r *narrowing) query(text string) {
	if r.ranks == nil {
		r.ranks, r.scores = newRanked(r.x.Size()), make([]uint16, r.x.Size())
	}
	clear(r.scores)
	r.scored = true
	tokens := strings.Fields(text)
	for i, token := range tokens {
		r.ranks.clear()
		r.x.token(token, r.ranks)
		r.x.together(tokens, i, r.ranks)
		copy(r.tmp, r.ranks[0])
		for _, docs := range r.ranks[1:] {
			r.tmp.or(docs)
		}
		if r.hits.and(r.tmp); r.hits.count() == 0 {
			break
		}
		r.hits.each(func(doc uint32) {
			for rank := range r.ranks {
				if r.ranks[rank].has(doc) {
					r.scores[doc] += rankWeights[rank]
					return
				}
			}
		})
	}
	r.counted("query")
}

// token adds the documents of one token to an empty set.
func (x *Index) token(token string, out *ranked) {
	units := x.withStock(FoldID(token))
	if doc, ok := x.byVIN[strings.ToUpper(token)]; ok {
		units = append(units[:len(units):len(units)], doc)
	}
	for _, doc := range units {
		out[rankName].add(doc)
	}
	whole := fold(token)
	id, exact := x.words.lookup(whole)
	if exact {
		x.words.or(id, out)
	}
	parts := words(token)
	switch {
	case len(parts) == 0: // no letter, no digit: no constraint
		out[rankText].fill(x.Size())
	case len(units) > 0: // what names a unit is no typing error
	case len(parts) > 1: // F-150 as written: all its words
		x.all(parts, out)
	case !exact || parts[0] != whole || x.words.form(whole) != whole:
		x.words.find(parts[0], out)
	}
}

// longestPhrase is how many tokens one name may be cut into.
const longestPhrase = 3

// together adds the documents of names that a token is a part of.
func (x *Index) together(tokens []string, i int, out *ranked) {
	for first := max(0, i-longestPhrase+1); first <= i; first++ {
		for end := max(i, first+1) + 1; end <= min(first+longestPhrase, len(tokens)); end++ {
			name := strings.Join(tokens[first:end], "")
			if len(name) > longestName {
				continue
			}
			if id, ok := x.words.lookup(fold(name)); ok {
				x.words.orNamed(id, out)
			}
		}
	}
}

// all adds the documents that have every one of the words, each with the rank
// of its worst word.
func (x *Index) all(parts []string, out *ranked) {
	every, one := newRanked(x.Size()), newRanked(x.Size())
	for i, part := range parts {
		one.clear()
		x.words.find(part, one)
		for rank := 1; rank < numRanks; rank++ {
			one[rank].or(one[rank-1])
		}
		for rank := range every {
			if i == 0 {
				copy(every[rank], one[rank])
			} else {
				every[rank].and(one[rank])
			}
		}
	}
	for rank := range every {
		out[rank].or(every[rank])
	}
}

// best lists the matches from skip on, at most limit: those with the higher
// score first, equal ones in an order.
func (r *narrowing) best(o *order, skip, limit int) []uint32 {
	if skip >= r.count {
		return nil
	}
	docs := r.page(o, 0, r.count)
	highest := uint16(0)
	for _, doc := range docs {
		highest = max(highest, r.scores[doc])
	}
	// next is where the next document of a score goes.
	next := make([]int, highest+2)
	for _, doc := range docs {
		next[highest-r.scores[doc]+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	out := make([]uint32, len(docs))
	for _, doc := range docs {
		at := &next[highest-r.scores[doc]]
		out[*at] = doc
		*at++
	}
	return out[skip : min(len(out)-skip, limit)+skip]
}

// plainWords is what the message says of a query that reads like a filter.
func plainWords(query string) string {
	tokens := strings.Fields(query)
	for i, token := range tokens {
		switch limit := i > 0 && limiting[strings.ToLower(tokens[i-1])]; {
		case !strings.ContainsFunc(token, unicode.IsDigit):
		case limit:
			return tokens[i-1] + " " + token
		case thousands(token):
			return token
		}
	}
	return ""
}

// limiting are words that make a limit of the number after them.
var limiting = map[string]bool{
	"under": true, "below": true, "over": true, "above": true, "than": true, "max": true, "min": true, "maximum": true, "minimum": true,
	"<": true, ">": true, "<=": true, ">=": true, "to": true, "least": true, "most": true, "between": true, "since": true, "before": true, "after": true,
}

// thousands reports whether a token is an amount such as $25,000, 30k or <30000.
func thousands(token string) bool {
	lower := strings.ToLower(token)
	digits := strings.TrimLeft(lower, "$<>=~")
	rest := strings.TrimLeft(digits, "0123456789.,")
	return rest != digits && (digits != lower || rest == "k" || rest == "mi" || rest == "miles")
}
