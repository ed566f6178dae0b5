package main

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRunOnATakenPortSaysWhatToDoAndLeavesNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().(*net.TCPAddr).AddrPort()
	next := netip.AddrPortFrom(at.Addr(), at.Port()+1).String()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r := dealerCommand(t, "", "run", "--addr", taken.Addr().String())
	if r.code != 1 || !strings.Contains(r.err, taken.Addr().String()) || !strings.Contains(r.err, "--addr "+next) || r.out != "" {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	wantEmpty(t, temporary)
}

func TestRunSaysHowAnAddressIsWritten(t *testing.T) {
	for _, addr := range []string{"8081", "localhost", "127.0.0.1:http-ish"} {
		r := dealerCommand(t, "", "run", "--addr", addr, "--data", t.TempDir())
		if r.code != 2 || !strings.Contains(r.err, "--addr wants host and port, such as 127.0.0.1:8081, not \""+addr+"\"") {
			t.Errorf("%s: exit code %d\n%s%s", addr, r.code, r.out, r.err)
		}
	}
}

func TestRunWithoutDataLeavesNoFolderBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	if code := execute(ctx, []string{"run", "--addr", "127.0.0.1:0"}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "/a2a") {
		t.Errorf("the agent did not start:\n%s", out.String())
	}
	wantEmpty(t, temporary)
}

func TestAFaultOfTheProfileIsToldOnceAtStart(t *testing.T) {
	dir := t.TempDir()
	profile := filepath.Join(dir, "dealer.yaml")
	good, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(profile, bytes.Replace(good, []byte("timezone:"), []byte("timezon:"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "run", "--addr", "127.0.0.1:0", "--profile", profile, "--data", dir)
	if r.code != 1 || strings.Count(r.out+r.err, "timezon:") != 1 {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
