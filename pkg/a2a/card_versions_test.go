package a2a_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

const bearerAccess = "access: {tokens: [{name: buyer, sha256: " + tokenDigest + "}]}\n"

// shapes are profiles whose cards differ.
var shapes = map[string]string{
	"public":   "",
	"pruned":   "skills: [inventory.search]\n",
	"bearer":   bearerAccess,
	"operated": "provider: {organization: Tidewater Software, url: https://tidewater.example}\n",
}

func cardUnder(t *testing.T, p *dealer.Profile, v aap.Version) []byte {
	t.Helper()
	raw, err := a2a.Card(p, v, p.URL+v.Path())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestEveryCardFitsItsReleasedSchema(t *testing.T) {
	for _, v := range aap.Versions() {
		released := schematest.Released(t, v)
		for name, lines := range shapes {
			raw := cardUnder(t, profile(t, allVersions()+lines), v)
			if v.Label != "v0.2" { // which has no schema of the card
				schematest.Fits(t, released, "agent-card.schema.json", raw)
			}
			// A requirement of AAP v0.1 names a scheme without scopes.
			rest := strings.Replace(string(raw), `"bearer": []`, "", 1)
			if found := regexp.MustCompile(`: null|""|\[\]|\{\}|"required"`).FindString(rest); found != "" {
				t.Errorf("%s, %s: the card holds %s:\n%s", v.Label, name, found, raw)
			}
			if strings.Contains(string(raw), tokenDigest) {
				t.Errorf("%s: the card shows a token's hash", v.Label)
			}
		}
	}
}

// anyCard is a card's members, in whichever spelling.
type anyCard struct {
	Interfaces      []a2a.Interface `json:"supportedInterfaces"`
	SnakeInterfaces []struct {
		URL     string `json:"url"`
		Binding string `json:"protocol_binding"`
		Version string `json:"protocol_version"`
	} `json:"supported_interfaces"`
	Capabilities struct {
		Extensions []struct {
			URI    string         `json:"uri"`
			Params map[string]any `json:"params"`
		} `json:"extensions"`
	} `json:"capabilities"`
	Skills []map[string]any `json:"skills"`
	// Requirements is security_requirements.
	Requirements []map[string]any `json:"security_requirements"`
}

func readAnyCard(t *testing.T, raw []byte) anyCard {
	t.Helper()
	var c anyCard
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	for _, i := range c.SnakeInterfaces {
		c.Interfaces = append(c.Interfaces, a2a.Interface{URL: i.URL, ProtocolBinding: i.Binding, ProtocolVersion: i.Version})
	}
	return c
}

func TestACardNamesItsOwnURLAndContractAlone(t *testing.T) {
	p := profile(t, allVersions())
	for _, v := range aap.Versions() {
		card := readAnyCard(t, cardUnder(t, p, v))
		bindings := []string{}
		for _, i := range card.Interfaces {
			bindings = append(bindings, i.ProtocolBinding)
			if i.URL != p.URL+v.Path() || i.ProtocolVersion != "1.0" {
				t.Errorf("%s: interface %+v", v.Label, i)
			}
		}
		want := []string{"JSONRPC"}
		if v.REST {
			want = append(want, "HTTP+JSON")
		}
		if !slices.Equal(bindings, want) {
			t.Errorf("%s: bindings %v, want %v", v.Label, bindings, want)
		}
		var uris []string
		for _, e := range card.Capabilities.Extensions {
			uris = append(uris, e.URI)
		}
		wantURIs := []string{v.ExtensionURI}
		if v == aap.Primary() { // where v0.1 begins as well
			wantURIs = append(wantURIs, "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.1")
		}
		if !slices.Equal(uris, wantURIs) {
			t.Errorf("%s: extensions %v, want %v", v.Label, uris, wantURIs)
		}
		for _, s := range card.Skills {
			if tags, _ := s["tags"].([]any); len(tags) == 0 || s["description"] == "" {
				t.Errorf("%s: skill %v", v.Label, s)
			}
		}
	}
}

// TestParamsAreThoseOfTheReleasedExample compares member names; values are our own.
func TestParamsAreThoseOfTheReleasedExample(t *testing.T) {
	p := profile(t, allVersions()+bearerAccess)
	for _, v := range aap.Versions() {
		folder := v.Label
		if folder == "v1.2" {
			folder = "v1.1" // whose card has the same form
		}
		example, err := os.ReadFile(filepath.Join(aaptest.Reference(t, "aap", folder), "examples", "agent-card.example.json"))
		if err != nil {
			t.Fatal(err)
		}
		want := readAnyCard(t, example).Capabilities.Extensions[0].Params
		got := readAnyCard(t, cardUnder(t, p, v)).Capabilities.Extensions[0].Params
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s: params %v, want the members of %v", v.Label, got, want)
		}
		for _, member := range []string{"version", "profile_version", "schema_base_url", "contract_uri", "auth_type", "profile_name"} {
			if value, ok := want[member].(string); ok && folder == v.Label && got[member] != value {
				t.Errorf("%s: %s is %v, want %v", v.Label, member, got[member], value)
			}
		}
	}
}

