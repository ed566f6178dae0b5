package dealer_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestTokensAreRandomAndKnownByTheirPrefix(t *testing.T) {
	// 52 characters of 32 kinds are 260 bits.
	form := regexp.MustCompile(`^dealer_[a-z2-7]{52}$`)
	seen := map[string]bool{}
	for range 1000 {
		token := dealer.NewToken()
		if !form.MatchString(token) || seen[token] {
			t.Fatalf("%q", token)
		}
		seen[token] = true
	}
}

func TestAHolderHasTwoTokensWhileTheyAreChanged(t *testing.T) {
	a, b := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	p := mustParse(t, with("access: {tokens: [{name: partner, sha256: "+a+", expires: 2027-03-31}, {name: partner, sha256: "+b+", expires: 2027-06-30T18:00:00-06:00}]}\n"))
	if len(p.Access.Tokens) != 2 || !p.Access.Guarded() {
		t.Fatalf("%+v", p.Access)
	}
	for i, ends := range []string{"2027-03-31T00:00:00Z", "2027-07-01T00:00:00Z"} {
		at, err := time.Parse(time.RFC3339, ends)
		if err != nil {
			t.Fatal(err)
		}
		if e := p.Access.Tokens[i].Expires; e.Past(at.Add(-1)) || !e.Past(at) {
			t.Errorf("token %d does not end at %s", i, ends)
		}
	}
	if (dealer.Moment{}).Past(time.Now()) {
		t.Error("a token without an end has ended")
	}
}
