package attacks

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// tokenRow is a row of access.tokens.
func tokenRow(name, token, more string) string {
	return "{name: " + name + ", sha256: " + dealer.TokenHash(token) + more + "}"
}

func TestAStrangerIsRefusedCleanlyAtEveryDoor(t *testing.T) {
	t.Parallel()
	good, old := dealer.NewToken(), dealer.NewToken()
	v := attack(t, "access: {tokens: ["+tokenRow("partner", old, ", expires: 2020-01-01")+", "+tokenRow("partner", good, "")+"]}\n")
	for name, shown := range map[string]string{
		"nothing": "", "a guess": "Bearer " + dealer.NewToken(), "an expired token": "Bearer " + old, "the hash in place of the token": "Bearer " + dealer.TokenHash(good),
		"the name": "Bearer partner", "a password": "Basic " + good, "all but the last letter": "Bearer " + good[:len(good)-1], "the prefix": "Bearer " + dealer.TokenPrefix,
		"SQL": "Bearer ' OR '1'='1", "a wildcard": "Bearer *", "no scheme": good,
	} {
		for _, d := range doors() {
			headers := []string{"Authorization", shown}
			if shown == "" {
				headers = nil
			}
			got := do(t, "POST", v.url+d.path, d.body, headers...)
			var body struct {
				Version string `json:"jsonrpc"`
				Error   *struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Error == nil || body.Error.Message == "" {
				t.Errorf("%s at %s: %v %s", name, d.name, err, got.body)
			}
			if got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Bearer ") || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s at %s: %d %v", name, d.name, got.status, got.header)
			}
			if strings.Contains(got.body, "Harbor") || strings.Contains(got.body, "partner") || strings.Contains(got.body, good) {
				t.Errorf("%s at %s is told too much: %s", name, d.name, got.body)
			}
		}
	}
	for _, d := range doors() {
		if got := do(t, "POST", v.url+d.path, d.body, "Authorization", "Bearer "+good); got.status != 200 || !strings.Contains(got.body, "Harbor Motors") {
			t.Errorf("the holder at %s: %d %s", d.name, got.status, got.body)
		}
		if got := do(t, "POST", v.url+d.path, d.body, "Authorization", "Bearer "+good, "Authorization", "Bearer "+good); got.status != http.StatusUnauthorized {
			t.Errorf("two headers at %s: %d", d.name, got.status)
		}
		if got := do(t, "POST", v.url+d.path+"?access_token="+good, d.body); got.status != http.StatusUnauthorized {
			t.Errorf("a token in the address at %s: %d", d.name, got.status)
		}
	}
	for _, f := range files {
		got := do(t, "GET", v.url+"/.well-known/"+f, "")
		if got.status != 200 {
			t.Errorf("%s is not public: %d", f, got.status)
		}
		for _, secret := range []string{good, old, dealer.TokenHash(good), dealer.TokenHash(old), "partner"} {
			if strings.Contains(got.body, secret) {
				t.Errorf("%s tells %s", f, secret)
			}
		}
	}
	log := v.out.String()
	for _, secret := range []string{good, old, dealer.TokenHash(good), "OR '1'", good[:len(good)-1]} {
		if strings.Contains(log, secret) {
			t.Errorf("the log tells %s", secret)
		}
	}
	if n := strings.Count(log, "token=partner"); n != len(doors()) {
		t.Errorf("the log names the token's holder %d times, want once for each of %d calls", n, len(doors()))
	}
}

func TestWhoTriesTokensMeetsTheLimitOfTheirAddressAndCostsNoHolderTheirs(t *testing.T) {
	t.Parallel()
	good := dealer.NewToken()
	v := attack(t, "access: {per_minute: 20, tokens: ["+tokenRow("partner", good, "")+"]}\n")
	for _, d := range []door{doors()[0], doors()[1]} {
		seen, began := map[int]int{}, time.Now()
		for range 30 {
			got := do(t, "POST", v.url+d.path, d.body, "Authorization", "Bearer "+dealer.NewToken())
			seen[got.status]++
			if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After: %s", d.name, got.body)
			}
		}
		if seen[401] < 20 || seen[401] > grown(20, began) || seen[401]+seen[429] != 30 {
			t.Errorf("%s: %v", d.name, seen)
		}
		if got := do(t, "POST", v.url+d.path, d.body, "Authorization", "Bearer "+good); got.status != 200 {
			t.Errorf("%s: the holder calls from the same address: %d %s", d.name, got.status, got.body)
		}
	}
}

// TestTokensAreComparedWithoutShortcuts reads the one function that compares
// them: it has no way out of its loop, and compares hashes by nothing but
// crypto/subtle.
func TestTokensAreComparedWithoutShortcuts(t *testing.T) {
	const dir = "../../pkg/agent/caller"
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "identify.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var loops int
	ast.Inspect(parsed, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		loops++
		subtle := 0
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BranchStmt, *ast.ReturnStmt, *ast.IfStmt, *ast.SwitchStmt:
				t.Errorf("the loop over the rows may end early or take another way: %T", n)
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ || n.Op == token.LAND || n.Op == token.LOR {
					t.Errorf("the loop over the rows compares with %s", n.Op)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "subtle" {
					subtle++
				}
			}
			return true
		})
		if subtle != 2 {
			t.Errorf("crypto/subtle is used %d times in the loop", subtle)
		}
		return true
	})
	if loops != 1 {
		t.Errorf("%d loops over rows, want the one", loops)
	}
	for _, door := range []string{"../../pkg/a2a", "../../pkg/mcptools"} {
		names, _ := filepath.Glob(filepath.Join(door, "*.go"))
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			raw := readFile(t, name)
			if regexp.MustCompile(`Get\("Authorization"\)|TokenHash|\.SHA256\b`).MatchString(raw) {
				t.Errorf("%s looks at tokens itself", name)
			}
		}
	}
}

// TestTheTimeOfARefusalTellsNothing measures tokens that match the first row,
// the last, none, an expired one, and one whose hash begins as a row's does. The
// bound is generous: machines are noisy, and the claim above is the proof.
func TestTheTimeOfARefusalTellsNothing(t *testing.T) {
	const rows = 500
	var a dealer.Access
	tokens := make([]string, rows)
	for i := range rows {
		tokens[i] = dealer.NewToken()
		row := dealer.Token{Name: fmt.Sprintf("n%d", i), SHA256: dealer.TokenHash(tokens[i])}
		if i == rows/2 {
			row.Expires = dealer.Moment(time.Unix(1, 0))
		}
		a.Tokens = append(a.Tokens, row)
	}
	near := dealer.NewToken()
	a.Tokens[rows/3].SHA256 = dealer.TokenHash(near)[:63] + "x" // all but the last digit
	kinds := map[string]string{"the first": tokens[0], "the last": tokens[rows-1], "none": dealer.NewToken(), "an expired one": tokens[rows/2], "nearly one": near}
	spent := map[string][]time.Duration{}
	now := time.Now()
	for range 300 {
		for kind, shown := range kinds {
			h := http.Header{"Authorization": {"Bearer " + shown}}
			began := time.Now()
			caller.Identify(h, "203.0.113.9:1", a, now)
			spent[kind] = append(spent[kind], time.Since(began))
		}
	}
	least, most := time.Hour, time.Duration(0)
	for kind, all := range spent {
		slices.Sort(all)
		median := all[len(all)/2]
		least, most = min(least, median), max(most, median)
		t.Logf("%-15s %v", kind, median)
	}
	if most > 2*least {
		t.Errorf("the medians lie between %v and %v", least, most)
	}
}
