package peers

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// TestDoctorExaminesAnAgentOfTheOfficialJavaScriptSDK: what the SDK does right
// passes, what it leaves to the dealer is reported, and nothing breaks.
func TestDoctorExaminesAnAgentOfTheOfficialJavaScriptSDK(t *testing.T) {
	url := serveNode(t, npmInstall(t, jsSDK), "server.mjs", aap.V1_3.ExtensionURI)
	r, err := doctor.Examine(t.Context(), doctor.Config{URL: url, Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]doctor.Verdict{}
	for _, f := range r.Findings {
		verdicts[f.ID] = f.Verdict
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]doctor.Verdict{
		"card.found": doctor.Pass, "card.shape": doctor.Pass, "card.etag": doctor.Warn, "card.params": doctor.Fail, "card.skills": doctor.Warn,
		"contract.spoken": doctor.Pass, "skill.answer": doctor.Pass, "skill.schema": doctor.Pass, "skill.envelope": doctor.Pass, "skill.id": doctor.Pass,
		// The SDK leaves broken JSON to the web framework around it.
		"errors.parse": doctor.Fail, "errors.method": doctor.Pass, "errors.undeclared": doctor.Pass, "errors.skill": doctor.Fail, "errors.validation": doctor.Fail,
		"headers.version": doctor.Pass, "headers.extension": doctor.Warn, "mcp.tools": doctor.Skip,
	} {
		if verdicts[id] != want {
			t.Errorf("%s: %q, want %s", id, verdicts[id], want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}

// serveNode runs a server of testdata beside the node_modules of folder until
// the test ends, and returns the address it prints.
func serveNode(t *testing.T, folder, script string, args ...string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, script)
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node", append([]string{file}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was ended
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s printed no address: %v", script, err)
	}
	return strings.TrimSpace(line)
}
