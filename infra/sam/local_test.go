package sam

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// fakeSAM is a SAM CLI that builds by handing out what is built already, notes
// how it is called, and serves nothing until it is interrupted.
const fakeSAM = `#!/bin/sh
echo "$ARCH $AWS_ACCESS_KEY_ID $*" >> "$FAKE_SAM/calls"
case "$1 $2" in
"build --build-dir") mkdir -p "$3" && cp -R "$FAKE_SAM/built/." "$3" ;;
"local start-api") echo serving; exec sleep 600 ;;
esac
`

// samLocal runs the command behind make sam-local with a PATH of its own.
func samLocal(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "sam-local")
	if out, err := exec.Command("go", "build", "-o", binary, "./local").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// oneSentence checks that a command told what is missing and how to get it.
func oneSentence(t *testing.T, cmd *exec.Cmd, words ...string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exited *exec.ExitError
	if !errors.As(err, &exited) || exited.ExitCode() != 1 {
		t.Errorf("it ends with %v", err)
	}
	said := strings.TrimSpace(string(out))
	for _, word := range words {
		if strings.Contains(said, "\n") || !strings.Contains(said, word) {
			t.Errorf("it says: %s", said)
		}
	}
}

func TestWithoutTheSAMCLIOneSentenceSaysWhatToInstall(t *testing.T) {
	oneSentence(t, samLocal(t, []string{"PATH=" + t.TempDir()}), "SAM CLI", "https://docs.aws.amazon.com/", "make test-aws")
}

func TestWithoutMotoOneSentenceSaysHowToGetIt(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh, "test-aws.sh")
	cmd.Env = []string{"PATH=" + t.TempDir()}
	oneSentence(t, cmd, "python3 -m pip install 'moto[server]'")
}

func TestTheSAMCLIIsGivenAllThatTheFunctionsNeed(t *testing.T) {
	if _, err := exec.LookPath("moto_server"); err != nil {
		aaptest.Missing(t, "moto_server (pip install 'moto[server]')")
	}
	a := artifacts(t)
	fake, out := t.TempDir(), filepath.Join(t.TempDir(), "aws-sam")
	if err := os.CopyFS(filepath.Join(fake, "built"), os.DirFS(a.Folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fake, "sam"), []byte(fakeSAM), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := samLocal(t, []string{"PATH=" + fake + ":" + os.Getenv("PATH"), "FAKE_SAM=" + fake}, "-out", out, "-port", "3456")
	said := serve(t, cmd)

	read := func(name string) string {
		t.Helper()
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return string(body)
	}
	calls := strings.Split(strings.TrimSpace(read(filepath.Join(fake, "calls"))), "\n")
	if len(calls) != 3 {
		t.Fatalf("sam was called: %q", calls)
	}
	template, event := filepath.Join(out, "build", "local.yaml"), filepath.Join(out, "event.json")
	common := " --template " + template + " --env-vars " + filepath.Join(out, "env.json")
	for n, want := range []string{
		"build --build-dir " + filepath.Join(out, "build"),
		"local invoke FeedImportFunction --event " + event + common,
		"local start-api --static-dir ../public --host 127.0.0.1 --port 3456" + common,
	} {
		if calls[n] != runtime.GOARCH+" test "+want {
			t.Errorf("sam was called with\n%s, want\n%s", calls[n], want)
		}
	}

	// The folder is meant as seen from the template.
	card := read(filepath.Join(filepath.Dir(template), "../public", ".well-known", "agent-card.json"))
	if !strings.Contains(card, "http://127.0.0.1:3456/a2a") {
		t.Errorf("the card is %s", card)
	}
	local := read(template)
	if architecture := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH]; !strings.Contains(local, "- "+architecture) && !strings.Contains(local, "["+architecture+"]") || !strings.Contains(local, "AWS_ENDPOINT_URL") {
		t.Errorf("the template for this machine is %s", local)
	}
	for _, want := range []string{"GET, HEAD  /.well-known/{file} is skipped, since it is of type aws", "OPTIONS  /.well-known/{file} is skipped, since it is of type mock", "make test-aws"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}

	// With the environment of the file alone, the functions serve the sample.
	environment := map[string]map[string]string{}
	if err := json.Unmarshal([]byte(read(filepath.Join(out, "env.json"))), &environment); err != nil {
		t.Fatal(err)
	}
	if len(environment) != len(a.Functions) {
		t.Errorf("the environment is of %d functions, want %d", len(environment), len(a.Functions))
	}
	start := func(id string) *lambdatest.Function {
		variables := []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1"}
		for name, value := range environment[id] {
			variables = append(variables, name+"="+value)
		}
		return lambdatest.Start(t, a.Bootstrap(id), variables...)
	}
	if _, err := start("FeedImportFunction").Invoke(t.Context(), []byte(read(event))); err != nil {
		t.Error(err)
	}
	asked, err := json.Marshal(samtest.ProxyEvent("POST", "/a2a", message(`{"type":"inventory.search.request","filters":{"make":["Honda"]},"pagination":{"limit":1}}`), "127.0.0.1:3456"))
	if err != nil {
		t.Fatal(err)
	}
	agent := start("AgentFunction")
	var answer events.APIGatewayProxyResponse
	if got, err := agent.Invoke(t.Context(), asked); err != nil || json.Unmarshal(got, &answer) != nil || !strings.Contains(answer.Body, `"Honda"`) {
		t.Errorf("%v %s\n%s", err, got, agent.Log())
	}
}

// serve starts the command, waits until the API is served, and ends it as
// Ctrl-C does, with the test. It returns what was said until then.
func serve(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches the whole group
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "serving" {
		said.WriteString(lines.Text() + "\n")
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		_, _ = io.Copy(io.Discard, stdout)
		if err := cmd.Wait(); err != nil {
			t.Errorf("Ctrl-C ends it with %v\n%s", err, errs.String())
		}
	})
	if lines.Text() != "serving" {
		t.Fatalf("it ended early:\n%s\n%s", said.String(), errs.String())
	}
	return said.String()
}

func TestMakeKnowsHowToServeLocally(t *testing.T) {
	cmd := exec.Command("make", "-n", "sam-local", "PROFILE=my.yaml", "PORT=4000", "SAM_DIR=/tmp/out")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if fields := strings.Fields(string(out)); err != nil || !slices.Contains(fields, "bin/sam-local") || !strings.Contains(string(out), `-out /tmp/out -port 4000 -profile "my.yaml" -feed ""`) {
		t.Errorf("%v: %s", err, out)
	}
}
