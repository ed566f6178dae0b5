package peers

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const mcpInspector = "@modelcontextprotocol/inspector@2.12.0"

// TestOfficialMCPInspector lists the tools under the inspector's strict rules
// and calls one, in each way it settles the revision.
func TestOfficialMCPInspector(t *testing.T) {
	bin := filepath.Join(npmInstall(t, mcpInspector, mcpNode), "node_modules", ".bin")
	home := t.TempDir() // it keeps what it has seen
	at := map[string]door{}
	for _, name := range []string{"HTTP", "stdio"} {
		at[name] = doors[name](t, "")
	}
	for _, era := range []string{"legacy", "auto", "modern"} {
		for _, c := range []struct {
			name string
			args []string
			exit int
		}{
			{"stdio list", []string{"--method", "tools/list", "--strict"}, 0},
			{"stdio call", []string{"--method", "tools/call", "--tool-name", "aap_inventory_search", "--tool-args-json", `{}`}, 0},
			{"stdio refusal", []string{"--method", "tools/call", "--tool-name", "aap_inventory_vehicle", "--tool-args-json", `{"stock":"none"}`}, 5},
			{"list", []string{"--method", "tools/list", "--strict"}, 0},
			{"call", []string{"--method", "tools/call", "--tool-name", "aap_inventory_search", "--tool-args-json", `{"filters":{"make":["Honda"]}}`}, 0},
			{"refusal", []string{"--method", "tools/call", "--tool-name", "aap_inventory_vehicle", "--tool-args-json", `{"stock":"none"}`}, 5},
			{"prompts", []string{"--method", "prompts/list"}, 0},
			{"resources", []string{"--method", "resources/list"}, 0},
		} {
			t.Run(era+" "+c.name, func(t *testing.T) {
				d := at["HTTP"]
				if strings.HasPrefix(c.name, "stdio") {
					d = at["stdio"]
				}
				out, exit := inspect(t, bin, home, d, era, c.args...)
				if exit != c.exit {
					t.Fatalf("exit %d, want %d: %s", exit, c.exit, out)
				}
				// It lists nothing, and says nothing, where it can read no tool.
				var listed struct{ Result struct{ Tools []any } }
				if strings.HasSuffix(c.name, "list") && (json.Unmarshal(out, &listed) != nil || len(listed.Result.Tools) != 5) {
					t.Errorf("%d tools: %.500s", len(listed.Result.Tools), out)
				}
			})
		}
	}
}

// TestOfficialMCPInspectorReadsWhatIsNoTool, and finds the page of MCP Apps: in
// the revisions with a handshake only, since it names no extension and newer
// ones say so with each request.
func TestOfficialMCPInspectorReadsWhatIsNoTool(t *testing.T) {
	bin := filepath.Join(npmInstall(t, mcpInspector, mcpNode), "node_modules", ".bin")
	home, d := t.TempDir(), doors["HTTP"](t, "")
	for _, c := range []struct {
		era, args, want string
	}{
		{"modern", "--method resources/read --uri aap://demo-group/vehicle/T100", `1HGCV1F30KA000001`},
		{"legacy", "--method resources/templates/list", `aap://demo-group/vehicle/{id}`},
		{"modern", "--method prompts/get --prompt-name compare_vehicles --prompt-args first=T100 second=T102", `- second: \"T102\"`},
		{"legacy", "--method tools/list --app-info", `"resourceUri":"ui://dealer-agent/search-results"`},
		{"modern", "--method tools/list --app-info", `{"hasApp":false,"toolName":"aap_inventory_search"}`},
	} {
		if out, exit := inspect(t, bin, home, d, c.era, strings.Fields(c.args)...); exit != 0 || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %s: exit %d: %s", c.era, c.args, exit, out)
		}
	}
}

// inspect runs the inspector and returns what it printed and its exit code.
func inspect(t *testing.T, bin, home string, d door, era string, args ...string) (out []byte, exit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args = d.arguments(slices.Concat([]string{"--protocol-era", era, "--format", "json", "-q"}, args)...)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), slices.Concat([]string{filepath.Join(bin, "mcp-inspector"), "--cli"}, args)...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return append(out, e.Stderr...), e.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out, 0
}
