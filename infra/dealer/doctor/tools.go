package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mcpVersion is the revision of MCP that the doctor speaks: the newest that
// every server of this year and the last knows.
const mcpVersion = "2025-06-18"

// tools looks at an MCP endpoint at /mcp, where there is one.
func (x *examination) tools(ctx context.Context) {
	at := x.card.ResolveReference(&url.URL{Path: "/mcp"}).String()
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcpVersion +
		`","capabilities":{},"clientInfo":{"name":"dealer doctor","version":"1"}}}`
	first, err := x.mcp(ctx, at, hello, "")
	if err != nil || first.status != http.StatusOK || !first.is("application/json", "text/event-stream") {
		x.skip("mcp.tools", about{}, "no MCP endpoint at /mcp answers")
		return
	}
	session := first.header.Get("Mcp-Session-Id")
	if session != "" {
		if _, err := x.mcp(ctx, at, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session); err != nil {
			x.fail("mcp.tools", about{}, "%v", err)
			return
		}
	}
	got, err := x.mcp(ctx, at, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`, session)
	if err != nil {
		x.fail("mcp.tools", about{}, "%v", err)
		return
	}
	names, ok := toolNames(got)
	if !ok {
		x.fail("mcp.tools", about{}, "tools/list has HTTP status %d and no list of tools", got.status)
		return
	}
	if len(x.contracts) == 0 {
		x.pass("mcp.tools", about{}, "%d tools", len(names))
		return
	}
	for _, s := range x.contracts[0].skills {
		if !slices.Contains(names, toolName(s)) {
			x.fail("mcp.tools", about{skill: s.ID}, "there is no tool %s among %d", toolName(s), len(names))
			return
		}
	}
	x.pass("mcp.tools", about{}, "%d tools", len(names))
}

func toolName(s aap.Skill) string { return "aap_" + strings.ReplaceAll(s.ID, ".", "_") }

func (x *examination) mcp(ctx context.Context, at, body, session string) (*exchange, error) {
	return x.ask(ctx, http.MethodPost, at, body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", mcpVersion, "Mcp-Session-Id", session, "Authorization", x.bearer())
}

// toolNames reads the answer to tools/list, plain or as an event stream.
func toolNames(got *exchange) (names []string, ok bool) {
	bodies := [][]byte{got.body}
	if got.is("text/event-stream") {
		bodies = nil
		for line := range bytes.Lines(got.body) {
			if data, found := bytes.CutPrefix(line, []byte("data:")); found {
				bodies = append(bodies, data)
			}
		}
	}
	for _, body := range bodies {
		var answer struct {
			Result struct {
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
			} `json:"result"`
		}
		if json.Unmarshal(body, &answer) != nil || answer.Result.Tools == nil {
			continue
		}
		for _, t := range answer.Result.Tools {
			names = append(names, t.Name)
		}
		return names, true
	}
	return nil, false
}
