//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// The real command is killed with SIGKILL in the middle of an apply; the same
// command, run again at once, makes the rest and nothing twice.
func TestAnApplyThatIsKilledGoesOnWhereItWas(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and starts an emulator")
	}
	binary := machinetest.Command(t)
	e := onMoto(t)
	e.bucket(t)
	dir := fleetFolder(t)
	file := "fleet: nw\ncode_bucket: nw-code\ndefaults: {region: us-east-1}\nrooftops:\n"
	const rooftops = 8
	for n := range rooftops {
		file += fmt.Sprintf("  - id: r%d\n", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	apply := func() *exec.Cmd {
		return exec.Command(binary, "fleet", "apply", filepath.Join(dir, "fleet.yaml"), "--template", filepath.Join(dir, "dist", "dealer.template.json"), "--parallel", "3")
	}

	first := apply()
	executed := 0
	e.executing = func() {
		if executed++; executed == 4 {
			_ = first.Process.Signal(syscall.SIGKILL)
		}
	}
	if out, err := first.CombinedOutput(); err == nil || first.ProcessState.ExitCode() != -1 {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".nw.fleet-journal")); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock() // when what was under way is carried out
	before := executed
	e.mu.Unlock()
	if before < 4 || before == rooftops {
		t.Fatalf("it was killed after %d of %d", before, rooftops)
	}
	out, err := apply().CombinedOutput()
	if err != nil || !strings.Contains(string(out), "created") {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := cloudformation.NewFromConfig(cloudtest.Config(e.endpoint)).DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{})
	if err != nil || len(made.Stacks) != rooftops || executed != rooftops {
		t.Fatalf("%v: %d stacks by %d executions", err, len(made.Stacks), executed)
	}
	for _, s := range made.Stacks {
		if s.StackStatus != "CREATE_COMPLETE" {
			t.Errorf("%s is %s", *s.StackName, s.StackStatus)
		}
	}
}
