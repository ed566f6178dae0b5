package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaries is the folder of the compiled command, for the length of all tests.
var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dealer-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// compiled builds the command when it is first asked for.
var compiled = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(binaries, "dealer")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

// buildDealer is the path of the compiled command.
func buildDealer(t *testing.T) string {
	t.Helper()
	binary, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
