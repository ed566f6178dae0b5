package a2a

import (
	"net/http"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// authenticate settles who the caller is. Calls that are refused count against
// the quota of their address, so that nobody tries tokens at will.
func (x *exchange) authenticate() *fault {
	who, refused := caller.Identify(x.r.Header, x.r.RemoteAddr, x.profile.Access, x.Now())
	x.caller = who
	if refused == nil {
		return nil
	}
	if wait := x.takeCall(); wait > 0 {
		return x.overQuota(wait)
	}
	return x.unauthenticated(refused)
}

// takeCall uses one of the caller's calls, or says how long to wait.
func (x *exchange) takeCall() time.Duration {
	return x.quota.Take(x.Ticks(), "call "+x.caller.Key(), x.profile.Access.PerMinute, time.Minute)
}

// unauthenticated is 401, with an AAP code where the contract has one.
func (x *exchange) unauthenticated(r *caller.Refusal) *fault {
	f := &fault{code: codeUnauthenticated, message: r.Message}
	if x.version.Auth == aap.AuthCode {
		f = faultOf(aap.Errorf(aap.AuthRequired, "%s", r.Message))
	}
	f.status, f.challenge = http.StatusUnauthorized, r.Challenge
	return f
}
