// Package npmtest brings packages of npm to tests, and scripts beside them.
package npmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// Install installs a package, and more beside it, into a cache folder and
// returns the folder. Without npm the test is skipped; with CI=true it fails.
func Install(t testing.TB, pkg string, more ...string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			aaptest.Missing(t, tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "dealer-peers", strings.NewReplacer("/", "-", "@", "").Replace(pkg))
	packages := append([]string{pkg}, more...)
	missing := slices.ContainsFunc(packages, func(pkg string) bool {
		name := pkg[:strings.LastIndex(pkg, "@")]
		_, err := os.Stat(filepath.Join(folder, "node_modules", name))
		return err != nil
	})
	if !missing {
		return folder
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("npm", append([]string{"install", "--prefix", folder, "--no-audit", "--no-fund", "--no-package-lock"}, packages...)...).CombinedOutput()
	if err != nil {
		if os.Getenv("CI") != "true" {
			t.Skipf("%s cannot be installed: %v", pkg, err)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// Script copies a script beside the node_modules of folder, where its imports
// find the packages, until the test ends.
func Script(t testing.TB, folder, script string) string {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.CreateTemp(folder, "*-"+filepath.Base(script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(copied.Name()) })
	if _, err = copied.Write(text); err == nil {
		err = copied.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return copied.Name()
}
