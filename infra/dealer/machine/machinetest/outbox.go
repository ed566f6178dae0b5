package machinetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Documents waits until n ADF files lie in the outbox and returns their text.
func Documents(t testing.TB, outbox string, n int) string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(outbox, "*.xml"))
		if len(files) == n {
			var text strings.Builder
			for _, f := range files {
				body, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text.Write(body)
			}
			return text.String()
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d documents in the outbox, want %d", len(files), n)
		}
	}
}
