package agenttest

import (
	"os"
	"path/filepath"
	"testing"
)

// Reference is the folder of the released protocol files of one contract
// version, such as "v1.3": below $AAP_REFERENCE/aap, or a folder named shared
// beside the repository. A machine without it skips the test; a build server
// (CI=true) fails it.
func Reference(t *testing.T, version string) string {
	t.Helper()
	roots := []string{os.Getenv("AAP_REFERENCE")}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		roots = append(roots, filepath.Join(dir, "shared"))
	}
	for _, root := range roots {
		at := filepath.Join(root, "aap", version)
		if info, err := os.Stat(at); root != "" && err == nil && info.IsDir() {
			return at
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("the released files of AAP %s are not here: set AAP_REFERENCE", version)
	}
	t.Skipf("the released files of AAP %s are not here: set AAP_REFERENCE", version)
	return ""
}
