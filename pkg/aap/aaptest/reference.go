// Package aaptest finds what tests are held against and the repository does
// not carry: the released files of the protocol, and real documents.
package aaptest

import (
	"os"
	"path/filepath"
	"testing"
)

// Find looks for a file or folder of the reference data below $AAP_REFERENCE,
// else below a folder named shared beside the repository.
func Find(elem ...string) (string, bool) {
	roots := []string{os.Getenv("AAP_REFERENCE")}
	for dir, err := os.Getwd(); err == nil && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		roots = append(roots, filepath.Join(dir, "shared"))
	}
	for _, root := range roots {
		at := filepath.Join(append([]string{root}, elem...)...)
		if _, err := os.Stat(at); root != "" && err == nil {
			return at, true
		}
	}
	return "", false
}

// Reference is Find for a test that cannot do without: see Missing.
func Reference(t testing.TB, elem ...string) string {
	t.Helper()
	at, ok := Find(elem...)
	if !ok {
		Missing(t, "the reference data "+filepath.Join(elem...)+" (set AAP_REFERENCE)")
	}
	return at
}

// Missing skips a test for want of something outside the repository, by its
// name; where CI=true everything must be there, and the test fails.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing", what)
	}
	t.Skipf("%s is missing", what)
}
