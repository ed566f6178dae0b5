package feed

import (
	"strings"
	"unicode"

	"golang.org/x/text/currency"
)

// Bounds of a plausible amount for a whole vehicle, in dollars. A smaller one is a
// weekly payment or a placeholder, a larger one a placeholder.
const (
	minAmount = 100
	maxAmount = 9_999_998
)

// amount is what a money cell says.
type amount struct {
	dollars  int64
	currency string // ISO 4217; empty when the cell names none
	problem  string // why it is not an amount; empty with dollars 0: no amount is given
}

// Reasons an amount is left out.
const (
	unclearAmount = "amount that can be read in several ways"
	partAmount    = "payment or conditional amount"
	smallAmount   = "amount that is not a vehicle's"
)

// currencyWords are looked up in upper case, after the amount's digits are gone.
var currencyWords = map[string]string{
	"USD": "USD", "US$": "USD", "$US": "USD", "US": "USD", "DOLLARS": "USD", "DOLLAR": "USD", "$": "",
	"CAD": "CAD", "C$": "CAD", "CA$": "CAD", "CDN": "CAD", "CDN$": "CAD", "CAD$": "CAD", "$CAD": "CAD", "USD$": "USD", "$USD": "USD",
	"€": "EUR", "EUR": "EUR", "£": "GBP", "GBP": "GBP", "KR": "SEK", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK", "MXN": "MXN",
	"MX$": "MXN", "A$": "AUD", "AUD": "AUD", "AU$": "AUD", "NZD": "NZD", "CHF": "CHF", "JPY": "JPY", "¥": "JPY", "INR": "INR", "₹": "INR",
	"PLN": "PLN", "ZŁ": "PLN", "BRL": "BRL", "R$": "BRL", "ZAR": "ZAR", "AED": "AED",
}

// partWords mark an instalment or a price not every buyer gets.
var partWords = []string{
	"MO", "MONTH", "MONTHLY", "WEEK", "WEEKLY", "WK", "BIWEEKLY", "PER", "DOWN", "FINANCE", "FINANCED", "FINANCING", "LEASE",
	"REBATE", "REBATES", "TRADE", "MILITARY", "MEMBER", "LOYALTY", "GRAD", "CREDIT", "DUE", "APR", "INCENTIVE", "INCENTIVES",
}

// harmlessWords may stand beside an amount without changing it.
var harmlessWords = []string{"OBO", "FIRM", "CASH", "PRICE", "ONLY", "NOW", "OUR"}

// parseMoney reads one money cell. Cents are rounded up, so that what is shown
// is never less than what the dealer asked.
func parseMoney(s string) amount {
	s = strings.TrimSpace(s)
	if n, ok := quickNumber(strings.TrimPrefix(s, "$")); ok {
		return checkAmount(n, "")
	}
	if s == "" || isAbsent(s) {
		return amount{}
	}
	if _, none := vocabularies()["no_price"].exact[squash(s)]; none {
		return amount{}
	}
	number, words, ok := cutNumber(s)
	code := ""
	unclear := !ok
	for _, w := range words {
		w = strings.ToUpper(strings.Trim(w, ".:"))
		named, known := currencyWords[w]
		if !known && isCurrency(w) {
			named, known = w, true
		}
		switch {
		case w == "":
		case known:
			unclear = unclear || named != "" && code != "" && named != code
			if named != "" {
				code = named
			}
		case contains(partWords, w):
			return amount{problem: partAmount}
		case contains(harmlessWords, w):
		default:
			unclear = true
		}
	}
	if unclear {
		return amount{problem: unclearAmount}
	}
	whole, cents, ok := readNumber(number, 2)
	if !ok {
		return amount{problem: unclearAmount}
	}
	if cents > 0 {
		whole++
	}
	return checkAmount(whole, code)
}

func checkAmount(n int64, code string) amount {
	switch {
	case n == 0:
		return amount{}
	case code == "" || code == "USD":
		if n < minAmount || n > maxAmount {
			return amount{problem: smallAmount}
		}
	}
	return amount{dollars: n, currency: code}
}

