package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Agent answers AAP payloads; *agent.Agent is one.
type Agent interface {
	// Call answers one payload; errors that may be shown are *aap.Error.
	Call(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, error)
}

// ToolName is the name of the tool that calls the skill, such as
// aap_inventory_search (AAP v1.3 mcp).
func ToolName(s aap.Skill) string { return "aap_" + strings.ReplaceAll(s.ID, ".", "_") }

// tools are the rows the profile offers, as tools of contract v.
func tools(p *dealer.Profile, v aap.Version) ([]*mcp.Tool, []agent.Row, error) {
	var list []*mcp.Tool
	var rows []agent.Row
	for _, row := range agent.Table() {
		if !p.Offers(row.Skill) {
			continue
		}
		row = row.Under(v)
		input, err := InputSchema(row.Skill, v)
		if err != nil {
			return nil, nil, err
		}
		list, rows = append(list, tool(row, v, input)), append(rows, row)
	}
	return list, rows, nil
}

func tool(row agent.Row, v aap.Version, input json.RawMessage) *mcp.Tool {
	no, open := false, row.Writes
	return &mcp.Tool{
		Name:        ToolName(row.Skill),
		Title:       row.Name,
		Description: row.Brief,
		InputSchema: input,
		// Nothing is ever deleted. A lead without a key, or after its key has
		// expired, may be taken twice, and personal data goes to other systems.
		Annotations: &mcp.ToolAnnotations{
			Title: row.Name, ReadOnlyHint: !row.Writes, IdempotentHint: !row.Writes, DestructiveHint: &no, OpenWorldHint: &open,
		},
		Meta: mcp.Meta{
			"aap_skill_id":        row.ID,
			"aap_request_type":    row.RequestType(),
			"aap_response_type":   row.ResponseType(),
			"aap_request_schema":  v.SchemaBaseURL() + row.RequestSchema(),
			"aap_response_schema": v.SchemaBaseURL() + row.ResponseSchema(),
		},
	}
}

// instructions are the rules that concern more than one tool.
func instructions(p *dealer.Profile) string {
	offers := func(s ...aap.Skill) bool {
		return !slices.ContainsFunc(s, func(s aap.Skill) bool { return !p.Offers(s) })
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Tools of one car dealer, %s. Answers are the dealer's own data; do not mix them with other sources.", p.Name)
	if offers(aap.InventoryFacets, aap.InventorySearch) {
		b.WriteString(" Call aap_inventory_facets before you filter aap_inventory_search, and use its terms unchanged.")
	}
	if offers(aap.InventorySearch) || offers(aap.InventoryVehicle) {
		b.WriteString(" 'price' is the advertised price in whole US dollars: mandatory dealer charges are inside and never added again; tax, title and registration come on top." +
			" A vehicle without 'price' has none to quote. 'updated_at' says when the dealer last vouched for a vehicle; say so, and never promise that it is still there.")
	}
	if offers(aap.LeadSubmit) {
		b.WriteString(" Before aap_lead_submit show the buyer what will be sent and the consent text, and send only what they agreed to: their words, their channels, the time they agreed." +
			" Send one idempotency_key per lead and repeat the same arguments with it when an answer was lost. An appointment is booked only when its status is 'confirmed'.")
	}
	b.WriteString(" A result with isError carries code, message and details.errors: mend what they name and call again; retry unchanged only when 'retryable' is true.")
	return b.String()
}
