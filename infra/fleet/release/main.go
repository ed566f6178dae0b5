// Command release makes the plain CloudFormation of template.yaml and the code of
// its functions, for `dealer fleet apply` and for StackSets, which refuse the
// transform of SAM. Run it from the top of the module, as `make release` does. The
// same source makes the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/infra/sam/built"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "dist", "`folder` that gets the release")
	flag.Parse()
	if err := run(ctx, ".", *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes the release of the module at top in the folder out, which it replaces.
func run(ctx context.Context, top, out string, say io.Writer) error {
	plain, err := translate(ctx, top)
	if err != nil {
		return err
	}
	folder := filepath.Join(out, "code")
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	keys := map[string]string{}
	for _, id := range plain.functions() {
		zipped, err := build(ctx, top, id)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		keys[id] = nameOf(id, zipped)
		if err := os.WriteFile(filepath.Join(folder, keys[id]), zipped, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(say, "%s  %d bytes\n", filepath.Join(folder, keys[id]), len(zipped))
	}
	body, err := plain.released(keys)
	if err != nil {
		return err
	}
	name := filepath.Join(out, "dealer.template.json")
	if err := os.WriteFile(name, body, 0o644); err != nil {
		return err
	}
	if err := lint(ctx, name, say); err != nil {
		return err
	}
	t, err := fleet.ReadTemplate(body)
	if err != nil {
		return err
	}
	fmt.Fprintf(say, "%s  %d bytes, version %s\n", name, len(body), t.Version)
	switch {
	case len(body) > fleet.MostByURL:
		return fmt.Errorf("the template is too long: CloudFormation takes %d bytes", fleet.MostByURL)
	case len(body) > fleet.MostDirect:
		fmt.Fprintf(say, "CloudFormation reads it from S3 (%d bytes at most), where `dealer fleet apply` puts it; %d is the most that a call may hold.\n", fleet.MostByURL, fleet.MostDirect)
	}
	return nil
}

// translate has AWS's translator write out what SAM stands for.
func translate(ctx context.Context, top string) (*template, error) {
	source, err := os.ReadFile(filepath.Join(top, "template.yaml"))
	if err != nil {
		return nil, err
	}
	body, err := built.Translate(ctx, source)
	if err != nil {
		return nil, err
	}
	return readTranslation(body)
}

// lint checks the release where cfn-lint is installed.
func lint(ctx context.Context, name string, say io.Writer) error {
	path, err := exec.LookPath("cfn-lint")
	if err != nil {
		fmt.Fprintln(say, "not checked, since cfn-lint is not installed")
		return nil
	}
	if out, err := exec.CommandContext(ctx, path, "--non-zero-exit-code", "warning", "--template", name).CombinedOutput(); err != nil {
		return fmt.Errorf("cfn-lint refuses %s:\n%s", name, out)
	}
	return nil
}
