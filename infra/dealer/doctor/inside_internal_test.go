package doctor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestAnAgentOutsideLeadsNobodyInside: a card of the open net may name an
// address of the network the doctor runs in.
func TestAnAgentOutsideLeadsNobodyInside(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, inside := range []bool{true, false} {
		resp, err := (&http.Client{Transport: newTransport(inside, time.Second)}).Get(server.URL)
		if err == nil {
			_ = resp.Body.Close()
		}
		if errors.Is(err, errInside) == inside {
			t.Errorf("inside %v: %v", inside, err)
		}
	}
}

func TestPlainHTTPIsForThisMachineAlone(t *testing.T) {
	for host, want := range map[string]Verdict{"127.0.0.1": Pass, "localhost": Pass, "[::1]": Pass, "agent.example": Fail, "10.0.0.7": Fail} {
		x := &examination{ledger: &ledger{}, card: &url.URL{Scheme: "http", Host: host}}
		if !x.secure(t.Context()) || len(x.findings) != 1 || x.findings[0].ID != "reach.https" || x.findings[0].Verdict != want {
			t.Errorf("%s: %+v", host, x.findings)
		}
	}
}

// TestEveryFindingHasARule holds the ids in the code to the table, and the
// table to the headings of the text.
func TestEveryFindingHasARule(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rules {
		if known[r.id] || r.title == "" || r.rule == "" || r.next == "" {
			t.Errorf("%+v", r)
		}
		known[r.id] = true
		if !slices.ContainsFunc(areas[:], func(a [2]string) bool { return strings.HasPrefix(r.id, a[0]+".") }) {
			t.Errorf("%s has no heading", r.id)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	literal := regexp.MustCompile(`"([a-z]+\.[a-z-]+)",`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || file == "rules.go" {
			continue
		}
		for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
			used[found[1]] = true
		}
	}
	for id := range used {
		if !known[id] && slices.ContainsFunc(areas[:], func(a [2]string) bool { return strings.HasPrefix(id, a[0]+".") }) {
			t.Errorf("%s has no rule", id)
		}
	}
	for id := range known {
		if !used[id] {
			t.Errorf("%s is never looked at", id)
		}
	}
}

// TestWhatIsSaidIsFitForAnyScreen: whatever the words, one printable line of
// bounded length without the token.
func TestWhatIsSaidIsFitForAnyScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`[a-zA-Z0-9]{16,24}`).Draw(t, "token")
		words := string(rapid.SliceOfN(rapid.Byte(), 0, 900).Draw(t, "bytes")) + rapid.String().Draw(t, "runes")
		at := rapid.IntRange(0, len(words)).Draw(t, "at")
		out := said(token, "%s", []any{words[:at] + token + words[at:]})
		if strings.Contains(out, token) || len(out) > longest+len("…") || !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q", out)
		}
	})
}
