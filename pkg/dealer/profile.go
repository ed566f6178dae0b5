package dealer

import (
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Profile is one dealer: a group with one or more rooftops.
type Profile struct {
	// ID names the dealer in every storage key: 1 to 63 lower-case letters,
	// digits and inner hyphens. It must never change once leads exist. Required.
	ID string `yaml:"id"`
	// Name is the group's name as buyers read it. Required.
	Name string `yaml:"name"`
	// WelcomeMessage greets in dealer.information; it may have several lines. Optional.
	WelcomeMessage string `yaml:"welcome_message"`
	// Description is the sentence on the agent card. Default: one made of Name.
	Description string `yaml:"description"`
	// URL is the public base address without a trailing slash, such as
	// https://agent.example-motors.com; cards name it. When it is
	// empty, `dealer run` fills in its own address, and on AWS the cards name the
	// stack's front door.
	URL string `yaml:"url"`
	// Provider is the organisation operating the agent. Optional.
	Provider *Provider `yaml:"provider"`
	// Brands are the makes the dealer represents, at most 100; dealer.information
	// of AAP v0.1 tells them. Optional.
	Brands []string `yaml:"brands"`
	// Rooftops are the locations, the main one first. 1 to 1000.
	Rooftops []Rooftop `yaml:"rooftops"`
	// Skills are the offered AAP skills. Default: all five.
	Skills []string `yaml:"skills"`
	// Versions are the served AAP contracts by label, each at a URL of its own.
	// The primary one is served whether it is among them or not, so that a
	// profile stays good when a newer contract becomes that. Default: it alone.
	Versions []string `yaml:"versions"`
	// Prices says what the feed's price column contains.
	Prices Prices `yaml:"prices"`
	// Inventory sets freshness and the guards of an import.
	Inventory Inventory `yaml:"inventory"`
	// Feed says how to read the dealer's export file.
	Feed Feed `yaml:"feed"`
	// Leads sets how leads are taken and kept.
	Leads Leads `yaml:"leads"`
	// Records sets what the agent keeps because the law may ask for it.
	Records Records `yaml:"records"`
	// Delivery lists where accepted leads go. At least one target when
	// lead.submit is offered, and every rooftop served; at most 100.
	Delivery []Target `yaml:"delivery"`
	// ADF sets the form of the XML.
	ADF ADF `yaml:"adf"`
	// LLM advises the language models that call by the contract manifest of AAP v0.1.
	LLM LLM `yaml:"llm"`
	// Access limits who may call and how often.
	Access Access `yaml:"access"`

	// Modified is when the document was last changed; the card's dates follow it.
	Modified time.Time `yaml:"-"`
}

// Provider is the organisation on the agent card; both members are required.
type Provider struct {
	// Organization is the operator's name. Required.
	Organization string `yaml:"organization"`
	// URL is the operator's website. Required.
	URL string `yaml:"url"`
}

// LLM is advice to language models that call the agent (AAP v0.1 contract-manifest).
type LLM struct {
	// Rules are sentences the manifest carries, at most 50. Default: a few
	// about consent, price and availability.
	Rules []string `yaml:"rules"`
	// Guide is a Markdown text of at most 20000 characters, published beside
	// the manifest. Default: one made of the profile.
	Guide string `yaml:"guide"`
}

// Access limits callers.
type Access struct {
	// Tokens are the bearer tokens of which every call must show one, at most
	// 1000. Default: none is asked for, and an empty list is refused.
	Tokens []Token `yaml:"tokens"`
	// PerMinute is how many calls one caller may make a minute. Default 600; 0
	// is refused.
	PerMinute int `yaml:"per_minute"`
	// LeadsPerHour is how many leads one caller may submit an hour. Default 120.
	LeadsPerHour int `yaml:"leads_per_hour"`
	// RequireA2AHeaders rejects calls without A2A-Version and A2A-Extensions.
	// Default false.
	RequireA2AHeaders bool `yaml:"require_a2a_headers"`
	// RateLimitStatus is the HTTP status of RATE_LIMITED answers: 429
	// (default) or 200 for clients that drop other bodies.
	RateLimitStatus int `yaml:"rate_limit_status"`
}

// Offers reports whether the profile lists the skill.
func (p *Profile) Offers(s aap.Skill) bool {
	return slices.Contains(p.Skills, s.ID)
}

// Serves reports whether the contract is served: those the profile lists, and
// always the primary one.
func (p *Profile) Serves(v aap.Version) bool {
	return v == aap.Primary() || slices.Contains(p.Versions, v.Label)
}

// Rooftop finds a rooftop by name or alias, case folded; nil when there is none.
func (p *Profile) Rooftop(name string) *Rooftop {
	for i := range p.Rooftops {
		if p.Rooftops[i].Is(name) {
			return &p.Rooftops[i]
		}
	}
	return nil
}
