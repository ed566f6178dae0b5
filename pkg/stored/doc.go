// Package stored is what the storage adapters share: the rules of a flip and
// of finding a unit by identifier, and the form in which vehicles and lead
// records are kept. That form is compact bytes which decode about ten times
// faster than JSON, so that a cold function can rebuild its index from a whole
// lot at once, and which give a lead's request and answer back byte for byte.
//
// Every packed value begins with a format byte. A decoder refuses formats it
// does not know instead of guessing. Idempotency keys are small and JSON.
package stored

import "errors"

// ErrFormat says that the bytes are damaged or written by a newer release.
var ErrFormat = errors.New("stored value is damaged or of an unknown format")

const (
	vehicleFormat = 1
	recordFormat  = 1
	logFormat     = 1
)
