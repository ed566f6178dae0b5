package crm_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAFullDiskKeepsTheLeadAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("this user may not mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	b := newBench(t, outbox("box", filepath.Join(dir, "out")))
	b.submit(t, "L-1", nil)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 60<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.handle(t, "L-1"); err == nil || !strings.Contains(err.Error(), "writing the file found the disk full") {
		t.Fatalf("got %v", err)
	}
	b.want(t, "L-1", "box", lead.Retrying, 1)
	if left := folder(t, filepath.Join(dir, "out")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "box", lead.HandedOver, 2)
}
