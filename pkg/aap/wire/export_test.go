package wire

import "github.com/dealer-agent/dealer/pkg/aap"

// Has reports whether payloads of a contract can be translated; those of the
// primary one need not be.
func Has(v aap.Version) bool {
	_, ok := steps[v.Label]
	return ok || v == aap.Primary()
}
