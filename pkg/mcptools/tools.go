package mcptools

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
)

// Agent answers AAP payloads; *agent.Agent is one.
type Agent interface {
	// Call answers one payload; errors that may be shown are *aap.Error.
	Call(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, error)
}

// tool is a row of the offer's contract.
func (o offer) tool(row agent.Row, input json.RawMessage) *mcp.Tool {
	no, open := false, row.Writes
	title := row.Name
	if o.alias != "" {
		title += " (" + o.alias + ")"
	}
	return &mcp.Tool{
		Name:        o.prefix + row.ToolName(),
		Title:       title,
		Description: row.Brief,
		InputSchema: input,
		// Nothing is ever deleted. A lead without a key, or after its key has
		// expired, may be taken twice, and personal data goes to other systems.
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: !row.Writes, IdempotentHint: !row.Writes, DestructiveHint: &no, OpenWorldHint: &open,
		},
		Meta: mcp.Meta{
			"aap_skill_id":        row.ID,
			"aap_request_type":    row.RequestType(),
			"aap_response_type":   row.ResponseType(),
			"aap_request_schema":  o.version.SchemaBaseURL() + row.RequestSchema(),
			"aap_response_schema": o.version.SchemaBaseURL() + row.ResponseSchema(),
		},
	}
}
