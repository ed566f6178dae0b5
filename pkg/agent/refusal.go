package agent

import (
	"github.com/dealer-agent/dealer/pkg/aap"
)

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
		"The payload has %s; details.errors lists each with a JSON Pointer into the payload. First, %s: %s",
		plural(len(faults)), shorten(where), faults[0].Error).
		With("errors", faults)
}
