package feed

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed words.txt
var wordsFile string

//go:embed makes.txt
var makesFile string

// vocabulary is one section of the table of words.
type vocabulary struct {
	exact   map[string]string // squashed cell to value
	phrases []phrase          // words inside a cell, in the table's order
}

type phrase struct{ words, value string }

var vocabularies = sync.OnceValue(func() map[string]*vocabulary {
	out := map[string]*vocabulary{}
	for _, row := range tableRows(wordsFile) {
		v := out[row.section]
		if v == nil {
			v = &vocabulary{exact: map[string]string{}}
			out[row.section] = v
		}
		for _, w := range append([]string{row.name}, row.words...) {
			if key := squash(w); key != "" && v.exact[key] == "" {
				v.exact[key] = row.name
			}
			if !row.whole {
				v.phrases = append(v.phrases, phrase{spaced(w), row.name})
			}
		}
	}
	return out
})

// find gives the value of a cell, and whether the table has it.
//
// Of a term of schema.org, https://schema.org/InStock, the last part is looked up.
func (v *vocabulary) find(cell string) (string, bool) {
	if _, term, ok := strings.Cut(cell, "schema.org/"); ok {
		cell = term
	}
	if value, ok := v.exact[squash(cell)]; ok {
		return value, true
	}
	if len(v.phrases) == 0 {
		return "", false
	}
	in := spaced(cell)
	for _, p := range v.phrases {
		if strings.Contains(in, p.words) {
			return p.value, true
		}
	}
	return "", false
}

// squash keeps the lower-cased letters and digits.
func squash(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}

// spaced is the lower-cased words of s with one blank around each.
func spaced(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	return " " + strings.Join(words, " ") + " "
}

// makes maps a squashed spelling to the usual one.
var makes = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, row := range tableRows(makesFile) {
		for _, w := range append([]string{row.name}, row.words...) {
			if key := squash(w); out[key] == "" {
				out[key] = row.name
			}
		}
	}
	return out
})

// isAbsent reports a cell that says it has no value.
func isAbsent(s string) bool {
	if len(s) > 16 {
		return false
	}
	var buf [16]byte
	key := buf[:0]
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			return false // no word of the table has one
		case c >= 0x80:
			return squash(s) == ""
		case c >= 'a' && c <= 'z':
			key = append(key, c)
		case c >= 'A' && c <= 'Z':
			key = append(key, c|0x20)
		}
	}
	if len(key) == 0 {
		return true
	}
	_, ok := vocabularies()["absent"].exact[string(key)]
	return ok
}

// memo remembers the answers for the few values most columns repeat.
type memo map[string]string

func (m memo) of(s string, make func(string) string) string {
	if v, ok := m[s]; ok {
		return v
	}
	v := make(s)
	if len(m) < 4096 {
		m[s] = v
	}
	return v
}

// cellMemo remembers the clean line of a column's cells, as long as the column
// repeats itself.
type cellMemo struct {
	lines       map[string]string
	asked, hits int
	off         bool
}

func (m *cellMemo) line(cell []byte) string {
	if m.off || len(cell) > 64 {
		return freshLine(cell)
	}
	m.asked++
	if s, ok := m.lines[string(cell)]; ok {
		m.hits++
		return s
	}
	if m.asked == 1024 && m.hits < m.asked/2 {
		m.off, m.lines = true, nil
		return freshLine(cell)
	}
	s := freshLine(cell)
	if m.lines == nil {
		m.lines = map[string]string{}
	}
	if len(m.lines) < 4096 {
		m.lines[string(cell)] = s
	}
	return s
}

// freshLine is the cell as one clean line, empty when it says it is absent.
func freshLine(cell []byte) string {
	if len(cell) == 0 {
		return ""
	}
	s := line1(text(cell))
	if isAbsent(s) {
		return ""
	}
	return s
}

// quotable is a feed's word as a report may show it. A longer text may name a
// customer ("hold for ...") and is not repeated.
func quotable(s string) string {
	digits := 0
	for _, c := range s {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	if len(strings.Fields(s)) > 3 || digits > 4 || strings.ContainsRune(s, '@') {
		return "(a longer text)"
	}
	return safe(s)
}
