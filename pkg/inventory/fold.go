package inventory

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	return withoutBlanks(strings.ToLower(plain(s)))
}

// withoutBlanks drops blanks and hyphens, the last step of folding.
func withoutBlanks(s string) string {
	return strings.Map(func(r rune) rune {
		if blankOrHyphen(r) {
			return -1
		}
		return r
	}, s)
}

// words splits a text into folded words: runs of letters and digits.
func words(s string) []string { return slices.Collect(eachWord(s)) }

// eachWord is words one after the other.
func eachWord(s string) iter.Seq[string] { return wordsOf(strings.ToLower(plain(s))) }

// wordsOf splits a text that is already in lower case and without accents.
func wordsOf(lower string) iter.Seq[string] {
	return strings.FieldsFuncSeq(lower, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// longestForm is, in bytes, the longest decomposition that is used. A few
// letters of no alphabet that cars are sold in stand for a whole sentence.
const longestForm = 12

// plain is the compatibility decomposition without accents. Hangul syllables
// stay whole; the order of marks, which all go, does not matter.
func plain(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		whole := s[i : i+size]
		i += size
		if r >= 0xAC00 && r <= 0xD7A3 { // Hangul syllables
			b.WriteString(whole)
			continue
		}
		switch form := norm.NFKD.PropertiesString(whole).Decomposition(); {
		case len(form) > 0 && len(form) <= longestForm:
			for _, r := range string(form) {
				if !unicode.Is(unicode.Mn, r) {
					b.WriteRune(r)
				}
			}
		case !unicode.Is(unicode.Mn, r):
			b.WriteString(whole)
		}
	}
	return b.String()
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
	if r < utf8.RuneSelf {
		return r == '-' || r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) || unicode.Is(unicode.Pd, r)
}
