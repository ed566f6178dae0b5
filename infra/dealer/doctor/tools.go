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
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// mcpVersion is the revision of MCP that the doctor speaks: the newest that
// every server of this year and the last knows.
const mcpVersion = "2025-06-18"

// tools looks at an MCP endpoint at /mcp, where there is one.
func (x *examination) tools(ctx context.Context) {
	at := x.at("/mcp")
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
	if !ok && (got.status == http.StatusTooManyRequests || bytes.Contains(got.body, []byte(aap.RateLimited))) {
		x.skip("mcp.tools", about{}, "%v", errLimited)
		return
	}
	if !ok {
		x.fail("mcp.tools", about{}, "tools/list has HTTP status %d and no list of tools", got.status)
		return
	}
	if len(x.contracts) == 0 {
		x.pass("mcp.tools", about{}, "%d tools", len(names))
		return
	}
	for _, s := range x.contracts[0].skills {
		if !slices.Contains(names, s.ToolName()) {
			x.fail("mcp.tools", about{skill: s.ID}, "there is no tool %s among %d", s.ToolName(), len(names))
			return
		}
	}
	x.pass("mcp.tools", about{}, "%d tools", len(names))
}

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

// toolFiles looks at the files about MCP tools that some agents publish.
func (x *examination) toolFiles(ctx context.Context) {
	if got := x.published(ctx, "mcp.manifest", wellknown.ToolsPath); got != nil {
		var m struct {
			Tools []struct {
				Name        string `json:"name"`
				InputSchema struct {
					Ref string `json:"$ref"`
				} `json:"inputSchema"`
			} `json:"tools"`
		}
		_ = json.Unmarshal(got.body, &m) // a file of another form names no tools
		var names []string
		for _, t := range m.Tools {
			names = append(names, t.Name)
		}
		missing := ""
		for _, s := range x.contracts[0].skills {
			if !slices.Contains(names, s.ToolName()) {
				missing = s.ToolName()
			}
		}
		if missing != "" {
			x.fail("mcp.manifest", about{}, "of %d tools none is %s", len(names), missing)
		} else {
			x.pass("mcp.manifest", about{}, "%d tools", len(names))
		}
	}
	if got := x.published(ctx, "mcp.registry", wellknown.RegistryPath); got != nil {
		var e struct {
			Remotes []struct {
				URL string `json:"url"`
			} `json:"remotes"`
		}
		_ = json.Unmarshal(got.body, &e) // a file of another form names no address
		here := slices.ContainsFunc(e.Remotes, func(r struct {
			URL string `json:"url"`
		}) bool {
			u, err := url.Parse(r.URL)
			return err == nil && strings.EqualFold(u.Host, x.card.Host)
		})
		if here {
			x.pass("mcp.registry", about{}, "%d addresses", len(e.Remotes))
		} else {
			x.warn("mcp.registry", about{}, "none of %d addresses is on the card's host", len(e.Remotes))
		}
	}
}

// at is a path of the agent whose card lies at its well-known place: at the root
// of the host, or below a path where the host has several.
func (x *examination) at(path string) string {
	below, _, found := strings.Cut(x.card.Path, "/.well-known/")
	if !found {
		below = ""
	}
	return x.card.ResolveReference(&url.URL{Path: below + path}).String()
}

// published reads a file that need not be there; nil when it is not.
func (x *examination) published(ctx context.Context, id, path string) *exchange {
	got, err := x.ask(ctx, http.MethodGet, x.at(path), "", "Accept", "application/json")
	if err != nil || got.status != http.StatusOK || !got.is("application/json") || len(x.contracts) == 0 {
		x.skip(id, about{}, "there is none at %s", path)
		return nil
	}
	return got
}
