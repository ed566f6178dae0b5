package machinetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaries is the folder of the compiled command, made when it is first asked
// for. Main takes it away.
var binaries = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "dealer-test-") })

var compiled = sync.OnceValues(func() (string, error) {
	dir, err := binaries()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "dealer")
	build := exec.Command("go", "build", "-o", binary, "github.com/dealer-agent/dealer/infra/dealer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make builds it, also beneath the race detector
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

// Main is for the TestMain of a package that calls Command; it returns the exit
// code.
func Main(m *testing.M) int {
	dir, err := binaries()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// Command is the path of the compiled dealer command.
func Command(t testing.TB) string {
	t.Helper()
	binary, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
