package aap

import (
	"maps"
	"slices"
)

// Under is the error as contract v writes it: details.instancePath beside the
// list where the contract points at the first fault (AAP v0.1 to v1.0), and
// INTERNAL_ERROR, as retryable as before, for a code the contract lacks. The
// error itself is left alone.
func (e *Error) Under(v Version) *Error {
	known := slices.Contains(v.Codes(), e.Code)
	faults, _ := e.Details["errors"].([]Violation)
	points := v.Faults == FaultPath && len(faults) > 0
	if known && !points {
		return e
	}
	out := *e
	if points {
		out.Details = maps.Clone(e.Details)
		out.Details["instancePath"] = faults[0].InstanceLocation
	}
	if !known {
		if out.Retryable == nil {
			retryable := e.Code.Retryable()
			out.Retryable = &retryable
		}
		out.Code = InternalError
	}
	return &out
}
