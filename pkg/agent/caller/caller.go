// Package caller tells callers of the agent apart, by bearer token or address,
// and counts their calls. Every transport asks it, so that a caller is the same
// one behind each.
package caller

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"math"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Token reads the Authorization header of a call and checks its bearer token
// against the allowed ones, which are hex SHA-256 in lower case. presented is
// false when there is none; who, the caller's name for a Quota, is empty when
// the token is not allowed. Each one is compared, in constant time, so that
// neither a match nor its position shows in the duration.
func Token(authorization string, allowed []string) (who string, presented bool) {
	scheme, token, _ := strings.Cut(authorization, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", false
	}
	sum := sha256.Sum256([]byte(token))
	digest := hex.EncodeToString(sum[:])
	known := 0
	for _, a := range allowed {
		known |= subtle.ConstantTimeCompare([]byte(digest), []byte(strings.ToLower(a)))
	}
	if known == 0 {
		return "", true
	}
	return "token " + digest, true
}

// Address is the peer's address without its port. Forwarding headers are not
// looked at: anyone can write them. Of an IPv6 address only the first 64 bits
// count, the part a caller cannot change at will.
func Address(remote string) string {
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

// OverQuota is the refusal of a call beyond the caller's quota (AAP v1.3
// behavior-rules).
func OverQuota(wait time.Duration) *aap.Error {
	return aap.Errorf(aap.RateLimited, "Too many calls. Wait for details.retry_after_ms milliseconds, then send the same request again.").
		With("retry_after_ms", int64(math.Ceil(float64(wait)/float64(time.Millisecond))))
}
