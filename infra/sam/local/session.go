package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

var (
	errNoSAM = errors.New("make sam-local needs the SAM CLI, which AWS explains how to install at " +
		"https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html; make test-aws runs the same stack without it")
	errNoMoto = errors.New("make sam-local needs moto, which stands in for AWS behind the functions: python3 -m pip install 'moto[server]'")
)

// session is one run of the stack under the SAM CLI.
type session struct {
	profile, feed, folder string
	port                  int
	out, err              io.Writer
}

// address is where the API is served.
func (s *session) address() string { return "http://127.0.0.1:" + strconv.Itoa(s.port) }

func (s *session) run(ctx context.Context) error {
	sam, err := exec.LookPath("sam")
	if err != nil {
		return errNoSAM
	}
	if _, err := exec.LookPath("moto_server"); err != nil {
		return errNoMoto
	}
	dealer, err := readDealer(s.profile, s.feed, s.address())
	if err != nil {
		return err
	}
	if s.folder, err = filepath.Abs(s.folder); err != nil {
		return err
	}
	if err := s.sam(ctx, sam, "build", "--build-dir", s.path("build")); err != nil {
		return err
	}
	source, err := os.ReadFile(s.path("build", "template.yaml"))
	if err != nil {
		return fmt.Errorf("sam build left no template: %w", err)
	}
	emulator, err := startEmulator(ctx, s.err)
	if err != nil {
		return err
	}
	defer emulator.stop()
	stack, err := readStack(ctx, source, emulator)
	if err != nil {
		return err
	}
	if err := s.write(source, stack, dealer); err != nil {
		return err
	}
	s.explain(stack)
	if err := stack.stock(ctx, dealer, s.path("event.json")); err != nil {
		return err
	}
	common := []string{"--template", s.path("build", localTemplate), "--env-vars", s.path("env.json")}
	if stack.importer != "" {
		if err := s.sam(ctx, sam, append([]string{"local", "invoke", stack.importer, "--event", s.path("event.json")}, common...)...); err != nil {
			return err
		}
	}
	// The folder is told as seen from the template.
	return s.sam(ctx, sam, append([]string{"local", "start-api", "--static-dir", filepath.Join("..", "public"), "--host", "127.0.0.1", "--port", strconv.Itoa(s.port)}, common...)...)
}

// localTemplate is the built one for this machine; it stands beside that, so
// that its paths hold.
const localTemplate = "local.yaml"

func (s *session) path(parts ...string) string {
	return filepath.Join(append([]string{s.folder}, parts...)...)
}

// sam runs the CLI with the emulator's credentials; ARCH reaches the make
// targets that it builds with.
func (s *session) sam(ctx context.Context, path string, args ...string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdout, cmd.Stderr, cmd.Stdin = s.out, s.err, os.Stdin
	cmd.Env = append(os.Environ(), "ARCH="+runtime.GOARCH, "SAM_CLI_TELEMETRY=0",
		"AWS_ACCESS_KEY_ID="+credential, "AWS_SECRET_ACCESS_KEY="+credential, "AWS_DEFAULT_REGION="+region, "AWS_REGION="+region)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sam %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return nil
}

// write leaves what `sam local` reads: the template for this machine, the
// environment of each function and the published files.
func (s *session) write(source []byte, stack *stack, d dealer) error {
	architecture := map[string]string{"amd64": "x86_64"}[runtime.GOARCH]
	if architecture == "" {
		architecture = runtime.GOARCH
	}
	// What the template does not declare, `sam local` does not pass on.
	local, err := built.ForMachine(source, architecture, map[string]string{"AWS_ENDPOINT_URL": ""})
	if err != nil {
		return err
	}
	environment, err := json.MarshalIndent(stack.environment, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{s.path("build", localTemplate): local, s.path("env.json"): environment}
	for _, f := range d.files {
		files[s.path("public", filepath.FromSlash(f.Path))] = f.Body
	}
	if err := os.RemoveAll(s.path("public")); err != nil {
		return err
	}
	for name, body := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// explain tells what the emulator leaves out, so that nobody takes it for a fault.
func (s *session) explain(stack *stack) {
	fmt.Fprintf(s.out, "\nThe API is served at %s, with functions in containers. sam local serves only routes that call a function:\n", s.address())
	for _, route := range stack.skipped {
		fmt.Fprintf(s.out, "  %-8s %s is skipped, since it is of type %s\n", route.methods, route.path, route.kind)
	}
	fmt.Fprintf(s.out, "The published files are served from %s instead, without the headers of the template.\n", s.path("public"))
	fmt.Fprintln(s.out, "CloudFront, limits, API Gateway's own refusals, schedules and queues have no part in it: leads stay in the queue.")
	fmt.Fprintln(s.out, "make test-aws runs all of that, without Docker.")
}
