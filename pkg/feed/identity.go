package feed

import "strings"

// maxID caps stock numbers and vehicle ids.
const maxID = 128

var vinWeights = [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}

// isVIN reports a text that AAP takes for a VIN: 17 characters of A-Z and 0-9
// without I, O and Q (AAP v1.3 vehicle schema), and not one character repeated.
func isVIN(s string) bool {
	if len(s) != 17 || isMask(s) {
		return false
	}
	for i := range len(s) {
		if vinValue(s[i]) < 0 {
			return false
		}
	}
	return true
}

// isMask reports one character repeated, the way exports blank a VIN out.
func isMask(s string) bool { return s == "" || strings.Count(s, s[:1]) == len(s) }

func vinValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'H':
		return int(c-'A') + 1
	case c >= 'J' && c <= 'R' && c != 'O' && c != 'Q':
		return int(c-'J') + 1
	case c >= 'S' && c <= 'Z':
		return int(c-'S') + 2
	}
	return -1
}

// checkDigitHolds tests the ninth character of a VIN (49 CFR 565).
func checkDigitHolds(vin string) bool {
	sum := 0
	for i := range 17 {
		sum += vinValue(vin[i]) * vinWeights[i]
	}
	want := byte('0' + sum%11)
	if sum%11 == 10 {
		want = 'X'
	}
	return vin[8] == want
}

// isID reports a text that may name a unit: short, with a letter or a digit,
// and no words of prose.
func isID(s string) bool {
	return s != "" && len(s) <= maxID && squash(s) != "" && strings.Count(s, " ") <= 2 && !strings.Contains(s, "://")
}

// unmarked takes off what spreadsheets and programs leave at a number that is a
// name: the apostrophe before a text, the fraction of a float.
func unmarked(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && !strings.Contains(rest, "'") {
		s = rest
	}
	if whole, ok := strings.CutSuffix(s, ".0"); ok {
		if _, digits := plainInt(whole); digits {
			return whole
		}
	}
	return s
}

// stockLike reports an id column's value that reads like a stock number: it has
// a digit and is no slug of words.
func stockLike(s string) bool {
	if len(s) > 20 || !strings.ContainsAny(s, "0123456789") {
		return false
	}
	run := 0
	for _, c := range s {
		if c < 'a' || c > 'z' {
			run = 0
			continue
		}
		if run++; run >= 3 {
			return false
		}
	}
	return true
}
