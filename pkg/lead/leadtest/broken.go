package leadtest

import "errors"

// ErrDown is what the caller sees of an operation that breaks.
var ErrDown = errors.New("connection reset by peer")

// Moment says when an operation breaks.
type Moment int

// The moments; what breaks Before did not happen, what breaks After did, and
// its answer was lost.
const (
	Healthy Moment = iota
	Before
	After
)

// Broken does what an operation that breaks at m does, and returns what its
// caller sees.
func Broken[T any](m Moment, do func() (T, error)) (T, error) {
	var zero T
	switch m {
	case Before:
		return zero, ErrDown
	case After:
		_, _ = do()
		return zero, ErrDown
	}
	return do()
}

// BrokenErr is Broken of an operation that returns an error only.
func BrokenErr(m Moment, do func() error) error {
	_, err := Broken(m, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
