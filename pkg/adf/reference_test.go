package adf_test

import (
	"os"
	"path/filepath"
	"testing"
)

// reference returns a file of the reference data, which lies outside the
// repository; the test is skipped where it is absent, and fails in CI.
func reference(t testing.TB, name ...string) string {
	t.Helper()
	roots := []string{os.Getenv("AAP_REFERENCE")}
	if dir, err := os.Getwd(); err == nil {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			roots = append(roots, filepath.Join(dir, "..", "shared"))
		}
	}
	for _, root := range roots {
		if root == "" {
			continue
		}
		path := filepath.Join(append([]string{root}, name...)...)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	missing(t, "reference data "+filepath.Join(name...))
	return ""
}

// missing skips a test whose peer the machine lacks.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing", what)
	}
	t.Skipf("%s is missing", what)
}
