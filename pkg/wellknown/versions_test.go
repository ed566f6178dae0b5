package wellknown_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func withLines(t *testing.T, lines string) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(agenttest.Profile + lines))
	if err != nil {
		t.Fatal(err)
	}
	p.Modified = agenttest.Modified
	return p
}

func TestFilesAreThoseOfTheServedContracts(t *testing.T) {
	const at = "/.well-known/"
	for lines, want := range map[string][]string{
		"":                                   {"agent-card.json", "mcp.json", "server.json"},
		"versions: [v1.3, v1.1]\n":           {"agent-card.json", "mcp.json", "server.json", "agent-card-v1.1.json"},
		"versions: [v1.3, v0.2, v0.1]\n":     {"agent-card.json", "mcp.json", "server.json", "agent-card-v0.2.json", "agent-card-v0.1.json", "auto-agent-contract.json", "auto-agent-llm-guide.md"},
		"versions: [v0.1, v1.0, v1.2, v1.3]": {"agent-card.json", "mcp.json", "server.json", "agent-card-v1.2.json", "agent-card-v1.0.json", "agent-card-v0.1.json", "auto-agent-contract.json", "auto-agent-llm-guide.md"},
	} {
		p := withLines(t, lines)
		files, err := wellknown.Files(p)
		if err != nil {
			t.Fatal(err)
		}
		h := wellknown.Handler(dealer.Fixed(p), nil)
		var names []string
		for _, f := range files {
			// Flat names: published files lie in one folder of the bucket.
			names = append(names, strings.TrimPrefix(f.Path, at))
			w := ask(h, http.MethodGet, f.Path)
			if w.Code != http.StatusOK || w.Body.String() != string(f.Body) || w.Header().Get("ETag") != f.ETag || w.Header().Get("Content-Type") != f.ContentType {
				t.Errorf("%s: %d %v", f.Path, w.Code, w.Header())
			}
			if w := ask(h, http.MethodGet, f.Path, "If-None-Match", f.ETag); w.Code != http.StatusNotModified {
				t.Errorf("%s again: %d", f.Path, w.Code)
			}
			if isJSON := strings.HasSuffix(f.Path, ".json"); isJSON != json.Valid(f.Body) || isJSON != (f.ContentType == "application/json") {
				t.Errorf("%s is of type %s", f.Path, f.ContentType)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q: files %v, want %v", lines, names, want)
		}
		for _, v := range aap.Versions() {
			path := at + "agent-card-" + v.Label + ".json"
			if slices.Contains(want, strings.TrimPrefix(path, at)) {
				continue
			}
			if w := ask(h, http.MethodGet, path); w.Code != http.StatusNotFound {
				t.Errorf("%q: %s is %d", lines, path, w.Code)
			}
		}
	}
}

// TestFilesFitTheirContracts checks cards and manifest against the schemas that
// ship; v0.2 has none of the card, and the files for MCP have tests of their own.
func TestFilesFitTheirContracts(t *testing.T) {
	files, err := wellknown.Files(withLines(t, "versions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		version, file := aap.Primary(), "agent-card.schema.json"
		for _, v := range aap.Versions() {
			if strings.Contains(f.Path, v.Label) || v.Contract == aap.ContractManifest && strings.Contains(f.Path, "auto-agent") {
				version = v
			}
		}
		if strings.HasSuffix(f.Path, "contract.json") {
			file = "contract-manifest.schema.json"
		}
		set, err := schema.Released()(version)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Path, ".md") || version.Label == "v0.2" || f.Path == wellknown.ToolsPath || f.Path == wellknown.RegistryPath {
			continue
		}
		if faults, err := set.Check(file, f.Body); err != nil || len(faults) > 0 {
			t.Errorf("%s: %v %v", f.Path, err, faults)
		}
	}
}

func guideOf(t *testing.T, lines string) string {
	t.Helper()
	w := ask(wellknown.Handler(dealer.Fixed(withLines(t, "versions: [v1.3, v0.1]\n"+lines)), nil), http.MethodGet, "/.well-known/auto-agent-llm-guide.md")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	return w.Body.String()
}

func TestTheGuideTellsTheOfferedSkillsAndNoOthers(t *testing.T) {
	for _, lines := range []string{"", "skills: [inventory.search, lead.submit]\n"} {
		guide, p := guideOf(t, lines), withLines(t, lines)
		for _, row := range agent.Table() {
			told := strings.Contains(guide, "### "+row.ID+"\n") && strings.Contains(guide, "https://autoagentprotocol.org/v0.1/schemas/"+row.RequestSchema()) &&
				strings.Contains(guide, "`"+row.RequestType()+"`")
			if told != p.Offers(row.Skill) {
				t.Errorf("%q: %s told: %v", lines, row.ID, told)
			}
			if told := strings.Contains(guide, "- `"+row.ToolName()+"`: "); told != p.Offers(row.Skill) {
				t.Errorf("%q: %s told: %v", lines, row.ToolName(), told)
			}
		}
		for _, want := range []string{"# Calling the agent of Harbor Auto Group\n", "`https://agent.harbor-auto.example/a2a/v0.1`", `"method": "SendMessage"`, "out-the-door", "`https://agent.harbor-auto.example/mcp`"} {
			if !strings.Contains(guide, want) {
				t.Errorf("%q: the guide does not say %q:\n%s", lines, want, guide)
			}
		}
		if strings.Contains(guide, "Bearer") {
			t.Errorf("%q: a public agent's guide speaks of tokens", lines)
		}
	}
	protected := guideOf(t, "access: {tokens: [{name: buyer, sha256: db8a1eff2b200b4ca2495ef39366e419c28fcfdcef3b2e836c1413528f601cc6}]}\n")
	if !strings.Contains(protected, "Authorization: Bearer") || strings.Contains(protected, "db8a1e") {
		t.Errorf("protected:\n%s", protected)
	}
}

func TestTheProfilesOwnGuideStands(t *testing.T) {
	if got := guideOf(t, "llm:\n  guide: |\n    # Ask us\n\n    Search first.\n"); got != "# Ask us\n\nSearch first.\n" {
		t.Errorf("guide %q", got)
	}
}
