// Package schematest gives tests the schemas that payloads are held to: those
// this repository ships, and those of the release.
package schematest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Own are the schemas this repository ships for a contract.
func Own(t testing.TB, v aap.Version) *schema.Set {
	t.Helper()
	set, err := schema.Released()(v)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Released are the schemas of a contract as published; see aaptest.Missing for
// a machine without them. The reference files have no folder of v1.2: its own
// schemas, which tests of package schema hold to the release, stand for it.
func Released(t testing.TB, v aap.Version) *schema.Set {
	t.Helper()
	if v.Label == "v1.2" {
		return Own(t, v)
	}
	set, err := schema.New(v, os.DirFS(filepath.Join(aaptest.Reference(t, "aap", v.Label), "schemas")))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Fits holds a document to a schema.
func Fits(t testing.TB, set *schema.Set, file string, doc []byte) {
	t.Helper()
	if faults, err := set.Check(file, doc); err != nil || len(faults) > 0 {
		t.Errorf("%s of %s: %v %v\n%s", file, set.Version().Label, err, faults, doc)
	}
}
