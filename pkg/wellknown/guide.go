package wellknown

import (
	"fmt"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// guide is the profile's own text, or one made of the skill table: how a
// language model calls this dealer under the contract of a manifest.
func guide(p *dealer.Profile, v aap.Version) []byte {
	if text := strings.TrimSpace(p.LLM.Guide); text != "" {
		return []byte(text + "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Calling the agent of %s\n\n", plain(p.Name))
	fmt.Fprintf(&b, "The agent speaks the Auto Agent Protocol %s over JSON-RPC 2.0: typed JSON in, typed JSON out.\n\n", v.Label)
	fmt.Fprintf(&b, "## How to call\n\n")
	fmt.Fprintf(&b, "1. Choose a skill below and write a payload that fits its request schema. Its `type` names the skill.\n")
	fmt.Fprintf(&b, "2. POST it to `%s` as `Content-Type: application/json`, with a new `id` and a new `messageId`:\n\n", p.URL+v.Path())
	fmt.Fprintf(&b, "   ```json\n   %s\n   ```\n\n", `{"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"data": {"type": "…"}}]}}}`)
	if p.Access.Guarded() {
		fmt.Fprintf(&b, "   Every call needs the header `Authorization: Bearer` with a token from the dealer.\n\n")
	}
	fmt.Fprintf(&b, "3. The answer is `result.message.parts[0].data`, which fits the response schema.\n")
	fmt.Fprintf(&b, "4. A refusal is `error.data`: its `code` says why, its `message` what to send instead, `retryable` whether to try again. "+
		"`details.instancePath` points at the first faulty member.\n\n")
	fmt.Fprintf(&b, "## Skills\n")
	for _, row := range agent.Table() {
		if p.Offers(row.Skill) {
			writeSkill(&b, row.Under(v), v)
		}
	}
	writeTools(&b, p)
	return []byte(b.String())
}

// writeTools tells of the same skills under MCP, where the primary contract
// rules, whose prices are not those of older ones.
func writeTools(b *strings.Builder, p *dealer.Profile) {
	main := aap.Primary()
	fmt.Fprintf(b, "\n## As MCP tools\n\n")
	fmt.Fprintf(b, "The same skills are MCP tools at `%s`, over Streamable HTTP. Their payloads and schemas are those of AAP %s: `price` there is the advertised price, "+
		"with mandatory dealer charges inside; tax, title and registration come on top. <%s> lists them with their schemas.\n\n", endpoint(p), main.Label, p.URL+ToolsPath)
	for _, row := range agent.Table() {
		if p.Offers(row.Skill) {
			fmt.Fprintf(b, "- `%s`: %s\n", row.ToolName(), row.Under(main).Brief)
		}
	}
}

func writeSkill(b *strings.Builder, row agent.Row, v aap.Version) {
	needs := "no data of the buyer"
	if row.Writes {
		needs = "the buyer's name, a way to reach them, and their consent"
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", row.ID, row.Description)
	fmt.Fprintf(b, "- type: `%s`; it needs %s\n", row.RequestType(), needs)
	fmt.Fprintf(b, "- request: <%s>\n- response: <%s>\n", v.SchemaBaseURL()+row.RequestSchema(), v.SchemaBaseURL()+row.ResponseSchema())
}

// plain keeps a name on its line.
func plain(name string) string { return strings.Join(strings.Fields(name), " ") }