func TestTheMainCardPointsToTheManifestOnlyWhereThereIsOne(t *testing.T) {
	for lines, want := range map[string]int{"": 1, "versions: [v1.3, v1.0]\n": 1, "versions: [v1.3, v0.1]\n": 2} {
		card := readAnyCard(t, cardUnder(t, profile(t, lines), aap.Primary()))
		if got := len(card.Capabilities.Extensions); got != want {
			t.Fatalf("%q: %d extensions, want %d", lines, got, want)
		}
		if want == 2 && card.Capabilities.Extensions[1].Params["manifest_url"] != "https://agent.harbor-auto.example/.well-known/auto-agent-contract.json" {
			t.Errorf("params %v", card.Capabilities.Extensions[1].Params)
		}
	}
}

func TestCardIDsChangeWithTheirCards(t *testing.T) {
	edited := profile(t, allVersions())
	edited.Description = "Open on Sundays."
	seen := map[any]string{}
	for _, p := range []*dealer.Profile{profile(t, allVersions()), edited} {
		for _, v := range aap.Versions() {
			id := readAnyCard(t, cardUnder(t, p, v)).Capabilities.Extensions[0].Params["id"]
			if id == nil && v.Card == aap.CardManifest {
				continue // has none
			}
			if other, twice := seen[id]; twice || id == nil {
				t.Errorf("the card of %s has the id %v of that of %s", v.Label, id, other)
			}
			seen[id] = v.Label
		}
	}
}

func TestManifestFitsItsReleasedSchemaAndAgreesWithTheCard(t *testing.T) {
	v, _ := aap.VersionByLabel("v0.1")
	released := schematest.Released(t, v)
	for name, lines := range shapes {
		p := profile(t, allVersions()+lines)
		raw, err := a2a.ContractManifest(p, v)
		if err != nil {
			t.Fatal(err)
		}
		schematest.Fits(t, released, "contract-manifest.schema.json", raw)
		var m a2a.Manifest
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		card := readAnyCard(t, cardUnder(t, p, v))
		if bearer := m.AuthType != nil; bearer != (name == "bearer") || bearer != (len(card.Requirements) == 1) ||
			bearer != (card.Capabilities.Extensions[0].Params["auth_type"] == "bearer") {
			t.Errorf("%s: auth_type %v, card %v", name, m.AuthType, card.Requirements)
		}
		if !strings.Contains(string(raw), `"auth_type": `) {
			t.Errorf("%s: no auth_type", name)
		}
		if m.Contract.Version != "0.1.1" || m.Contract.URI != "https://autoagentprotocol.org/v0.1/" || m.A2A.Endpoint != p.URL+"/a2a/v0.1" ||
			m.Dealer.DealerID != p.ID || len(m.A2A.Skills) != len(p.Skills) || m.LLM.GuideURL != p.URL+a2a.GuidePath || len(m.LLM.Rules) == 0 {
			t.Errorf("%s: %s", name, raw)
		}
		for _, s := range m.A2A.Skills {
			if lead := s.ID == aap.LeadSubmit.ID; s.AnonymousAllowed == lead || s.ConsentRequired != lead || s.ADFCompatible != lead {
				t.Errorf("%s: flags %+v", name, s)
			}
		}
	}
	own, err := a2a.ContractManifest(profile(t, allVersions()+"llm: {rules: [Ask for the color first.]}\n"), v)
	if err != nil || !strings.Contains(string(own), "Ask for the color first.") || strings.Contains(string(own), "Never make consent up") {
		t.Errorf("rules of the profile: %s %v", own, err)
	}
}
