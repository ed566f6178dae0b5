package peers

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/peers/suitetest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// TestOfficialMCPConformanceSuite runs what each revision required at its
// release. The baselines name what needs the suite's own test server; an entry
// that passes after all fails the run.
func TestOfficialMCPConformanceSuite(t *testing.T) {
	conform(t, serve(t, "")+"/mcp", "")
}

// TestOfficialMCPConformanceSuiteWithItsFixtures leaves out only what no server
// can do that answers each request by itself, as plain JSON.
func TestOfficialMCPConformanceSuiteWithItsFixtures(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	server := httptest.NewServer(mcptools.NewHandler(mcptools.Config{
		Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Loopback: true, Extend: suitetest.Add,
	}))
	defer server.Close()
	conform(t, server.URL, "-fixtures")
}

// conform runs the suite against a server with or without its fixtures.
func conform(t *testing.T, url, with string) {
	t.Helper()
	bin := filepath.Join(npmInstall(t, mcpSuite, mcpNode), "node_modules", ".bin")
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			baseline, err := filepath.Abs("testdata/mcp-" + revision + with + ".yml")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, filepath.Join(bin, "node"), filepath.Join(bin, "conformance"), "server", "--url", url,
				"--requirements", revision, "--expected-failures", baseline, "-o", t.TempDir()).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			passes := []string{"tools-list", "prompts-list", "resources-list", "dns-rebinding-protection"}
			if with != "" {
				passes = append(passes, "tools-call-image", "resources-templates-read", "prompts-get-with-args", "completion-complete")
			}
			// So that a suite which runs nothing does not pass.
			for _, scenario := range passes {
				if !strings.Contains(string(out), "✓ "+scenario+":") {
					t.Errorf("%s did not pass:\n%s", scenario, out)
				}
			}
		})
	}
}
