package a2a

import (
	"net/http"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// authenticate checks the bearer token when the profile names any, and settles
// who the caller is.
func (x *exchange) authenticate() *fault {
	x.caller = caller.Address(x.r.RemoteAddr)
	allowed := x.profile.Access.TokenSHA256
	if len(allowed) == 0 {
		return nil
	}
	who, presented := caller.Token(x.r.Header.Get("Authorization"), allowed)
	if !presented {
		return x.unauthenticated("This agent needs a bearer token: send the header Authorization: Bearer followed by the token the dealer gave you.", "")
	}
	if who == "" {
		return x.unauthenticated("The bearer token is not one this agent accepts. Ask the dealer for a new one.", `, error="invalid_token"`)
	}
	x.caller = who
	return nil
}

// unauthenticated is 401, with an AAP code where the contract has one.
func (x *exchange) unauthenticated(message, hint string) *fault {
	f := &fault{code: codeUnauthenticated, message: message}
	if x.version.Auth == aap.AuthCode {
		f = faultOf(aap.Errorf(aap.AuthRequired, "%s", message))
	}
	f.status, f.challenge = http.StatusUnauthorized, `Bearer realm="dealer agent"`+hint
	return f
}
