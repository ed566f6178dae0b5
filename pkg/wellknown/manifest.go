package wellknown

import (
	"encoding/json"
	"fmt"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// ToolsPath is where the manifest of the dealer's MCP tools lies. AAP fixes
// its form (AAP v1.3 mcp) and leaves open whether and where a dealer hosts one;
// the folder is this agent's convention.
const ToolsPath = "/.well-known/mcp.json"

// manifestRevision is the MCP revision that AAP v1.3 describes tools in. The
// endpoint answers older and newer ones too.
const manifestRevision = "2025-06-18"

type manifest struct {
	Name            string         `json:"name"`
	Version         string         `json:"version"`
	Description     string         `json:"description"`
	ProtocolVersion string         `json:"protocolVersion"`
	Tools           []manifestTool `json:"tools"`
}

type manifestTool struct {
	Name        string              `json:"name"`
	Description string              `json:"description"`
	InputSchema manifestInput       `json:"inputSchema"`
	Annotations manifestAnnotations `json:"annotations"`
}

type manifestInput struct {
	Ref string `json:"$ref"`
}

type manifestAnnotations struct {
	SkillID        string `json:"aap_skill_id"`
	RequestType    string `json:"aap_request_type"`
	ResponseType   string `json:"aap_response_type"`
	ResponseSchema string `json:"aap_response_schema"`
}

// toolManifest says which tools the dealer's MCP endpoint offers, by the names
// and in the words of its tools/list, each with the published schema of its
// arguments.
func toolManifest(p *dealer.Profile, v aap.Version) ([]byte, error) {
	m := manifest{
		Name: "auto-agent-protocol", Version: v.SemVer, ProtocolVersion: manifestRevision,
		Description: fmt.Sprintf("The MCP tools of %s at %s. A tool's arguments are the request payload of an Auto Agent Protocol skill, its result is the response payload.",
			plain(p.Name), endpoint(p)),
		Tools: []manifestTool{},
	}
	for _, row := range agent.Table() {
		if !p.Offers(row.Skill) {
			continue
		}
		m.Tools = append(m.Tools, manifestTool{
			Name: row.ToolName(), Description: row.Under(v).Brief,
			InputSchema: manifestInput{v.SchemaBaseURL() + row.RequestSchema()},
			Annotations: manifestAnnotations{row.ID, row.RequestType(), row.ResponseType(), v.SchemaBaseURL() + row.ResponseSchema()},
		})
	}
	return document(m)
}

// endpoint is the public address of the MCP tools.
func endpoint(p *dealer.Profile) string { return p.URL + "/mcp" }

// document renders a file as people read it.
func document(content any) ([]byte, error) {
	doc, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", content, err)
	}
	return append(doc, '\n'), nil
}
