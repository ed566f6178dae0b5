package dealer

import (
	"strings"
	"unicode"
)

// maxListed is how many candidates a fault lists.
const maxListed = 60

// closest returns the candidate that was probably meant by word, or "".
func closest(word string, candidates []string) string {
	key := plain(word)
	if len(key) > 40 {
		return ""
	}
	best, bestDistance := "", 1+max(1, len(key)/3)
	for _, c := range candidates {
		other := plain(c)
		if len(key) >= 3 && (strings.HasPrefix(other, key) || strings.HasPrefix(key, other)) {
			return c
		}
		if d := distance(key, other); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// meant is the fix for a word outside a closed list.
func meant(word string, candidates []string) string {
	if c := closest(word, candidates); c != "" {
		return "write " + c
	}
	if len(candidates) > maxListed {
		return "write one of " + strings.Join(candidates[:maxListed], ", ") + " …"
	}
	return "write one of " + strings.Join(candidates, ", ")
}

// plain drops case and everything but letters and digits.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// fold maps strings that strings.EqualFold takes for equal, outer blanks
// aside, to one string.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, strings.TrimSpace(s))
}
