package a2a

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Where AAP v0.1 has its files (AAP v0.1 contract-manifest).
const (
	ManifestPath = "/.well-known/auto-agent-contract.json"
	GuidePath    = "/.well-known/auto-agent-llm-guide.md"
)

// The names by which AAP v0.1 calls itself on manifest and card.
const (
	contractName = "Auto Agent Protocol A2A Automotive Retail Profile"
	profileName  = "AAP A2A Automotive Retail Profile"
)

// Manifest is the contract manifest of AAP v0.1: what a planner needs to know
// before it calls a skill.
type Manifest struct {
	Contract ManifestContract `json:"contract"`
	Dealer   ManifestDealer   `json:"dealer"`
	A2A      ManifestA2A      `json:"a2a"`
	// AuthType is "bearer", or null for a public agent.
	AuthType *string      `json:"auth_type"`
	LLM      *ManifestLLM `json:"llm,omitempty"`
}

// ManifestContract is the contract the manifest is written under.
type ManifestContract struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	URI     string `json:"uri"`
}

// ManifestDealer is who answers.
type ManifestDealer struct {
	DealerID  string `json:"dealer_id"`
	Name      string `json:"name"`
	ManagedBy string `json:"managed_by,omitempty"`
}

// ManifestA2A is where and how the skills are called.
type ManifestA2A struct {
	Endpoint        string          `json:"endpoint"`
	ProtocolBinding string          `json:"protocol_binding"`
	Skills          []ManifestSkill `json:"skills"`
}

// ManifestSkill is one offered skill and the rules for calling it.
type ManifestSkill struct {
	ID             string `json:"id"`
	RequestSchema  string `json:"request_schema"`
	ResponseSchema string `json:"response_schema"`
	// AnonymousAllowed: the call needs no buyer. ConsentRequired: a buyer's
	// data needs the buyer's consent. ADFCompatible: the call becomes a lead.
	AnonymousAllowed bool `json:"anonymous_allowed"`
	ConsentRequired  bool `json:"consent_required"`
	ADFCompatible    bool `json:"adf_compatible,omitempty"`
}

// ManifestLLM is advice to language models.
type ManifestLLM struct {
	GuideURL string   `json:"guide_url,omitempty"`
	Rules    []string `json:"rules,omitempty"`
}

// ContractManifest renders the manifest of a contract that has one. Equal
// arguments give equal bytes.
func ContractManifest(p *dealer.Profile, v aap.Version) ([]byte, error) {
	m := Manifest{
		Contract: ManifestContract{Name: contractName, Version: v.SemVer, URI: contractURI(v)},
		Dealer:   ManifestDealer{DealerID: p.ID, Name: p.Name},
		A2A:      ManifestA2A{Endpoint: p.URL + v.Path(), ProtocolBinding: bindingRPC},
		AuthType: authType(p),
		LLM:      &ManifestLLM{GuideURL: p.URL + GuidePath, Rules: p.LLM.Rules},
	}
	if p.Provider != nil {
		m.Dealer.ManagedBy = p.Provider.Organization
	}
	for _, row := range agent.Table() {
		if !p.Offers(row.Skill) {
			continue
		}
		// What is left behind at the dealer is a buyer's lead.
		urls := schemasOf(row.Skill, v)
		m.A2A.Skills = append(m.A2A.Skills, ManifestSkill{
			ID: row.ID, RequestSchema: urls.Request, ResponseSchema: urls.Response,
			AnonymousAllowed: !row.Writes, ConsentRequired: row.Writes, ADFCompatible: row.Writes,
		})
	}
	if len(m.A2A.Skills) == 0 {
		return nil, fmt.Errorf("the profile of %s offers no skill: a contract manifest needs one", p.ID)
	}
	if len(m.LLM.Rules) == 0 {
		m.LLM.Rules = rules(p)
	}
	return encode(m)
}

// contractURI is where the contract is published.
func contractURI(v aap.Version) string { return strings.TrimSuffix(v.SchemaBaseURL(), "schemas/") }

// authType is what the manifest and the card say of credentials alike.
func authType(p *dealer.Profile) *string {
	if !p.Access.Guarded() {
		return nil
	}
	bearer := "bearer"
	return &bearer
}

// rules are the ones a profile without its own has: those of the offered skills.
func rules(p *dealer.Profile) []string {
	var all []string
	offers := func(skills ...aap.Skill) bool { return slices.ContainsFunc(skills, p.Offers) }
	if offers(aap.InventorySearch, aap.InventoryVehicle) {
		all = append(all,
			"Quote price as it stands: it is all that the buyer pays. A vehicle without price has none to quote; list_price and msrp do not stand in for it.",
			"Members that are absent are unknown. last_verified_at says when the dealer's system last vouched for a vehicle; only the dealer can promise it.")
	}
	if offers(aap.LeadSubmit) {
		all = append(all,
			"Submit a lead only with the words of consent that the buyer agreed to, word for word, and only for the contact channels they named. Never make consent up.",
			"Send an idempotency_key with every lead, and repeat the same payload with it after a lost answer.",
			"An appointment is booked only when its status is confirmed; requested and proposed are not.")
	}
	if authType(p) != nil {
		all = append(all, "Every call needs the header Authorization: Bearer with a token from the dealer.")
	}
	return append(all, "Send typed JSON by the request schema; plain language is not answered.")
}
