package peers

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// door is where a host finds the fixture dealer's tools: an address, or a
// command that it starts and speaks to over pipes.
type door struct {
	url     string
	command []string
}

const forwarded = "stdio, forwarded"

// doors open one each, with more lines in the profile.
var doors = map[string]func(t *testing.T, lines string) door{
	"HTTP": func(t *testing.T, lines string) door { return door{url: serve(t, lines) + "/mcp"} },
	"stdio": func(t *testing.T, lines string) door {
		return door{command: slices.Concat([]string{machinetest.Command(t), "mcp", "--clock", "2026-05-01T12:00:00Z"}, newPremises(t, lines).args())}
	},
	forwarded: func(t *testing.T, lines string) door {
		return door{command: []string{machinetest.Command(t), "mcp", "--agent", serve(t, lines), "--approve-writes=false"}}
	},
}

// transport is that of the Go client.
func (d door) transport() mcp.Transport {
	if d.url != "" {
		return &mcp.StreamableClientTransport{Endpoint: d.url, DisableStandaloneSSE: true}
	}
	return &mcp.CommandTransport{Command: exec.Command(d.command[0], d.command[1:]...)}
}

// arguments name the door to the inspector, with its own options between.
func (d door) arguments(options ...string) []string {
	if d.url != "" {
		return append([]string{d.url, "--transport", "http"}, options...)
	}
	return slices.Concat(options, []string{"--"}, d.command)
}
