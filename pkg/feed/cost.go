package feed

import (
	"slices"
	"strings"
	"unicode"
)

// costWords are single words of a header, and costRuns letters anywhere in a
// folded one, that name what the dealer paid, what a guide says a unit is worth
// or what the dealer earns. Such a column is never read, whatever a profile
// maps: it must not be possible to publish it.
var (
	costWords = []string{
		"cost", "costs", "invoice", "wholesale", "book", "kbb", "nada", "mmr", "manheim", "acv", "holdback",
		"floorplan", "flooring", "profit", "margin", "pack", "reconditioning", "galves", "blackbook", "bbk",
	}
	costRuns = []string{
		"invoice", "wholesale", "bookvalue", "blackbook", "holdback", "floorplan", "purchaseprice", "purchaseamount",
		"purchasecost", "purchasedate", "purchasedfrom", "buyprice", "boughtfor", "acquisition", "pricepaid", "dealernet",
		"netcost", "unitcost", "totalcost", "dealercost", "vehiclecost", "pricecost", "costprice", "tradevalue",
		"actualcash", "grossprofit", "minimumprice", "minprice", "lowestprice", "floorprice", "reserveprice",
	}
)

func costColumn(header string) bool {
	folded := foldHeader(header)
	for _, run := range costRuns {
		if strings.Contains(folded, run) {
			return true
		}
	}
	return slices.ContainsFunc(headerWords(header), func(w string) bool { return slices.Contains(costWords, w) })
}

// headerWords cuts a header at punctuation and at the humps of camelCase.
func headerWords(header string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(header)
	for i, c := range runes {
		if !unicode.IsLetter(c) {
			flush()
			continue
		}
		if i > 0 && unicode.IsUpper(c) && (unicode.IsLower(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			flush()
		}
		word = append(word, c)
	}
	flush()
	return out
}

// foldHeader keeps the lower-cased letters and digits; an index in brackets
// becomes [].
func foldHeader(s string) string {
	var b strings.Builder
	in := false
	for _, c := range s {
		switch {
		case c == '[':
			in = true
			b.WriteString("[]")
		case c == ']':
			in = false
		case in:
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}
