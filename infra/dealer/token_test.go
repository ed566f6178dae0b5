package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// newTokenOf runs `dealer token new` and parts what it prints into the token
// and the lines for the profile.
func newTokenOf(t *testing.T, arguments ...string) (token, rows string) {
	t.Helper()
	r := dealerCommand(t, "", append([]string{"token", "new"}, arguments...)...)
	token = regexp.MustCompile(`(?m)^dealer_\S+$`).FindString(r.out)
	at := strings.Index(r.out, "access:\n")
	if r.code != 0 || r.err != "" || token == "" || at < 0 || strings.Count(r.out, token) != 1 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	return token, r.out[at:]
}

func TestATokenOpensTheAgentWhoseProfileHasItsRow(t *testing.T) {
	token, rows := newTokenOf(t, "--name", "partner-a", "--expires", "90d")
	base := running(t, t.TempDir(), rows)
	file := filepath.Join(t.TempDir(), "partner.token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARTNER", token)
	t.Setenv("GARBLED", token+" and more")
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		want        string
	}{
		{"none", "", []string{"call", base, "dealer.information"}, 1, "put yours into DEALER_TOKEN, or name its file with --token-file"},
		{"from a variable", "", []string{"call", base, "dealer.information", "--token-env", "PARTNER"}, 0, `"name": "Demo Group"`},
		{"from a file", "", []string{"call", base, "dealer.information", "--token-file", file}, 0, `"name": "Demo Group"`},
		{"from stdin", token + "\r\n", []string{"call", base, "dealer.information", "--token-file", "-"}, 0, `"name": "Demo Group"`},
		{"a wrong one", "dealer_wrong", []string{"call", base, "dealer.information", "--token-file", "-"}, 1, "wants a bearer token that it knows"},
		{"request and token from stdin", "{}", []string{"call", base, "dealer.information", "-", "--token-file", "-"}, 2, "not both"},
		{"from two places", "", []string{"call", base, "dealer.information", "--token-env", "PARTNER", "--token-file", file}, 2, "not by both"},
		{"from nowhere", "", []string{"call", base, "dealer.information", "--token-env", "NO_SUCH"}, 2, `no variable "NO_SUCH"`},
		{"from an empty file", "", []string{"call", base, "dealer.information", "--token-file", "-"}, 1, "is empty"},
		{"what is none", "", []string{"call", base, "dealer.information", "--token-env", "GARBLED"}, 1, "is no bearer token"},
		{"to the doctor", token, []string{"doctor", base, "--token-file", "-"}, 0, "the token is accepted, a made-up one is not"},
		{"the doctor without", "", []string{"doctor", base}, 0, "the agent is protected"},
		{"the doctor with a wrong one", "dealer_wrong", []string{"doctor", base, "--token-file", "-"}, 1, "the token given has HTTP status 401"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, c.stdin, c.args...)
			if r.code != c.code || !strings.Contains(r.out+r.err, c.want) || strings.Contains(r.out+r.err, token) {
				t.Errorf("exit code %d, want %d; %s is not in, or the token is in\n%s%s", r.code, c.code, c.want, r.out, r.err)
			}
		})
	}
}

func TestATokenIsMadeForProgramsToo(t *testing.T) {
	r := dealerCommand(t, "", "token", "new", "--name", "partner-a", "--expires", "2099-03-31", "--json")
	var row tokenRow
	if err := json.Unmarshal([]byte(r.out), &row); err != nil || r.code != 0 ||
		row != (tokenRow{"partner-a", row.Token, dealer.TokenHash(row.Token), "2099-03-31T00:00:00Z"}) {
		t.Errorf("exit code %d, %v: %s", r.code, err, r.out)
	}
	for _, args := range [][]string{
		{}, {"--name", "Partner A"}, {"--name", "a\n"}, {"--name", "a", "--expires", "soon"}, {"--name", "a", "--expires", "2020-01-01"}, {"--name", "a", "--expires", "0s"},
	} {
		if r := dealerCommand(t, "", append([]string{"token", "new"}, args...)...); r.code != 2 || r.out != "" {
			t.Errorf("%v: exit code %d: %s%s", args, r.code, r.out, r.err)
		}
	}
}

func TestAnAIHostFindsItsTokenInAFileThatTheEntryNames(t *testing.T) {
	token, rows := newTokenOf(t, "--name", "host")
	base := fixtureLot(t, rows)
	dir := t.TempDir()
	file := filepath.Join(dir, "host.token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	r := install(t, []string{"DEALER_TOKEN="}, "--client", "cursor", "--agent", base, "--token-file", file, "--print")
	if r.code != 0 || !strings.Contains(r.out, `"--token-file",`) || !strings.Contains(r.out, file) || strings.Contains(r.out+r.err, token) {
		t.Errorf("%+v", r)
	}
	if r := install(t, nil, "--client", "cursor", "--agent", base, "--token-file", file+".none", "--print"); r.code == 0 {
		t.Errorf("a file that is not there: %+v", r)
	}
	list := filepath.Join(dir, "dealers.yaml")
	if err := os.WriteFile(list, []byte("- {name: north, url: "+base+", token_file: host.token}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--agent", base, "--token-file", file}, {"--agents", list}} {
		h := connect(t, "", []string{"DEALER_TOKEN="}, args...)
		tool := "aap_inventory_search"
		if args[0] == "--agents" {
			tool = "north__aap_inventory_search"
		}
		if answer, isError := h.call(t, tool, `{}`); isError {
			t.Errorf("%v: %v\n%s", args, answer, h.stderr)
		}
	}
	for _, args := range [][]string{
		{"--token-file", file}, {"--agent", "a=" + base, "--agent", "b=" + base, "--token-file", file},
	} {
		if r := dealerCommand(t, "", append([]string{"mcp"}, args...)...); r.code != 2 {
			t.Errorf("%v: exit code %d: %s", args, r.code, r.err)
		}
	}
}

func TestTheEndOfATokenIsCountedFromNow(t *testing.T) {
	now := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	for given, want := range map[string]string{"": "", "90d": "2026-09-13T12:00:00Z", "2027-03-31": "2027-03-31T00:00:00Z", "2027-03-31T18:00:00-06:00": "2027-04-01T00:00:00Z"} {
		if got, err := tokenEnd(given, now); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
}
