package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// publish runs the verb and returns what it printed.
func publish(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := newPublish(streams{in: strings.NewReader(""), out: &out, err: &out})
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// writeProfile writes the sample profile with more lines, and returns its name.
func writeProfile(t *testing.T, more string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dealer.yaml")
	if err := os.WriteFile(name, append(sample.Profile(), more...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const frontDoor = "https://agent.larkspur.example"

func TestPublishWritesTheFilesThatTheAgentServes(t *testing.T) {
	profile, dir := writeProfile(t, "\nurl: "+frontDoor+"\n"), filepath.Join(t.TempDir(), "new", "public")
	out, err := publish(t, "--profile", profile, "--dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	// As the agent reads it: the card tells when the profile was changed.
	document, err := dealer.File(profile).Fetch(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := dealer.Parse(document.Body)
	if err != nil {
		t.Fatal(err)
	}
	p.Modified = document.Modified
	files, err := wellknown.Files(p)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		want[name] = string(f.Body)
		if !strings.Contains(out, name) || !strings.Contains(out, f.ContentType) || !strings.Contains(out, f.CacheControl) {
			t.Errorf("the output does not tell %s with its headers:\n%s", name, out)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v; a web server could not read it", name, info.Mode())
		}
	}
	if diff := cmp.Diff(want, folder(t, dir)); diff != "" {
		t.Errorf("files (-served +written):\n%s", diff)
	}
	var card struct {
		SupportedInterfaces []struct {
			URL string `json:"url"`
		} `json:"supportedInterfaces"`
	}
	if err := json.Unmarshal([]byte(want[filepath.Join(dir, ".well-known", "agent-card.json")]), &card); err != nil {
		t.Fatal(err)
	}
	if len(card.SupportedInterfaces) == 0 || card.SupportedInterfaces[0].URL != frontDoor+"/a2a" {
		t.Errorf("the card names %+v, not the front door", card.SupportedInterfaces)
	}
}

func TestPublishReplacesOldFilesAndLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, ".well-known", "agent-card.json")
	other := filepath.Join(dir, ".well-known", "security.txt")
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, other} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := publish(t, "--profile", writeProfile(t, "\nurl: "+frontDoor+"\n"), "--dir", dir); err != nil {
		t.Fatal(err)
	}
	after := folder(t, dir)
	if len(after) != 4 || after[other] != "old" || !strings.Contains(after[old], frontDoor) {
		t.Errorf("after publishing: %v", after)
	}
}

func TestPublishRefusesAndWritesNothing(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("id: Not An Id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "public")
	for _, c := range []struct {
		name  string
		args  []string
		says  string
		usage bool
	}{
		{"a profile without url", []string{"--profile", writeProfile(t, ""), "--dir", dir}, "url: https://", false},
		{"a profile at fault", []string{"--profile", broken, "--dir", dir}, "id", false},
		{"a profile that is not there", []string{"--profile", broken + "x", "--dir", dir}, "broken.yamlx", false},
		{"no folder", []string{"--profile", writeProfile(t, "")}, "--dir", true},
		{"no profile", []string{"--dir", dir}, "--profile", true},
		{"a stray argument", []string{"dealer.yaml"}, "dealer.yaml", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := publish(t, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v does not say %q", err, c.says)
			}
			if _, usage := err.(usageError); usage != c.usage {
				t.Errorf("%v counts as a fault of the command line: %v, want %v", err, usage, c.usage)
			}
			if out != "" {
				t.Errorf("it claims to have written: %s", out)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the folder was made: %v", err)
			}
		})
	}
}

func TestAFileThatCannotBeReplacedLeavesNoRemains(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, ".well-known", "agent-card.json")
	if err := os.MkdirAll(filepath.Join(inTheWay, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := publish(t, "--profile", writeProfile(t, "\nurl: "+frontDoor+"\n"), "--dir", dir); err == nil || out != "" {
		t.Errorf("error %v, output %q", err, out)
	}
	if left := folder(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// folder reads all files below dir.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		found[name] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
