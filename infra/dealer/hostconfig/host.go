// Package hostconfig adds an MCP server to the configuration of an AI host: it
// knows where each host keeps its file and changes nothing in it but that one
// entry.
package hostconfig

import (
	"fmt"
	"path"
	"strings"
)

// Host is an AI host that starts MCP servers by a configuration file.
type Host struct {
	// Name is its word on the command line, Title what people call it.
	Name, Title string
	// Key is the member of the file that holds the servers.
	Key string
	// typed is true where an entry says that it is spoken to over stdio.
	typed bool
	// places are the file's path below a base folder, by operating system.
	places map[string]place
}

type place struct {
	// variable names the base folder; where it is unset, fallback below the
	// home folder is it.
	variable, fallback string
	file               string
}

// Hosts lists the hosts that are known.
func Hosts() []Host {
	home := func(file string) map[string]place {
		return map[string]place{"darwin": {file: file}, "linux": {file: file}, "windows": {variable: "USERPROFILE", file: file}}
	}
	app := func(file string) map[string]place {
		return map[string]place{
			"darwin":  {fallback: "Library/Application Support", file: file},
			"linux":   {variable: "XDG_CONFIG_HOME", fallback: ".config", file: file},
			"windows": {variable: "APPDATA", fallback: "AppData/Roaming", file: file},
		}
	}
	return []Host{
		{Name: "claude-desktop", Title: "Claude Desktop", Key: "mcpServers", places: app("Claude/claude_desktop_config.json")},
		{Name: "claude-code", Title: "Claude Code", Key: "mcpServers", typed: true, places: home(".claude.json")},
		{Name: "vscode", Title: "VS Code", Key: "servers", typed: true, places: app("Code/User/mcp.json")},
		{Name: "cursor", Title: "Cursor", Key: "mcpServers", typed: true, places: home(".cursor/mcp.json")},
	}
}

// ByName finds a host by its word.
func ByName(name string) (Host, bool) {
	for _, h := range Hosts() {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// Names lists the hosts' words.
func Names() []string {
	var names []string
	for _, h := range Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// File is where the host keeps its configuration of the user, with slashes, on
// an operating system as runtime.GOOS names it. Other systems are taken for
// Linux, whose rules they share.
func (h Host) File(system, home string, environment func(string) string) (string, error) {
	p, ok := h.places[system]
	if !ok {
		p = h.places["linux"]
	}
	base := ""
	if p.variable != "" {
		base = environment(p.variable)
	}
	if base == "" {
		if home == "" {
			return "", fmt.Errorf("there is no home folder to look for the configuration of %s in", h.Title)
		}
		base = path.Join(slashes(home), p.fallback)
	}
	return path.Join(slashes(base), p.file), nil
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// Entry is how a host starts the server.
type Entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Entry is a command in the host's form.
func (h Host) Entry(command string, args ...string) Entry {
	e := Entry{Command: command, Args: args}
	if h.typed {
		e.Type = "stdio"
	}
	return e
}
