package inventory

import "strings"

import "unicode/utf8"

// oneSlip reports whether b is a with exactly one letter changed, missing or
// added, or two neighbours swapped.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 4 { // one letter is at most four bytes
		return false
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	if rest := b[start : len(b)-end]; len(rest) > 2 && ascii(rest) {
		return false // as most words, without a closer look
	}
	ra, rb := []rune(a[back(a, start):]), []rune(b[back(b, start):])
	for len(ra) > 0 && len(rb) > 0 && ra[len(ra)-1] == rb[len(rb)-1] {
		ra, rb = ra[:len(ra)-1], rb[:len(rb)-1]
	}
	switch {
	case len(ra) == 0 && len(rb) == 1, len(ra) == 1 && len(rb) == 0, len(ra) == 1 && len(rb) == 1:
		return true
	case len(ra) == 2 && len(rb) == 2:
		return ra[0] == rb[1] && ra[1] == rb[0]
	}
	return false
}

// back moves a byte position to the start of its letter.
func back(s string, i int) int {
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

// slips counts the single-letter errors between two words, swapped neighbours
// as one, giving up beyond limit.
func slips(a, b string, limit int) int {
	if n := len(a) - len(b); max(n, -n) > utf8.UTFMax*limit {
		return limit + 1
	}
	ra, rb := []rune(a), []rune(b)
	if len(ra)-len(rb) > limit || len(rb)-len(ra) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		row[0] = i
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(rb)]
}

// closest returns the candidate nearest to a misspelt name, or "" when none
// is near: one slip for short names, two from five letters on. A name that is
// near to no whole candidate may be near to the first word of one, as Silverdo
// is to Silverado 1500.
func closest(name string, candidates ...[]string) string {
	if len(name) > longestName {
		return ""
	}
	f := fold(name)
	limit := 1
	if len(f) >= 5 {
		limit = 2
	}
	best, title := limit+1, ""
	for _, list := range candidates {
		for _, c := range list {
			if n := slips(f, fold(c), limit); n < best && n > 0 {
				best, title = n, c
			}
		}
	}
	if title != "" {
		return title
	}
	for _, list := range candidates {
		for _, c := range list {
			first, _, several := strings.Cut(c, " ")
			if !several || len(first) < 4 {
				continue
			}
			if n := slips(f, fold(first), limit); n < best {
				best, title = n, c
			}
		}
	}
	return title
}
