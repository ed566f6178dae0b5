package a2a

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// authenticate checks the bearer token when the profile names any, and settles
// who the caller is. Tokens are compared by hash, each of them and in constant
// time, so that neither a match nor its position shows in the duration.
func (x *exchange) authenticate() *fault {
	x.caller = callerAddress(x.r.RemoteAddr)
	allowed := x.profile.Access.TokenSHA256
	if len(allowed) == 0 {
		return nil
	}
	scheme, token, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return x.unauthenticated("This agent needs a bearer token: send the header Authorization: Bearer followed by the token the dealer gave you.", "")
	}
	sum := sha256.Sum256([]byte(token))
	digest := hex.EncodeToString(sum[:])
	known := 0
	for _, a := range allowed {
		known |= subtle.ConstantTimeCompare([]byte(digest), []byte(strings.ToLower(a)))
	}
	if known == 0 {
		return x.unauthenticated("The bearer token is not one this agent accepts. Ask the dealer for a new one.", `, error="invalid_token"`)
	}
	x.caller = "token " + digest
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

// callerAddress is the peer's address without its port. Forwarding headers are
// not looked at: anyone can write them. Of an IPv6 address only the first 64
// bits count, the part a caller cannot change at will.
func callerAddress(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.Prefix(64)
	if err != nil {
		return addr.String()
	}
	return prefix.String()
}
