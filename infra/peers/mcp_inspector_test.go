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
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				d := at["HTTP"]
				if strings.HasPrefix(c.name, "stdio") {
					d = at["stdio"]
				}
				args := d.arguments(slices.Concat([]string{"--protocol-era", era, "--format", "json", "-q"}, c.args)...)
				cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), slices.Concat([]string{filepath.Join(bin, "mcp-inspector"), "--cli"}, args)...)
				cmd.Env = append(os.Environ(), "HOME="+home)
				out, err := cmd.Output()
				exit := 0
				if e, ok := errors.AsType[*exec.ExitError](err); ok {
					exit = e.ExitCode()
					if exit != c.exit {
						t.Logf("%s", e.Stderr)
					}
				} else if err != nil {
					t.Fatal(err)
				}
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
