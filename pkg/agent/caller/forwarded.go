package caller

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ParseProxy reads the address of a proxy, or of a network of them, such as
// 127.0.0.1 or 10.0.0.0/8.
func ParseProxy(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}

// Behind makes each request of a proxy one of whoever asked the proxy: its
// RemoteAddr becomes the last address in X-Forwarded-For that is none of the
// proxies'. What stands before that one, anybody may have written. Requests of
// others stay as they are, and so does one that names nobody.
func Behind(proxies []netip.Prefix, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	trusted := func(a netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err == nil && trusted(peer.Addr().Unmap()) {
			if asked, ok := asker(r.Header.Values("X-Forwarded-For"), trusted); ok {
				r.RemoteAddr = net.JoinHostPort(asked.String(), "0")
			}
		}
		next.ServeHTTP(w, r)
	})
}

// asker is the last address that is not trusted; false when there is none, or
// something that is no address stands after it.
func asker(lines []string, trusted func(netip.Addr) bool) (netip.Addr, bool) {
	hops := strings.Split(strings.Join(lines, ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return netip.Addr{}, false
		}
		if addr = addr.Unmap().WithZone(""); !trusted(addr) {
			return addr, true
		}
	}
	return netip.Addr{}, false
}
