package agent

import (
	"github.com/dealer-agent/dealer/pkg/aap"
)

// mostFaults is how many faults one error lists. AAP asks for all of them; a
// payload with more than this many is an attack on the size of the answer, and
// errors_omitted then says how many are missing.
const mostFaults = 500

// refuseFaults is the refusal of the skills that take no personal data. One
// missing member as the only fault has a code of its own (AAP v1.3 errors).
func refuseFaults(_ []byte, faults []aap.Violation) *aap.Error {
	if first := faults[0]; len(faults) == 1 && first.Keyword == "required" {
		return aap.Errorf(aap.MissingRequiredField, "The required member %s is missing: add it and send the request again.", first.InstanceLocation).
			With("errors", faults)
	}
	where := faults[0].InstanceLocation
	if where == "" {
		where = "the payload as a whole"
	}
	return aap.Errorf(aap.SchemaValidationFailed,
		"The payload has %s; details.errors lists each with a JSON Pointer into the payload. First, %s: %s.",
		plural(len(faults)), shorten(where), sentence(faults[0].Error)).
		With("errors", faults)
}

// limitFaults cuts details.errors to mostFaults.
func limitFaults(e *aap.Error) {
	faults, ok := e.Details["errors"].([]aap.Violation)
	if !ok || len(faults) <= mostFaults {
		return
	}
	e.With("errors", faults[:mostFaults:mostFaults]).With("errors_omitted", len(faults)-mostFaults)
}

// sentence drops the full stop of a fault that is quoted inside a sentence.
func sentence(s string) string {
	if n := len(s); n > 0 && s[n-1] == '.' {
		return s[:n-1]
	}
	return s
}
