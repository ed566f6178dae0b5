package schema

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxLiteral is how many characters a number may be written with. It leaves
	// room for every number anybody means and bounds exact arithmetic.
	maxLiteral = 64
	// maxExponent lies beyond what a 64-bit float holds in either direction.
	maxExponent = 400
)

// hostile reports whether a number literal is too long or too large to be
// decoded and calculated with.
func hostile(literal string) bool {
	if len(literal) > maxLiteral {
		return true
	}
	if plain(literal) {
		return false
	}
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		n, err := strconv.Atoi(literal[at+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return true
		}
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err != nil
}

// plain reports whether a literal is an integer without fraction and exponent
// that fits an int64 whatever its digits are.
func plain(literal string) bool {
	return len(literal) <= 18 && !strings.ContainsAny(literal, ".eE")
}

// decimal is a number as 0.digits × 10^point, without leading and trailing
// zeros; zero has no digits.
type decimal struct {
	negative bool
	digits   string
	point    int
}

// decimalOf reads a literal that hostile has let pass, or any other with its
// exponent taken as far as an int goes.
func decimalOf(literal string) decimal {
	var d decimal
	if strings.HasPrefix(literal, "-") {
		d.negative, literal = true, literal[1:]
	}
	exponent := 0
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		exponent, _ = strconv.Atoi(literal[at+1:])
		literal = literal[:at]
	}
	whole, fraction, _ := strings.Cut(literal, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.point = len(digits) - len(fraction) + exponent
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// integer reports whether the number has no fraction, however it is written
// (JSON Schema 2020-12: 30000.0 and 3e4 are integers).
func (d decimal) integer() bool { return len(d.digits) <= d.point || d.digits == "" }

func (d decimal) canonical(dst []byte) []byte {
	if d.negative {
		dst = append(dst, '-')
	}
	dst = append(dst, d.digits...)
	return strconv.AppendInt(append(dst, 'p'), int64(d.point), 10)
}

// bound is a minimum or maximum.
type bound struct {
	exact *big.Rat
	small int64
	// isSmall says that small is the whole truth.
	isSmall bool
	text    string
}

func newBound(r *big.Rat) *bound {
	if r == nil {
		return nil
	}
	b := &bound{exact: r, text: r.RatString()}
	if r.IsInt() && r.Num().IsInt64() {
		b.small, b.isSmall = r.Num().Int64(), true
	}
	return b
}

// compare says on which side of the bound a number literal lies.
func (b *bound) compare(literal string) int {
	if b.isSmall && plain(literal) {
		n, err := strconv.ParseInt(literal, 10, 64)
		if err == nil {
			switch {
			case n < b.small:
				return -1
			case n > b.small:
				return 1
			}
			return 0
		}
	}
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		return 0
	}
	return r.Cmp(b.exact)
}
