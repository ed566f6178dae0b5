package machine_test

import (
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// token opens the dealers of this package that are protected.
const token = "fixture-token"

// add is an edit that puts lines at the end of the profile.
func add(lines string) func(string) string {
	return func(profile string) string { return profile + lines + "\n" }
}

// replace is an edit of one passage of the profile.
func replace(old, new string) func(string) string {
	return func(profile string) string { return strings.Replace(profile, old, new, 1) }
}

func TestProtectedAgentAsksForItsToken(t *testing.T) {
	d := open(t, add("access: {tokens: [{name: buyer, sha256: "+dealer.TokenHash(token)+"}]}"))
	for _, v := range []struct {
		name, value string
		status      int
	}{
		{"no token", "", 401},
		{"another token", "Bearer other", 401},
		{"another scheme", "Basic " + token, 401},
		{"the token", "Bearer " + token, 200},
		{"the scheme in lower case", "bearer " + token, 200},
	} {
		t.Run(v.name, func(t *testing.T) {
			for _, payload := range []string{information, lead(object{"message": v.name})} {
				a := d.skill(t, payload, "Authorization", v.value)
				if a.status != v.status {
					t.Fatalf("HTTP %d, want %d", a.status, v.status)
				}
				if v.status == 200 {
					a.want("ok")
					continue
				}
				if a.header.Get("WWW-Authenticate") == "" || a.rpc.Error == nil || a.fault.Code != "" || a.rpc.Error.Code >= -32009 && a.rpc.Error.Code <= -32001 {
					t.Errorf("want a challenge, and a private code without an AAP error: %s", a.body)
				}
			}
		})
	}
	_, card := d.get(t, "/.well-known/agent-card.json")
	if !strings.Contains(string(card), `"httpAuthSecurityScheme"`) {
		t.Errorf("the card names no way to authenticate: %s", card)
	}
}

func TestStrictAgentInsistsOnHeaders(t *testing.T) {
	const version, extension = "A2A-Version", "A2A-Extensions"
	const uri = "https://autoagentprotocol.org/extensions/aap/v1.3"
	strict := openLot(t, "[]", 0, fixed, add("access: {require_a2a_headers: true}"))
	strict.skill(t, information).want("-32009")
	strict.skill(t, information, version, "1.0").want("-32008")
	a := strict.skill(t, information, version, "1.0", extension, "https://example.com/x, "+uri)
	a.want("ok")
	if a.header.Get(extension) != uri {
		t.Errorf("activated %q, want %q", a.header.Get(extension), uri)
	}
}

func TestSlowingDownHasNoSideEffect(t *testing.T) {
	d := open(t, add("access: {leads_per_hour: 1}"))
	kept := lead(object{"idempotency_key": "first"})
	first := d.skill(t, kept)
	first.want("ok")
	refused := d.skill(t, lead(object{"customer.email": "ben@example.com", "customer.phone": "+14155550199"}))
	refused.want("-32002 RATE_LIMITED")
	if refused.status != 429 || refused.header.Get("Retry-After") == "" || !refused.fault.Retryable || refused.fault.Details.RetryAfterMS <= 0 {
		t.Errorf("HTTP %d, %s", refused.status, refused.body)
	}
	again := d.skill(t, kept)
	again.want("ok")
	if !equalJSON(t, first.payload, again.payload) {
		t.Errorf("a known lead is answered anew: %s", again.body)
	}
	eventually(t, "the one lead is handed over", func() bool { return len(documents(t, d)) == 1 })

	soft := open(t, add("access: {leads_per_hour: 1, rate_limit_status: 200}"))
	soft.skill(t, lead(nil)).want("ok")
	if a := soft.skill(t, lead(object{"customer.email": "ben@example.com"})); a.status != 200 || a.fault.Code != "RATE_LIMITED" {
		t.Errorf("HTTP %d, want 200 as set: %s", a.status, a.body)
	}
}
