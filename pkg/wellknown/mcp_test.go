package wellknown_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// fileOf is a published file, decoded.
func fileOf(t *testing.T, p *dealer.Profile, path string) map[string]any {
	t.Helper()
	w := ask(wellknown.Handler(dealer.Fixed(p), nil), http.MethodGet, path)
	var file map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &file); w.Code != http.StatusOK || err != nil {
		t.Fatalf("%s: %d %v", path, w.Code, err)
	}
	return file
}

// TestTheToolManifestSaysWhatTheReleasedOneDoes except in its sentences, which
// are the dealer's and the agent's own.
func TestTheToolManifestSaysWhatTheReleasedOneDoes(t *testing.T) {
	raw, err := os.ReadFile(aaptest.Reference(t, "aap", "v1.3", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var released map[string]any
	if err := json.Unmarshal(raw, &released); err != nil {
		t.Fatal(err)
	}
	own := fileOf(t, profile(t), wellknown.ToolsPath)
	var theirs []string
	for _, file := range []map[string]any{released, own} {
		tools := file["tools"].([]any)
		for _, m := range append([]any{file}, tools...) {
			m := m.(map[string]any)
			text, _ := m["description"].(string)
			if len(text) < 40 {
				t.Errorf("%v: description %q", m["name"], text)
			}
			for _, copied := range theirs {
				if text == copied {
					t.Errorf("%v is described in the release's own words", m["name"])
				}
			}
			m["description"] = ""
		}
		if theirs == nil {
			theirs = descriptions(t, raw)
		}
	}
	if diff := cmp.Diff(released, own); diff != "" {
		t.Errorf("(-released +own):\n%s", diff)
	}
}

func descriptions(t *testing.T, manifest []byte) []string {
	t.Helper()
	var m struct {
		Description string
		Tools       []struct{ Description string }
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	all := []string{m.Description}
	for _, tool := range m.Tools {
		all = append(all, tool.Description)
	}
	return all
}

func TestTheToolManifestListsTheOfferedSkillsOnly(t *testing.T) {
	tools := fileOf(t, withLines(t, "skills: [inventory.vehicle, inventory.search]\n"), wellknown.ToolsPath)["tools"].([]any)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	if got, want := strings.Join(names, " "), "aap_inventory_search aap_inventory_vehicle"; got != want {
		t.Errorf("tools %q, want %q", got, want)
	}
}

func TestTheRegistryEntryNamesTheEndpointUnderItsOwnHost(t *testing.T) {
	p := withLines(t, "provider: {organization: Harbor, url: https://www.harbor-auto.example}\n")
	want := map[string]any{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        "example.harbor-auto.agent/harbor-auto",
		"title":       "Harbor Auto Group",
		"description": "Car inventory, dealer information and leads of Harbor Auto Group.",
		"version":     "1.0.0+20260601.080000",
		"websiteUrl":  "https://www.harbor-auto.example",
		"remotes":     []any{map[string]any{"type": "streamable-http", "url": "https://agent.harbor-auto.example/mcp"}},
	}
	if diff := cmp.Diff(want, fileOf(t, p, wellknown.RegistryPath)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for url, name := range map[string]string{
		"https://127.0.0.1": "localhost/harbor-auto", "https://[2001:db8::1]:8443": "localhost/harbor-auto",
		"https://D111abc.cloudfront.example:8443": "example.cloudfront.d111abc/harbor-auto", "https://händler.example": "localhost/harbor-auto",
	} {
		p.URL, p.Modified = url, time.Time{}
		if got := fileOf(t, p, wellknown.RegistryPath); got["name"] != name || got["version"] != "1.0.0" {
			t.Errorf("%s: %v %v, want %s", url, got["name"], got["version"], name)
		}
	}
}

func TestTheRegistryEntryOfAProtectedAgentAsksForTheToken(t *testing.T) {
	const digest = "db8a1eff2b200b4ca2495ef39366e419c28fcfdcef3b2e836c1413528f601cc6"
	p := withLines(t, "access: {tokens: [{name: buyer, sha256: "+digest+"}]}\n")
	entry := fileOf(t, p, wellknown.RegistryPath)
	header := entry["remotes"].([]any)[0].(map[string]any)["headers"].([]any)[0].(map[string]any)
	token, _ := header["variables"].(map[string]any)["token"].(map[string]any)
	if header["name"] != "Authorization" || header["value"] != "Bearer {token}" || header["isSecret"] != true || header["isRequired"] != true || token["isSecret"] != true {
		t.Errorf("%v", header)
	}
	for _, path := range []string{wellknown.RegistryPath, wellknown.ToolsPath} {
		if raw, _ := json.Marshal(fileOf(t, p, path)); strings.Contains(string(raw), digest[:8]) {
			t.Errorf("%s tells what a token hashes to", path)
		}
	}
}

func TestLongNamesFitTheRegistry(t *testing.T) {
	p := profile(t)
	p.Name = strings.Repeat("Müller & Söhne ", 12)
	entry := fileOf(t, p, wellknown.RegistryPath)
	for _, member := range []string{"title", "description"} {
		if n := utf8.RuneCountInString(entry[member].(string)); n > 100 || n < 90 || !strings.HasSuffix(entry[member].(string), "…") {
			t.Errorf("%s has %d characters: %q", member, n, entry[member])
		}
	}
}

// TestNoDiscoveryFileIsInventedForMCP: a public agent and one with tokens of
// its own have no OAuth metadata, and server cards are not in a released spec.
func TestNoDiscoveryFileIsInventedForMCP(t *testing.T) {
	h := wellknown.Handler(dealer.Fixed(withLines(t, "access: {tokens: [{name: buyer, sha256: db8a1eff2b200b4ca2495ef39366e419c28fcfdcef3b2e836c1413528f601cc6}]}\n")), nil)
	for _, path := range []string{
		"oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server", "openid-configuration",
		"mcp", "mcp/server-card.json", "mcp-server-card.json", "ai-catalog.json",
	} {
		if w := ask(h, http.MethodGet, "/.well-known/"+path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