func isCurrency(w string) bool {
	_, err := currency.ParseISO(w)
	return err == nil && len(w) == 3
}

func plainInt(s string) (int64, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}

// quickNumber reads the two commonest forms, 12345 and 12,345.
func quickNumber(s string) (int64, bool) {
	if n := len(s); n >= 5 && n <= 7 && s[n-4] == ',' {
		high, ok1 := plainInt(s[:n-4])
		low, ok2 := plainInt(s[n-3:])
		return high*1000 + low, ok1 && ok2
	}
	return plainInt(s)
}

// cutNumber takes the one number of a cell and the words around it; ok is false
// when there is none or more than one.
func cutNumber(s string) (number string, words []string, ok bool) {
	if len(s) > 64 {
		return "", nil, false
	}
	runes := []rune(s)
	first, last := -1, -1
	for i, c := range runes {
		if c >= '0' && c <= '9' {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return "", nil, false
	}
	for _, c := range runes[first:last] {
		if (c < '0' || c > '9') && !unicode.IsSpace(c) && c != ',' && c != '.' && c != '\'' && c != '’' {
			return "", nil, false
		}
	}
	// Word characters glued to the digits stay words: "12k", "$5", "7560km".
	split := func(c rune) bool {
		return unicode.IsSpace(c) || c == '/' || c == '(' || c == ')' || c == ';'
	}
	before, after := string(runes[:first]), string(runes[last+1:])
	if after == ",-" || after == ".-" || after == ":-" {
		after = "" // the European way to write no cents
	}
	words = append(strings.FieldsFunc(before, split), strings.FieldsFunc(after, split)...)
	return string(runes[first : last+1]), words, true
}

// readNumber reads digits with separators: groups of three behind a comma,
// blank, dot or apostrophe, and a fraction. A lone dot or comma before three
// digits is read as a group only for the comma; "12.345" stays unread.
// hundredths is the fraction in hundredths, rounded down.
func readNumber(s string, maxFraction int) (whole, hundredths int64, ok bool) {
	var groups []string
	var seps []rune
	start := 0
	runes := []rune(s)
	for i, c := range runes {
		if c < '0' || c > '9' {
			groups = append(groups, string(runes[start:i]))
			if unicode.IsSpace(c) || c == '’' {
				c = ' '
			}
			seps = append(seps, c)
			start = i + 1
		}
	}
	groups = append(groups, string(runes[start:]))
	fraction := ""
	if n := len(seps); n > 0 {
		last, tail := seps[n-1], groups[n]
		decimal := (last == '.' || last == ',') && len(tail) != 3
		if decimal && last == ',' && n == 1 && len(groups[0]) <= 3 && len(tail) != 2 {
			return 0, 0, false
		}
		if decimal && n == 1 && last == ',' && len(groups[0]) < 4 {
			return 0, 0, false // "21,49" is neither
		}
		if !decimal && n == 1 && last == '.' {
			return 0, 0, false // "12.345" is either
		}
		if decimal {
			if len(tail) > maxFraction || tail == "" {
				return 0, 0, false
			}
			fraction, seps, groups = tail, seps[:n-1], groups[:n]
			for _, sep := range seps {
				if sep == last {
					return 0, 0, false
				}
			}
		}
	}
	for i, g := range groups {
		if i > 0 && (len(g) != 3 || seps[i-1] != seps[0]) || len(groups) > 1 && i == 0 && (len(g) > 3 || g == "") {
			return 0, 0, false
		}
	}
	digits := strings.Join(groups, "")
	if whole, ok = plainInt(digits); !ok {
		return 0, 0, false
	}
	for len(fraction) < 2 {
		fraction += "0"
	}
	hundredths, _ = plainInt(fraction[:2])
	return whole, hundredths, true
}

func contains(list []string, w string) bool {
	for _, x := range list {
		if x == w {
			return true
		}
	}
	return false
}
