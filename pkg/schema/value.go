package schema

import (
	"slices"
	"strconv"
	"strings"
)

// value is one JSON value of a payload. Texts and keys share the payload's
// memory as far as they hold no escapes.
type value struct {
	kind kind
	// text is the string, or the literal of a number.
	text string
	// kids are the members of an object or, without keys, the items of an array.
	kids []member
}

type member struct {
	key   string
	value value
}

// kind is a JSON type; as a bit it also serves in sets.
type kind uint16

const (
	kindNull kind = 1 << iota
	kindFalse
	kindTrue
	kindNumber
	kindInteger // only in what a schema asks for
	kindString
	kindArray
	kindObject
	// kindHostile is a number that was refused already; every rule passes it.
	kindHostile

	kindNone    kind = 0
	kindBoolean      = kindFalse | kindTrue
)

// find returns the member with that exact name, nil if there is none.
func (v *value) find(key string) *value {
	for i := range v.kids {
		if v.kids[i].key == key {
			return &v.kids[i].value
		}
	}
	return nil
}

// canonical appends a form that two values share exactly when JSON Schema calls
// them equal: 1, 1.0 and 10e-1 are one number, the order of members is no matter.
func (v *value) canonical(dst []byte) []byte {
	switch v.kind {
	case kindNull:
		return append(dst, 'n')
	case kindFalse:
		return append(dst, 'f')
	case kindTrue:
		return append(dst, 't')
	case kindNumber, kindHostile:
		return decimalOf(v.text).canonical(append(dst, '#'))
	case kindString:
		return strconv.AppendQuote(dst, v.text)
	case kindArray:
		dst = append(dst, '[')
		for i := range v.kids {
			dst = append(v.kids[i].value.canonical(dst), ',')
		}
		return append(dst, ']')
	default:
		kids := slices.Clone(v.kids)
		slices.SortFunc(kids, func(a, b member) int { return strings.Compare(a.key, b.key) })
		dst = append(dst, '{')
		for i := range kids {
			dst = append(strconv.AppendQuote(dst, kids[i].key), ':')
			dst = append(kids[i].value.canonical(dst), ',')
		}
		return append(dst, '}')
	}
}

// unique reports whether no two items of an array are equal.
func (v *value) unique() bool {
	seen := make(map[string]bool, len(v.kids))
	var buf []byte
	for i := range v.kids {
		buf = v.kids[i].value.canonical(buf[:0])
		if seen[string(buf)] {
			return false
		}
		seen[string(buf)] = true
	}
	return true
}
