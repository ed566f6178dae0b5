package aap

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Int is an integer as JSON Schema means it: 30000.0 and 3e4 decode to 30000,
// 30000.5 does not decode. Values beyond int64 are clamped to its ends, so a
// filter such as mileage_max: 1e30 keeps its meaning.
type Int int64

// UnmarshalJSON reads any JSON number whose value is whole.
func (n *Int) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*n = Int(v)
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return fmt.Errorf("%s is not a number", b)
	}
	switch {
	case f >= math.MaxInt64:
		*n = math.MaxInt64
		return nil
	case f <= math.MinInt64:
		*n = math.MinInt64
		return nil
	}
	// Inside int64 the exact value decides; a float64 would round
	// 9007199254740993.5 to a whole number.
	r, ok := new(big.Rat).SetString(string(b))
	if !ok || !r.IsInt() {
		return fmt.Errorf("%s is not a whole number", b)
	}
	*n = Int(r.Num().Int64())
	return nil
}
