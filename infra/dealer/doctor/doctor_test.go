package doctor_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

const token = "sesame-open-up-4711"

func guarded() string {
	return fmt.Sprintf("access: {per_minute: 1000000, leads_per_hour: 1000000, tokens: [{name: buyer, sha256: %x}]}\n", sha256.Sum256([]byte(token)))
}

// TestOwnAgentIsWell examines the agent with each set of contracts, open and
// protected.
func TestOwnAgentIsWell(t *testing.T) {
	for _, c := range []struct {
		name, lines, token string
		versions           int
		skips              []string // ids that are skipped, besides quotas
	}{
		{"the main contract", "", "", 1, nil},
		{"every contract", everyVersion, "", 6, []string{"card.shape"}},
		{"some contracts", "versions: [v1.3, v1.0]\n", "", 2, nil},
		{"a token for one", guarded(), token, 1, nil},
		{"a token for all", everyVersion + guarded(), token, 6, []string{"card.shape"}},
		{"a protected agent without a token", guarded(), "", 1, []string{"auth.token", "inventory.filter", "mcp.tools"}},
		{"few skills", "skills: [dealer.information, inventory.search, lead.submit]\n", "", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := front{}.serve(t, machineOf(t, c.lines))
			r := examine(t, doctor.Config{URL: url, Token: c.token, Deep: true})
			holds(t, r)
			if len(r.Versions) != c.versions || r.Verdict != doctor.Pass || !r.Reachable {
				t.Errorf("%v, %s", r.Versions, r.Verdict)
			}
			for _, f := range r.Findings {
				if f.Verdict == doctor.Skip && f.ID != "limits.answer" && !slices.Contains(c.skips, f.ID) {
					t.Errorf("skipped: %+v", f)
				}
			}
		})
	}
}

// TestAnAgentBelowAPathIsWell: one of many at one host, whose tools, manifest and
// files lie below the same path.
func TestAnAgentBelowAPathIsWell(t *testing.T) {
	r := examine(t, doctor.Config{URL: front{below: "/dealers/demo-group"}.serve(t, machineOf(t, everyVersion))})
	holds(t, r)
	seen := map[string]doctor.Verdict{}
	for _, f := range r.Findings {
		seen[f.ID] = f.Verdict
	}
	for _, id := range []string{"mcp.tools", "mcp.manifest", "mcp.registry", "manifest.found", "manifest.guide"} {
		if seen[id] != doctor.Pass {
			t.Errorf("%s: %q", id, seen[id])
		}
	}
}

// TestEveryVersionIsExamined looks for each check under each contract.
func TestEveryVersionIsExamined(t *testing.T) {
	url := front{}.serve(t, machineOf(t, everyVersion))
	r := examine(t, doctor.Config{URL: url})
	checked := map[string]int{}
	for _, f := range r.Findings {
		if f.Verdict == doctor.Pass {
			checked[f.Version+" "+f.ID]++
		}
	}
	for _, v := range []string{"v1.3", "v1.2", "v1.1", "v1.0", "v0.2", "v0.1"} {
		if n := checked[v+" skill.schema"]; n != 4 {
			t.Errorf("%s: %d answers were held to their schemas", v, n)
		}
		for _, id := range []string{"contract.endpoint", "errors.vehicle", "errors.pointers", "consent.gate", "headers.version", "skill.envelope"} {
			if checked[v+" "+id] != 1 {
				t.Errorf("%s: %s %d times", v, id, checked[v+" "+id])
			}
		}
	}
	if !slices.Equal(r.Versions, []string{"v1.3", "v1.2", "v1.1", "v1.0", "v0.2", "v0.1"}) {
		t.Errorf("not newest first: %v", r.Versions)
	}
}

// TestAnAgentOfOneContractIsExamined puts the card of each contract in the
// place of the main one, and nothing beside it.
func TestAnAgentOfOneContractIsExamined(t *testing.T) {
	m := machineOf(t, everyVersion)
	for _, v := range aap.Versions()[1:] {
		t.Run(v.Label, func(t *testing.T) {
			f := front{ask: func(e *exchange) {
				switch {
				case e.card():
					e.path = a2a.VersionCardPath(v)
				case strings.Contains(e.path, "agent-card-"):
					e.path = "/nothing"
				}
			}}
			r := examine(t, doctor.Config{URL: f.serve(t, m), Deep: true})
			holds(t, r)
			if !slices.Equal(r.Versions, []string{v.Label}) {
				t.Errorf("speaks %v", r.Versions)
			}
			deep := 0
			for _, found := range r.Findings {
				if strings.HasPrefix(found.ID, "inventory.") && found.Verdict == doctor.Pass {
					deep++
				}
			}
			if deep < 9 {
				t.Errorf("%d checks of the inventory passed\n%s", deep, textOf(t, r))
			}
		})
	}
}

