package a2a_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

const endpoint = "https://agent.harbor-auto.example/a2a"

func profile(t *testing.T, lines string) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(agenttest.Profile + lines))
	if err != nil {
		t.Fatal(err)
	}
	p.Modified = agenttest.Modified
	return p
}

func cardOf(t *testing.T, p *dealer.Profile) (a2a.AgentCard, []byte) {
	t.Helper()
	raw, err := a2a.Card(p, aap.V1_3, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var card a2a.AgentCard
	if err := json.Unmarshal(raw, &card); err != nil {
		t.Fatal(err)
	}
	return card, raw
}

func TestCardFitsTheReleasedSchema(t *testing.T) {
	for _, lines := range []string{
		"", "skills: [inventory.search]\n", "access: {tokens: [{name: buyer, sha256: " + tokenDigest + "}]}\n",
		"provider: {organization: Tidewater Software, url: https://tidewater.example}\n",
	} {
		_, raw := cardOf(t, profile(t, lines))
		schematest.Fits(t, schematest.Own(t, aap.V1_3), "agent-card.schema.json", raw)
		// Signers and strict readers disagree over empty values.
		if found := regexp.MustCompile(`: null|""|\[\]|\{\}|"required"`).Find(raw); found != nil {
			t.Errorf("the card holds %s:\n%s", found, raw)
		}
	}
}

func TestCardDeclaresExactlyWhatIsOffered(t *testing.T) {
	card, _ := cardOf(t, profile(t, "skills: [lead.submit, inventory.search]\n"))
	var ids []string
	for _, s := range card.Skills {
		ids = append(ids, s.ID)
	}
	if !slices.Equal(ids, []string{"inventory.search", "lead.submit"}) {
		t.Errorf("skills %v", ids)
	}
	ext := card.Capabilities.Extensions
	if len(ext) != 1 || ext[0].URI != aap.V1_3.ExtensionURI || ext[0].Params.Version != "1.3.0" {
		t.Fatalf("extensions %+v", ext)
	}
	want := a2a.Schemas{
		Request:  "https://autoagentprotocol.org/v1.3/schemas/lead-submit-request.schema.json",
		Response: "https://autoagentprotocol.org/v1.3/schemas/lead-submit-response.schema.json",
	}
	if got := ext[0].Params.Skills; len(got) != 2 || got["lead.submit"] != want {
		t.Errorf("params.skills %v", got)
	}
	if i := card.SupportedInterfaces; len(i) != 1 || i[0] != (a2a.Interface{URL: endpoint, ProtocolBinding: "JSONRPC", ProtocolVersion: "1.0"}) {
		t.Errorf("interfaces %v", i)
	}
	if card.Provider != nil || card.SecuritySchemes != nil {
		t.Error("a public dealer without provider shows one")
	}
}

func TestCardIDChangesWithTheCardAndOnlyThen(t *testing.T) {
	base := profile(t, "")
	card, raw := cardOf(t, base)
	id := card.Capabilities.Extensions[0].Params.ID
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("id %s is no UUIDv7", id)
	}
	if _, again := cardOf(t, profile(t, "")); string(again) != string(raw) {
		t.Error("two instances publish different cards of one profile")
	}
	seen := map[string]string{id: "the first"}
	for name, edit := range map[string]func(*dealer.Profile){
		"description": func(p *dealer.Profile) { p.Description = "Open on Sundays." },
		"skills":      func(p *dealer.Profile) { p.Skills = p.Skills[:2] },
		"provider":    func(p *dealer.Profile) { p.Provider = &dealer.Provider{Organization: "T", URL: "https://t.example"} },
		"token":       func(p *dealer.Profile) { p.Access.Tokens = []dealer.Token{{Name: "buyer", SHA256: tokenDigest}} },
		"date":        func(p *dealer.Profile) { p.Modified = p.Modified.Add(time.Hour) },
	} {
		p := profile(t, "")
		edit(p)
		card, _ := cardOf(t, p)
		id := card.Capabilities.Extensions[0].Params.ID
		if other, ok := seen[id]; ok {
			t.Errorf("the card with another %s has the id of %s", name, other)
		}
		seen[id] = name
	}
}

func TestProtectedCardNamesTheSchemeInAFormEveryReaderTakes(t *testing.T) {
	_, raw := cardOf(t, profile(t, "access: {tokens: [{name: buyer, sha256: "+tokenDigest+"}]}\n"))
	if !strings.Contains(string(raw), `"httpAuthSecurityScheme"`) || strings.Contains(string(raw), "securityRequirements") {
		t.Errorf("card:\n%s", raw)
	}
	if strings.Contains(string(raw), tokenDigest) {
		t.Error("the card shows a token's hash")
	}
}

func TestCardWithoutSkillOrEndpointIsRefused(t *testing.T) {
	p := profile(t, "")
	if _, err := a2a.Card(p, aap.V1_3, ""); err == nil {
		t.Error("a card without endpoint was made")
	}
	p.Skills = nil
	if _, err := a2a.Card(p, aap.V1_3, endpoint); err == nil {
		t.Error("a card without skill was made")
	}
}
