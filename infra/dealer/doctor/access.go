package doctor

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// access finds out whether calls need a token; false when none can be made.
func (x *examination) access(ctx context.Context, c *contract) bool {
	if len(c.skills) == 0 {
		return false
	}
	body := x.sendMessage(`"a"`, aap.DealerInformation, `{"type":"`+aap.DealerInformation.RequestType()+`"}`)
	if c.remote.Binding() != rpcBinding {
		return true
	}
	open, err := x.rpc(ctx, c, body, "Authorization", "")
	if open == nil {
		x.fail("skill.answer", c.of(), "%v", err)
		return false
	}
	closed := open.status == http.StatusUnauthorized || open.status == http.StatusForbidden
	declared, required := declares(c.remote.RawCard)
	switch {
	case closed && !declared:
		x.fail("auth.declared", c.of(), "calls without a token have HTTP status %d, and the card declares no scheme", open.status)
	case !closed && required:
		x.fail("auth.declared", c.of(), "the card requires credentials, and calls without are served")
	case !closed && declared:
		x.warn("auth.declared", c.of(), "the card declares a scheme, and calls without are served")
	case closed:
		x.pass("auth.declared", c.of(), "protected, and declared so")
	default:
		x.pass("auth.declared", c.of(), "public")
	}
	if !closed {
		return true
	}
	x.challenge(c, open.status, open.header)
	if x.Token == "" {
		x.skip("auth.token", c.of(), "the agent is protected: give a token with --token-env or --token-file to examine its skills")
		return false
	}
	if guess, _ := x.rpc(ctx, c, body, "Authorization", "Bearer a-token-that-nobody-gave-out"); guess != nil && guess.status == http.StatusOK && guess.Error == nil {
		x.fail("auth.token", c.of(), "a made-up token was accepted")
		return true
	}
	given, err := x.rpc(ctx, c, body)
	if given != nil && (given.status == http.StatusUnauthorized || given.status == http.StatusForbidden) {
		x.fail("auth.token", c.of(), "the token given has HTTP status %d", given.status)
		return false
	}
	if err != nil {
		x.skip("auth.token", c.of(), "%v", err)
		return true
	}
	x.pass("auth.token", c.of(), "the token is accepted, a made-up one is not")
	return true
}

// remapped is what the REST APIs of Amazon API Gateway call the challenge of the
// function behind them (API Gateway Developer Guide, "Important notes"). Whoever
// runs one cannot change that.
const remapped = "X-Amzn-Remapped-Www-Authenticate"

func (x *examination) challenge(c *contract, status int, header http.Header) {
	shown := header.Get("WWW-Authenticate")
	switch {
	case status != http.StatusUnauthorized || shown != "":
		x.pass("auth.challenge", c.of(), "%s", quoted(shown))
	case header.Get(remapped) != "":
		x.warn("auth.challenge", c.of(), "Amazon API Gateway has renamed WWW-Authenticate, as it always does; callers have to go by the card")
	default:
		x.fail("auth.challenge", c.of(), "401 without WWW-Authenticate")
	}
}

// declares reads what a card says of credentials, in either spelling.
func declares(raw []byte) (declared, required bool) {
	var card struct {
		Schemes     map[string]json.RawMessage `json:"securitySchemes"`
		OldSchemes  map[string]json.RawMessage `json:"security_schemes"`
		Needs       []json.RawMessage          `json:"securityRequirements"`
		OldNeeds    []json.RawMessage          `json:"security_requirements"`
		OldestNeeds []json.RawMessage          `json:"security"`
	}
	_ = json.Unmarshal(raw, &card) // what has another shape declares nothing
	return len(card.Schemes)+len(card.OldSchemes) > 0, len(card.Needs)+len(card.OldNeeds)+len(card.OldestNeeds) > 0
}
