package mcptools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// offer is one dealer behind a server: what can be asked, and who answers.
type offer struct {
	// name is the dealer's, as people are shown it.
	name string
	// alias tells the dealer from others behind the same server, and prefix,
	// made of it, begins each tool's name. Both are empty where there is one.
	alias, prefix string
	// version is the contract of every payload.
	version aap.Version
	skills  []aap.Skill
	agent   Agent
	// replay is Config.Replay; nil where there is none.
	replay func(context.Context, aap.Version, []byte) (agent.Answer, bool, error)
	// profile is nil when the dealer's agent runs elsewhere.
	profile *dealer.Profile
	// address is what the person at this machine knows that agent by, endpoint
	// where it is asked; both are empty beside a profile.
	address, endpoint string
	// now is Found.Now; nil where there is none.
	now func() time.Time
}

// localOffer is what a profile offers, under the primary contract.
func localOffer(c Config, p *dealer.Profile) offer {
	o := offer{name: p.Name, version: aap.Primary(), agent: c.Agent, replay: c.Replay, profile: p}
	for _, s := range aap.Skills() {
		if p.Offers(s) {
			o.skills = append(o.skills, s)
		}
	}
	return o
}

func (o offer) offers(s ...aap.Skill) bool {
	return !slices.ContainsFunc(s, func(s aap.Skill) bool { return !slices.Contains(o.skills, s) })
}

// title is the dealer's in logs: an alias or a host, no stranger's words.
func (o offer) title() string {
	if o.alias != "" {
		return o.alias
	}
	return o.host()
}

// called is the dealer's name in words that a model takes for its person's: of
// a dealer elsewhere the host, since its card may say anything.
func (o offer) called() string {
	if o.elsewhere() {
		return o.title()
	}
	return o.name
}

// elsewhere reports whether the dealer's agent does not run here.
func (o offer) elsewhere() bool { return o.profile == nil }

// alone reports whether the server has no other dealer. Only then it has
// resources, prompts and the page: beside other dealers' their names would
// clash, and a prompt could not tell whose tools it means.
func (o offer) alone() bool { return o.prefix == "" }

// has reports whether a skill's tool, without prefix, is offered.
func (o offer) has(tool string) bool {
	return slices.ContainsFunc(o.skills, func(s aap.Skill) bool { return s.ToolName() == tool })
}

// scope is who may keep what is listed (MCP 2026-07-28 caching).
func (o offer) scope() string {
	if o.profile == nil || o.profile.Access.Guarded() {
		return "private"
	}
	return "public"
}

// tools are the offered rows, as tools of the offer's contract.
func (o offer) tools() ([]*mcp.Tool, []agent.Row, error) {
	var list []*mcp.Tool
	var rows []agent.Row
	for _, row := range agent.Table() {
		if !o.offers(row.Skill) {
			continue
		}
		row = row.Under(o.version)
		input, err := InputSchema(row.Skill, o.version)
		if err != nil {
			return nil, nil, err
		}
		t := o.tool(row, input)
		if o.alone() && row.Skill == aap.InventorySearch {
			t.Meta["ui"] = map[string]any{"resourceUri": appURI}
		}
		list, rows = append(list, t), append(rows, row)
	}
	return list, rows, nil
}

// instructions are the rules that concern more than one tool.
func (o offer) instructions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tools of one car dealer, %s. Answers are the dealer's own data; do not mix them with other sources.", o.name)
	if o.offers(aap.InventoryFacets, aap.InventorySearch) {
		b.WriteString(" Call aap_inventory_facets before you filter aap_inventory_search, and use its terms unchanged.")
	}
	if o.offers(aap.InventorySearch) || o.offers(aap.InventoryVehicle) {
		b.WriteString(" 'price' is the advertised price in whole US dollars: mandatory dealer charges are inside and never added again; tax, title and registration come on top." +
			" A vehicle without 'price' has none to quote. 'updated_at' says when the dealer last vouched for a vehicle; say so, and never promise that it is still there.")
	}
	if o.offers(aap.LeadSubmit) {
		b.WriteString(" Before aap_lead_submit show the buyer what will be sent and the consent text, and send only what they agreed to: their words, their channels, the time they agreed." +
			" Without a consent they agreed to, leave 'consent' out: a host with forms then asks them, and the call waits for their answer." +
			" Send one idempotency_key per lead and repeat the same arguments with it when an answer was lost. An appointment is booked only when its status is 'confirmed'.")
	}
	b.WriteString(" A result with isError carries code, message and details.errors: mend what they name and call again; retry unchanged only when 'retryable' is true.")
	return b.String()
}
