package main

import (
	"fmt"
	"io"
)

// printWelcome shows where data and agent are and two requests to paste.
func printWelcome(out io.Writer, data, base string) {
	fmt.Fprintf(out, `Data:   %[4]s
Agent:  %[1]s/a2a
MCP:    %[1]s/mcp
Card:   %[1]s/.well-known/agent-card.json

Search the inventory:
  %[2]s
Send a lead:
  %[3]s

Ctrl-C stops.
`, base, curlLine(base, searchExample), curlLine(base, leadExample), data)
}

// searchExample and leadExample are payloads that work on the sample dealer.
const (
	searchExample = `{"type":"inventory.search.request","filters":{"condition":["used"],"price_max":30000},"pagination":{"limit":3}}`
	leadExample   = `{"type":"lead.submit.request","customer":{"first_name":"Pat","last_name":"Sample","email":"pat@example.com"},` +
		`"consent":{"granted_at":"2026-01-01T00:00:00Z","allowed_channels":["email"],` +
		`"consent_text":"I agree to be contacted by e-mail about this vehicle.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"curl"},"message":"Is it still there?"}`
)

func curlLine(base, payload string) string {
	return fmt.Sprintf(`curl -s %s/a2a -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage",`+
		`"params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"data":%s}]}}}'`, base, payload)
}
