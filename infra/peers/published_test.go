package peers

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// fetched reads a published file from the running agent.
func fetched(t *testing.T, address string, into any) {
	t.Helper()
	got, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("ETag") == "" ||
		got.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%s: %d %v %v", address, got.StatusCode, got.Header, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

// TestPublishedToolManifestAgreesWithTheToolsThatAreServed.
func TestPublishedToolManifestAgreesWithTheToolsThatAreServed(t *testing.T) {
	for _, lines := range []string{"", "skills: [inventory.search, inventory.vehicle]\n"} {
		at := serve(t, lines)
		var published struct {
			Tools []struct {
				Name, Description string
				InputSchema       map[string]string
				Annotations       map[string]string
			}
		}
		fetched(t, at+"/.well-known/mcp.json", &published)
		session := goClient(t, at+"/mcp", nil)
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(published.Tools) != len(listed.Tools) || len(listed.Tools) == 0 {
			t.Fatalf("%d tools are published, %d served", len(published.Tools), len(listed.Tools))
		}
		for _, p := range published.Tools {
			i := slices.IndexFunc(listed.Tools, func(tool *mcp.Tool) bool { return tool.Name == p.Name })
			if i < 0 {
				t.Errorf("%s is published and not served", p.Name)
				continue
			}
			served := listed.Tools[i]
			if p.Description != served.Description || p.InputSchema["$ref"] != served.Meta["aap_request_schema"] {
				t.Errorf("%s is published as %+v and served as %q with %v", p.Name, p, served.Description, served.Meta)
			}
			for key, value := range p.Annotations {
				if served.Meta[key] != value {
					t.Errorf("%s: %s is published as %q and served as %q", p.Name, key, value, served.Meta[key])
				}
			}
		}
	}
}

// mcpRegistry is the module of the MCP registry, for its schemas.
const mcpRegistry = "github.com/modelcontextprotocol/registry@v1.8.9"

// TestPublishedRegistryEntryIsWhatTheRegistryTakes holds it against the
// registry's own schema.
func TestPublishedRegistryEntryIsWhatTheRegistryTakes(t *testing.T) {
	form := registrySchema(t)
	for _, lines := range []string{
		"url: https://agent.demo.example\n",
		"url: https://agent.demo.example\nprovider: {organization: Demo, url: https://www.demo.example}\n" +
			"access: {tokens: [{name: buyer, sha256: " + strings.Repeat("ab", 32) + "}]}\n",
	} {
		var entry map[string]any
		fetched(t, serve(t, lines)+"/.well-known/server.json", &entry)
		if err := form.Validate(entry); err != nil {
			t.Errorf("%q: %v", lines, err)
		}
		remote := entry["remotes"].([]any)[0].(map[string]any)
		u, err := url.Parse(remote["url"].(string))
		if err != nil || u.String() != "https://agent.demo.example/mcp" {
			t.Errorf("the entry names %v", remote["url"])
		}
		// Who proves a host may register below it.
		space, _, _ := strings.Cut(entry["name"].(string), "/")
		labels := strings.Split(u.Hostname(), ".")
		slices.Reverse(labels)
		if space != strings.Join(labels, ".") {
			t.Errorf("%s lies outside of %s", u.Hostname(), space)
		}
	}
	for member, wrong := range map[string]any{"description": strings.Repeat("x", 101), "name": "harbor", "version": nil} {
		var entry map[string]any
		fetched(t, serve(t, "")+"/.well-known/server.json", &entry)
		entry[member] = wrong
		if form.Validate(entry) == nil {
			t.Errorf("the schema takes %v as %s; it is not what it should be", wrong, member)
		}
	}
}

func registrySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", mcpRegistry).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil || module.Dir == "" {
		aaptest.Missing(t, mcpRegistry)
	}
	file, err := os.Open(filepath.Join(module.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("server.schema.json", document); err != nil {
		t.Fatal(err)
	}
	form, err := compiler.Compile("server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// goClient is the official Go client.
func goClient(t *testing.T, endpoint string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, options).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
