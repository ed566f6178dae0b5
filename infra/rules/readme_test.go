package rules

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadmeIsShort keeps it readable in one sitting.
func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readme(t), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, at most 150 are allowed", n)
	}
}

// TestReadmeNamesEveryPackage compares the table of folders with the tree.
func TestReadmeNamesEveryPackage(t *testing.T) {
	text := readme(t)
	entries, err := os.ReadDir(filepath.Join(root(t), "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.Contains(text, "`pkg/"+e.Name()+"`") {
			t.Errorf("README.md does not name pkg/%s", e.Name())
		}
	}
}

// TestReadmeCommandsWork runs the commands of the README in their order, as a
// reader with two terminals would.
func TestReadmeCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the command several times")
	}
	address := freeAddress(t)
	local := strings.NewReplacer("127.0.0.1:8080", address, "127.0.0.1:8081", freeAddress(t), "/tmp/my-dealer", t.TempDir())
	ran := 0
	for _, command := range commands(t) {
		switch {
		case command == "make run":
			background(t, "make", "run", "ARGS=--addr "+address)
		case strings.HasPrefix(command, "bin/dealer run "):
			background(t, "sh", "-c", local.Replace(command))
		case strings.HasPrefix(command, "make "):
			// These run this very test or take minutes; .ci/run calls each of them.
			run(t, "make -n "+strings.TrimPrefix(command, "make "))
		case strings.HasPrefix(command, "sam "):
			if _, err := exec.LookPath("sam"); err != nil {
				t.Logf("skipped, sam is not installed: %s", command)
				continue
			}
			run(t, "sam validate --lint")
		default:
			run(t, local.Replace(command))
		}
		ran++
	}
	if ran < 10 {
		t.Errorf("only %d commands of the README were run", ran)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

func commands(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, block := range shellBlock.FindAllStringSubmatch(readme(t), -1) {
		list = append(list, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	return list
}

func run(t *testing.T, command string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// background starts an agent, waits until it has imported its feed, and stops
// it with Ctrl-C at the end of the test, which must end it with exit code 0.
func background(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root(t)
	// An own process group, because Ctrl-C reaches the whole group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	imported := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "feed imported") {
				imported <- true
			}
		}
	}()
	t.Cleanup(func() {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if err := ended(errs.String()); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-imported:
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s %v did not import its feed: %s", name, args, errs.String())
	}
}

// ended finds a failure of the agent in what it wrote to stderr; make and go
// run report the interrupt itself.
func ended(stderr string) error {
	if strings.Contains(stderr, "dealer:") || strings.Contains(stderr, "panic") {
		return fmt.Errorf("the agent did not stop cleanly: %s", stderr)
	}
	return nil
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
