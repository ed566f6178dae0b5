package caller

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

var noon = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

func row(name, token string, ends time.Time) dealer.Token {
	return dealer.Token{Name: name, SHA256: dealer.TokenHash(token), Expires: dealer.Moment(ends)}
}

func identify(a dealer.Access, now time.Time, authorization ...string) (Caller, *Refusal) {
	return Identify(http.Header{"Authorization": authorization}, "203.0.113.9:4711", a, now)
}

func TestCallersWithATokenAreTheSameOneWhereverTheyCallFromAndWhicheverRowTheyUse(t *testing.T) {
	a := dealer.Access{Tokens: []dealer.Token{row("other", "zero", time.Time{}), row("partner", "old", noon), row("partner", "new", time.Time{})}}
	for _, token := range []string{"old", "new"} {
		who, refused := identify(a, noon.Add(-time.Second), "Bearer "+token)
		if refused != nil || who.Token != "partner" || who.Key() != "token partner" {
			t.Errorf("%s: %+v, %+v", token, who, refused)
		}
	}
	who, refused := identify(a, noon, "Bearer old")
	if refused == nil || who.Token != "" || who.Key() != "203.0.113.9" || !strings.Contains(refused.Challenge, "invalid_token") {
		t.Errorf("an expired token: %+v, %+v", who, refused)
	}
	if who, refused := identify(a, noon, "Bearer new"); refused != nil || who.Token != "partner" {
		t.Errorf("its successor: %+v, %+v", who, refused)
	}
}

func TestOnlyOneWholeBearerTokenIsTaken(t *testing.T) {
	a := dealer.Access{Tokens: []dealer.Token{row("partner", "good", time.Time{})}}
	for name, shown := range map[string][]string{
		"none": nil, "an empty one": {""}, "a scheme alone": {"Bearer"}, "an empty token": {"Bearer  "}, "the bare token": {"good"},
		"another scheme": {"Basic good"}, "two headers": {"Bearer good", "Bearer good"}, "one good of two": {"Bearer x", "Bearer good"},
		"a list": {"Bearer good, Bearer good"}, "a beginning": {"Bearer goo"}, "a longer one": {"Bearer goodd"}, "another case": {"Bearer GOOD"},
		"its hash": {"Bearer " + dealer.TokenHash("good")}, "its name": {"Bearer partner"}, "a NUL behind it": {"Bearer good\x00"},
	} {
		if who, refused := identify(a, noon, shown...); refused == nil || who.Token != "" || !strings.HasPrefix(refused.Challenge, "Bearer ") {
			t.Errorf("%s: %+v", name, who)
		}
	}
}

func TestAnAgentWhoseTokensHaveAllExpiredIsClosed(t *testing.T) {
	a := dealer.Access{Tokens: []dealer.Token{row("partner", "good", noon)}}
	for _, shown := range [][]string{nil, {"Bearer good"}} {
		if _, refused := identify(a, noon, shown...); refused == nil {
			t.Errorf("%v is let in", shown)
		}
	}
	if who, refused := identify(dealer.Access{}, noon, "Bearer good", "x"); refused != nil || who.Key() != "203.0.113.9" {
		t.Errorf("a public agent: %+v %+v", who, refused)
	}
}

// BenchmarkIdentify shows that the position of a token's row costs nothing.
func BenchmarkIdentify(b *testing.B) {
	var a dealer.Access
	for i := range 200 {
		a.Tokens = append(a.Tokens, row(fmt.Sprintf("n%d", i), fmt.Sprint(i), time.Time{}))
	}
	for _, token := range []string{"0", "199", "none"} {
		h := http.Header{"Authorization": {"Bearer " + token}}
		b.Run(token, func(b *testing.B) {
			for b.Loop() {
				Identify(h, "203.0.113.9:4711", a, noon)
			}
		})
	}
}
