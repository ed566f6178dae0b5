package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// result is what one command line did.
type result struct {
	code     int
	out, err string
}

func dealerCommand(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(t.Context(), args, streams{in: strings.NewReader(stdin), out: &out, err: &errs})
	return result{code, out.String(), errs.String()}
}

const (
	fixtureProfile = "machine/testdata/dealer.yaml"
	fixtureFeed    = "machine/testdata/feed.json"
)

// running serves the fixture dealer and returns its base URL.
func running(t *testing.T, data string, lines ...string) string {
	t.Helper()
	profile := fixtureProfile
	if len(lines) > 0 {
		document, err := os.ReadFile(fixtureProfile)
		if err != nil {
			t.Fatal(err)
		}
		profile = filepath.Join(t.TempDir(), "dealer.yaml")
		if err := os.WriteFile(profile, append(document, strings.Join(lines, "")...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := machinetest.Serve(t, machine.Config{Addr: "127.0.0.1:0", Profile: profile, Feed: fixtureFeed, Data: data, Log: slog.New(slog.DiscardHandler)})
	return m.URL()
}

func TestImportReportsWhatItChanged(t *testing.T) {
	data := t.TempDir()
	arguments := []string{"import", "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", data, "--json"}
	var report struct {
		Rows, Accepted, Visible int
		Changes                 struct{ Added, Unchanged int }
	}
	for _, step := range []struct {
		name             string
		extra            []string
		added, unchanged int
	}{
		{"a dry run changes nothing", []string{"--dry-run"}, 6, 0},
		{"the import adds every unit", nil, 6, 0},
		{"the same feed again changes none", nil, 0, 6},
	} {
		r := dealerCommand(t, "", append(arguments, step.extra...)...)
		if r.code != 0 {
			t.Fatalf("%s: exit code %d: %s%s", step.name, r.code, r.out, r.err)
		}
		report.Changes.Added, report.Changes.Unchanged = 0, 0
		if err := json.Unmarshal([]byte(r.out), &report); err != nil {
			t.Fatalf("%s: %v\n%s", step.name, err, r.out)
		}
		if report.Rows != 6 || report.Visible != 5 || report.Changes.Added != step.added || report.Changes.Unchanged != step.unchanged {
			t.Errorf("%s: %+v\n%s", step.name, report, r.out)
		}
	}
	if r := dealerCommand(t, "", arguments[:len(arguments)-1]...); r.code != 0 || !strings.Contains(r.out, "6") {
		t.Errorf("text report: %d %s%s", r.code, r.out, r.err)
	}
}

func TestImportRefusesAndSaysWhy(t *testing.T) {
	feed := filepath.Join(t.TempDir(), "feed.csv")
	if err := os.WriteFile(feed, []byte("Colour,Weather\nred,fine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", feed, "--data", t.TempDir())
	if r.code != 1 || !strings.HasPrefix(r.err, "dealer: the feed was refused") || !strings.Contains(r.out, "Weather") {
		t.Errorf("exit code %d\n%s\n%s", r.code, r.out, r.err)
	}
	_, reason, _ := strings.Cut(r.out, "REFUSED: ")
	if reason, _, _ = strings.Cut(reason, "\n"); reason == "" || strings.Count(r.out+r.err, reason) != 1 {
		t.Errorf("the reason %q is not told once:\n%s\n%s", reason, r.out, r.err)
	}
}

func TestImportWithABadProfileSaysOnlyThat(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(profile, []byte("id: x\nname: X\nrooftops: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "import", "--profile", profile, "--feed", fixtureFeed, "--data", t.TempDir())
	if r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "dealer: mine.yaml:") || strings.Contains(r.err, "dealer.yaml") {
		t.Errorf("exit code %d\n%s\n%s", r.code, r.out, r.err)
	}
}

func TestImportIntoARunningAgentsFolderIsRefused(t *testing.T) {
	data := t.TempDir()
	running(t, data)
	r := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", data)
	if r.code != 1 || !strings.Contains(r.err, "imports the file of its --feed by itself") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}

func TestCallPrintsThePayload(t *testing.T) {
	base := running(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(file, []byte(`{"stock":"T100"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		want        string
	}{
		{"no request", "", []string{"dealer.information"}, 0, `"name": "Demo Group"`},
		{"a request as it stands", "", []string{"inventory.search", `{"filters":{"make":["Tesla"]}}`}, 0, `"total": 1`},
		{"a request from a file", "", []string{"inventory.vehicle", "@" + file}, 0, `"stock": "T100"`},
		{"a request from stdin", `{"type":"inventory.vehicle.request","stock":"T102"}`, []string{"inventory.vehicle", "-"}, 0, `"stock": "T102"`},
		{"an AAP error", "", []string{"inventory.vehicle", `{"stock":"none"}`}, 1, `"code": "VEHICLE_NOT_FOUND"`},
		{"a foreign type is the agent's to judge", "", []string{"inventory.search", `{"type":"x.y"}`}, 1, `"code": "UNSUPPORTED_SKILL"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, c.stdin, append([]string{"call", base}, c.args...)...)
			if r.code != c.code || !strings.Contains(r.out, c.want) || r.err != "" {
				t.Errorf("exit code %d, want %d; %s is not in\n%s%s", r.code, c.code, c.want, r.out, r.err)
			}
		})
	}
}

func TestCallSpeaksTheContractItIsTold(t *testing.T) {
	base := running(t, t.TempDir(), "versions: [v1.3, v1.0, v0.1]\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"the newest by itself", []string{base, "inventory.vehicle", `{"stock":"T100"}`}, 0, `"updated_at": "`},
		{"v1.0", []string{"--version", "v1.0", base, "inventory.vehicle", `{"stock":"T100"}`}, 0, `"updated_at": "`},
		{"v0.1", []string{"--version=v0.1", base, "inventory.vehicle", `{"stock":"T100"}`}, 0, `"last_verified_at": "`},
		{"v1.0 by its card", []string{base + "/.well-known/agent-card-v1.0.json", "inventory.search", `{"filters":{"year_min":"x"}}`}, 1, `"instancePath": "/filters/year_min"`},
		{"one that the agent does not serve", []string{"--version", "v1.1", base, "dealer.information"}, 1, "no common version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, "", append([]string{"call"}, c.args...)...)
			if r.code != c.code || !strings.Contains(r.out+r.err, c.want) {
				t.Errorf("exit code %d, want %d; %s is not in\n%s%s", r.code, c.code, c.want, r.out, r.err)
			}
		})
	}
}

func TestWrongCommandLinesExitWith2(t *testing.T) {
	for _, args := range [][]string{
		{"call", "http://127.0.0.1:1"},
		{"call", "http://127.0.0.1:1", "inventory.find"},
		{"call", "--version", "v9.9", "http://127.0.0.1:1", "inventory.search"},
		{"run", "--clock", "noon"},
		{"run", "--no-such-flag"},
		{"adf", "render"},
		{"adf", "render", "--version", "v9.9", "../sample/lead.json"},
		{"adf", "check"},
		{"feed", "map"},
		{"import", "--profile", fixtureProfile},
		{"sell"},
	} {
		if r := dealerCommand(t, "", args...); r.code != 2 || r.err == "" {
			t.Errorf("%v: exit code %d, want 2: %s", args, r.code, r.err)
		}
	}
}
