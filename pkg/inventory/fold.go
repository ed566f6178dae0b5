package inventory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldID is the form in which stock numbers and vehicle ids are compared after
// an exact match has failed: letter case, blanks and hyphens do not count.
func FoldID(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r):
			return -1
		default:
			return unicode.ToLower(r)
		}
	}, s)
}

// fold is the form in which words of a make, a model or a rooftop are
// compared: letter case, accents, blanks and hyphens do not count.
func fold(s string) string {
	if ascii(s) {
		return FoldID(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-' || unicode.In(r, unicode.Pd, unicode.Mn) || unicode.IsSpace(r):
			return -1
		default:
			return unicode.ToLower(r)
		}
	}, norm.NFKD.String(s))
}

// words splits a text into folded words: runs of letters and digits.
func words(s string) []string {
	if !ascii(s) {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(s))
	}
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func blankOrHyphen(r rune) bool {
	return r == '-' || unicode.IsSpace(r) || unicode.Is(unicode.Pd, r)
}
