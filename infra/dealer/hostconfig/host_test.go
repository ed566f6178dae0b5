package hostconfig_test

import (
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/hostconfig"
)

func TestEachHostsFileLiesWhereTheHostLooks(t *testing.T) {
	environment := map[string]string{}
	lookup := func(name string) string { return environment[name] }
	for _, c := range []struct{ host, system, home, file string }{
		{"claude-desktop", "darwin", "/Users/p", "/Users/p/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", "/home/p", "/home/p/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", `C:\Users\p`, "C:/Users/p/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"claude-code", "darwin", "/Users/p", "/Users/p/.claude.json"},
		{"claude-code", "windows", `C:\Users\p`, "C:/Users/p/.claude.json"},
		{"vscode", "darwin", "/Users/p", "/Users/p/Library/Application Support/Code/User/mcp.json"},
		{"vscode", "linux", "/home/p", "/home/p/.config/Code/User/mcp.json"},
		{"vscode", "windows", `C:\Users\p`, "C:/Users/p/AppData/Roaming/Code/User/mcp.json"},
		{"cursor", "linux", "/home/p", "/home/p/.cursor/mcp.json"},
		{"cursor", "freebsd", "/home/p", "/home/p/.cursor/mcp.json"},
	} {
		h, _ := hostconfig.ByName(c.host)
		if got, err := h.File(c.system, c.home, lookup); err != nil || got != c.file {
			t.Errorf("%s on %s: %q %v, want %q", c.host, c.system, got, err, c.file)
		}
	}
	h, _ := hostconfig.ByName("vscode")
	environment["XDG_CONFIG_HOME"], environment["APPDATA"] = "/cfg", `D:\Roaming`
	for system, want := range map[string]string{"linux": "/cfg/Code/User/mcp.json", "windows": "D:/Roaming/Code/User/mcp.json", "darwin": "/h/Library/Application Support/Code/User/mcp.json"} {
		if got, _ := h.File(system, "/h", lookup); got != want {
			t.Errorf("%s: %q", system, got)
		}
	}
	if _, err := h.File("darwin", "", lookup); err == nil {
		t.Error("a home folder was made up")
	}
}
