// Package caller tells callers of the agent apart, by bearer token or address,
// and counts their calls. Every transport asks it, so that a caller is the same
// one behind each.
package caller

import (
	"math"
	"net"
	"net/netip"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

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
