package mcptools

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// loopback are the names by which a machine calls itself.
var loopback = []string{"localhost", "127.0.0.1", "::1"}

// door says which names the agent answers to, so that no web page can reach it
// under a name of its own: neither by DNS rebinding, which shows in Host, nor
// from a visitor's browser, which shows in Origin (MCP 2026-07-28 transports).
type door struct {
	hosts []string
}

// admits reports whether a request came under an allowed name. Ports do not
// count: a proxy changes them, and a browser's own port says nothing.
func (d door) admits(r *http.Request, p *dealer.Profile) bool {
	host := hostname(r.Host)
	if !d.knows(host, p) && (host == "" || host != reached(r)) {
		return false
	}
	origins := r.Header.Values("Origin")
	return !slices.ContainsFunc(origins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || !d.knows(strings.ToLower(u.Hostname()), p)
	})
}

// reached is the address of this machine that a request came to. No page is at
// home there: a name that is bound to it anew is still a name in Host.
func reached(r *http.Request) string {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return ""
	}
	return hostname(address.String())
}

func (d door) knows(host string, p *dealer.Profile) bool {
	if host == "" {
		return false
	}
	if u, err := url.Parse(p.URL); err == nil && host == strings.ToLower(u.Hostname()) {
		return true
	}
	return slices.ContainsFunc(d.hosts, func(allowed string) bool {
		if strings.HasPrefix(allowed, ".") {
			return strings.HasSuffix(host, allowed)
		}
		return host == allowed
	})
}

// hostname is a Host header without its port, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}