// TestNothingIsLeftAtTheDealer looks at what reaches the CRM's folder.
func TestNothingIsLeftAtTheDealer(t *testing.T) {
	var leads []string
	f := front{give: func(e *exchange) {
		if e.calls("lead.submit") && !strings.Contains(e.answer, `"error"`) {
			leads = append(leads, e.body)
		}
	}}
	url := f.serve(t, machineOf(t, everyVersion))
	examine(t, doctor.Config{URL: url, Deep: true})
	if len(leads) != 0 {
		t.Fatalf("leads were taken: %v", leads)
	}
	r := examine(t, doctor.Config{URL: url, SendTestLead: true})
	holds(t, r)
	if len(leads) != 2 {
		t.Fatalf("%d leads were taken, want one, twice", len(leads))
	}
	for _, mark := range []string{"TEST", "please ignore", "@example.com", "+1202555014", `"idempotency_key"`} {
		if !strings.Contains(leads[0], mark) {
			t.Errorf("the lead has no %s: %s", mark, leads[0])
		}
	}
}

// TestReportIsAStableDocument reads the JSON back by the names its
// documentation gives.
func TestReportIsAStableDocument(t *testing.T) {
	url := front{}.serve(t, machineOf(t, ""))
	raw, err := json.Marshal(examine(t, doctor.Config{URL: url}))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"url", "checked_at", "verdict", "reachable", "versions", "counts", "findings"} {
		if doc[name] == nil {
			t.Errorf("no member %s", name)
		}
	}
	if doc["checked_at"] != "2026-05-01T12:00:00Z" {
		t.Errorf("checked_at %v", doc["checked_at"])
	}
	findings, _ := doc["findings"].([]any)
	for _, f := range findings {
		f, _ := f.(map[string]any)
		for _, name := range []string{"id", "verdict", "title", "seen", "rule"} {
			if s, _ := f[name].(string); s == "" {
				t.Errorf("%v has no %s", f["id"], name)
			}
		}
		if next, _ := f["next"].(string); (f["verdict"] == "pass") != (next == "") && f["verdict"] != "skip" {
			t.Errorf("%v: next %q", f["id"], next)
		}
	}
}

// TestQuotasAreNoFaults examines an agent that refuses most calls for their
// number: what could not be asked is skipped, and the refusal is looked at.
func TestQuotasAreNoFaults(t *testing.T) {
	for _, calls := range []int{1, 5, 12, 30} {
		url := front{}.serve(t, machineOf(t, fmt.Sprintf("access: {per_minute: %d}\n", calls)+everyVersion))
		r := examine(t, doctor.Config{URL: url, Deep: true, SendTestLead: true})
		holds(t, r)
		if !slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return f.ID == "limits.answer" && f.Verdict == doctor.Pass }) {
			t.Errorf("%d calls: the refusal was not looked at\n%s", calls, textOf(t, r))
		}
	}
}

// TestColoursAreOfTheVerdictAlone compares the text for terminals with the other.
func TestColoursAreOfTheVerdictAlone(t *testing.T) {
	f := front{give: cardHeader("ETag", "")}
	r := examine(t, doctor.Config{URL: f.serve(t, machineOf(t, ""))})
	var coloured strings.Builder
	if err := r.WriteColors(&coloured); err != nil {
		t.Fatal(err)
	}
	if plain := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured.String(), ""); plain != textOf(t, r) || plain == coloured.String() {
		t.Errorf("%q", coloured.String())
	}
	if !strings.Contains(coloured.String(), "\x1b[33mwarn\x1b[0m") || !strings.HasSuffix(coloured.String(), "\n") {
		t.Errorf("%q", coloured.String())
	}
}

// TestAnySubsetOfSkillsIsExamined: no single skill is compulsory, but two are
// what buyers come for.
func TestAnySubsetOfSkillsIsExamined(t *testing.T) {
	for _, s := range aap.Skills() {
		t.Run(s.ID, func(t *testing.T) {
			url := front{}.serve(t, machineOf(t, "skills: ["+s.ID+"]\n"+everyVersion))
			r := examine(t, doctor.Config{URL: url, Deep: true, SendTestLead: true})
			holds(t, r, "card.skills warn")
			if len(r.Versions) != 6 {
				t.Errorf("%v", r.Versions)
			}
		})
	}
}
