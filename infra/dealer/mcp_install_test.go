package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// install runs the compiled command, whose own path it writes.
func install(t *testing.T, env []string, args ...string) result {
	t.Helper()
	var out, errs safeBuffer
	cmd := exec.Command(machinetest.Command(t), append([]string{"mcp", "install"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// installed is what the file of a host says.
func installed(t *testing.T, file, key, name string) (command string, args []string, typ string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]map[string]struct {
		Type, Command string
		Args          []string
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	e := doc[key][name]
	return e.Command, e.Args, e.Type
}

// TestAnInstalledEntryStartsTheServer runs what was written, as the host would.
func TestAnInstalledEntryStartsTheServer(t *testing.T) {
	base := fixtureLot(t, "")
	for _, c := range []struct{ client, key, typ, file string }{
		{"claude-desktop", "mcpServers", "", ".config/Claude/claude_desktop_config.json"},
		{"claude-code", "mcpServers", "stdio", ".claude.json"},
		{"vscode", "servers", "stdio", ".config/Code/User/mcp.json"},
		{"cursor", "mcpServers", "stdio", ".cursor/mcp.json"},
	} {
		home := t.TempDir()
		env := []string{"HOME=" + home, "XDG_CONFIG_HOME=", "DEALER_TOKEN=sesame"}
		r := install(t, env, "--client", c.client, "--agent", "north="+base, "--deadline", "3s")
		if r.code != 0 {
			t.Fatalf("%s: %+v", c.client, r)
		}
		command, args, typ := installed(t, filepath.Join(home, c.file), c.key, "dealer")
		if typ != c.typ || strings.Join(args, " ") != "mcp --agent north="+base+" --deadline=3s" {
			t.Errorf("%s: %s %v", c.client, typ, args)
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).
			Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(command, args...)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 5 {
			t.Errorf("%s: %v %v", c.client, list, err)
		}
		_ = session.Close()
		again := install(t, env, "--client", c.client, "--agent", "north="+base, "--deadline", "3s")
		if entries, _ := os.ReadDir(filepath.Dir(filepath.Join(home, c.file))); again.code != 0 || !strings.Contains(again.out, "nothing was changed") || len(entries) != 1 {
			t.Errorf("%s: a second time: %+v %v", c.client, again, entries)
		}
	}
}

func TestInstallKeepsTheOldFileAndItsRights(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "mcp.json")
	const before = "{\n    // mine\n    \"servers\": {},\n}\n"
	if err := os.WriteFile(real, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	r := install(t, nil, "--client", "vscode", "--config-file", link, "--data", "lot", "--name", "cars")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	backups, _ := filepath.Glob(filepath.Join(dir, "real.json.backup-*"))
	if len(backups) != 1 {
		t.Fatalf("backups %v", backups)
	}
	if old, _ := os.ReadFile(backups[0]); string(old) != before {
		t.Errorf("the backup is %q", old)
	}
	now, _ := os.ReadFile(real)
	here, _ := os.Getwd()
	if !strings.HasPrefix(string(now), "{\n    // mine\n    \"servers\": {\n        \"cars\": {\n") || !strings.HasSuffix(string(now), "\n    },\n}\n") || !strings.Contains(string(now), filepath.Join(here, "lot")) {
		t.Errorf("%s", now)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o640 {
		t.Errorf("rights %v", info.Mode())
	}
}

func TestAFileThatIsNotUnderstoodStaysAndWhatToAddIsShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	const broken = "{\"mcpServers\": {\"files\": {}\n"
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	r := install(t, nil, "--client", "cursor", "--config-file", file)
	now, _ := os.ReadFile(file)
	if entries, _ := os.ReadDir(filepath.Dir(file)); r.code != 1 || string(now) != broken || len(entries) != 1 || !strings.Contains(r.err, `"mcpServers"`) {
		t.Errorf("%+v %s %v", r, now, entries)
	}
	taken := `{"mcpServers": {"dealer": {"command": "npx", "args": ["poker"]}}}`
	if err := os.WriteFile(file, []byte(taken), 0o600); err != nil {
		t.Fatal(err)
	}
	r = install(t, nil, "--client", "cursor", "--config-file", file)
	if now, _ = os.ReadFile(file); r.code != 1 || string(now) != taken || !strings.Contains(r.err, "--name") {
		t.Errorf("%+v %s", r, now)
	}
}

// TestWhatIsNotWrittenLeavesNothingBehind: neither a backup nor a file in the
// place of a link, and a file that its owner protects stays.
func TestWhatIsNotWrittenLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	guarded, dangling := filepath.Join(dir, "guarded.json"), filepath.Join(dir, "dangling.json")
	if err := os.WriteFile(guarded, []byte("{}"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere", "mcp.json"), dangling); err != nil {
		t.Skip(err)
	}
	for file, said := range map[string]string{guarded: "write-protected", dangling: "a link to a file that is not there", dir: "no configuration file"} {
		r := install(t, nil, "--client", "cursor", "--config-file", file)
		if r.code != 1 || r.out != "" || !strings.Contains(r.err, said) || strings.Count(strings.TrimSpace(r.err), "\n") > 0 {
			t.Errorf("%s: %+v", file, r)
		}
	}
	if now, _ := os.ReadFile(guarded); string(now) != "{}" {
		t.Errorf("a protected file became %s", now)
	}
	if info, _ := os.Lstat(dangling); info.Mode()&os.ModeSymlink == 0 {
		t.Error("a link was replaced by a file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestInstallsAtOnceBreakNothing: whichever comes too late says so, and leaves
// nothing.
func TestInstallsAtOnceBreakNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	results := make([]result, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			results[i] = install(t, nil, "--client", "cursor", "--config-file", file, "--name", fmt.Sprint("n", i))
		})
	}
	all.Wait()
	written := 0
	for i, r := range results {
		command, _, _ := installed(t, file, "mcpServers", fmt.Sprint("n", i))
		if r.code == 0 {
			written++
		} else if command != "" || !strings.Contains(r.err, "was not changed") {
			t.Errorf("%d: %q, but %+v", i, command, r)
		}
	}
	if entries, _ := os.ReadDir(dir); written == 0 || len(entries) != 1+written {
		t.Errorf("%d were written: %v", written, entries)
	}
}

func TestPrintOnlyShows(t *testing.T) {
	home := t.TempDir()
	r := install(t, []string{"HOME=" + home}, "--client", "claude-desktop", "--print", "--profile", fixtureProfile, "--feed", fixtureFeed)
	var doc map[string]map[string]struct{ Args []string }
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code != 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, a := range doc["mcpServers"]["dealer"].Args {
		if strings.Contains(a, "testdata") && !filepath.IsAbs(a) {
			t.Errorf("%s depends on where the host starts it", a)
		}
	}
	if entries, _ := os.ReadDir(home); len(entries) != 0 || !strings.Contains(r.err, home) {
		t.Errorf("%v %s", entries, r.err)
	}
	for _, args := range [][]string{{}, {"--client", "emacs"}, {"--client", "cursor", "--agent", "x"}, {"--client", "cursor", "--name", ""}, {"--client", "cursor", "--name", "x\x7f"}, {"--client", "cursor", "--name", "x\u009b31m"}, {"--client", "cursor", "--agent", "http://u:sesame@x.example"}} {
		if r := install(t, []string{"HOME=" + home}, append(args, "--print")...); r.code != 2 || strings.Contains(r.err, "sesame") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
