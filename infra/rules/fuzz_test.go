package rules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goSays is a go command that prints what one did and fails.
const goSays = "#!/bin/sh\ncat <<'END'\n%s\nEND\nexit 1\n"

func TestAFuzzTargetFailsByAnInputAndNotByTheEndOfItsTime(t *testing.T) {
	progress := "fuzz: elapsed: 18s, execs: 119949 (8030/sec), new interesting: 60 (total: 768)\n"
	ended := progress + "--- FAIL: FuzzRead (20.15s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\texample.com/m/pkg/a\t20.176s"
	for _, tt := range []struct {
		name, output string
		fails        bool
	}{
		{"the end of its time", ended, false},
		{"an input", progress + "--- FAIL: FuzzRead (2.15s)\n    --- FAIL: FuzzRead (0.00s)\n        read_test.go:9: wrong\n    \n    Failing input written to testdata/fuzz/FuzzRead/1\nFAIL\nexit status 1", true},
		{"a target's own deadline", strings.Replace(ended, "    context", "    read_test.go:9: context", 1), true},
		{"a hang", progress + "--- FAIL: FuzzRead (20.15s)\n    fuzzing process hung or terminated unexpectedly: context deadline exceeded\nFAIL", true},
		{"a panic beside it", "panic: no\n" + ended, true},
		{"no compilation", "# example.com/m/pkg/a\na.go:1: undefined: b\nFAIL\texample.com/m/pkg/a [build failed]", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range map[string]string{
				"go":                strings.Replace(goSays, "%s", tt.output, 1),
				"pkg/a/a_test.go":   "func FuzzRead(f *testing.F) {}\n",
				"infra/keep.go":     "",
				"functions/keep.go": "",
			} {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			script, err := filepath.Abs("fuzz.sh")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GO="+filepath.Join(dir, "go"))
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != tt.fails {
				t.Errorf("fails: %v, want %v\n%s", failed, tt.fails, out)
			}
		})
	}
}
