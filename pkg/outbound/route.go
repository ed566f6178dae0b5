// Package outbound makes connections to hosts that a file, a card or a redirect
// names, and keeps them out of private networks: what is looked at is the
// address that a name turned out to be, at the moment of connecting.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// ErrPrivate is in the chain of a refused connection.
var ErrPrivate = errors.New("an address inside a private network, which the user did not name")

// Route says where connections may go: to public addresses, and to one host
// that the user named, wherever that lies. The zero Route is public only.
type Route struct {
	// Named is the host, without a port. When it is this machine by name or
	// address, all addresses of this machine are the user's word too.
	Named string
	// RootCAs verifies servers; nil takes the system's.
	RootCAs *x509.CertPool
}

const (
	dialTimeout = 10 * time.Second
	// maxHeaders caps the headers of an answer, in bytes.
	maxHeaders = 64 << 10
)

// DialContext connects, or fails with ErrPrivate.
func (r Route) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if host, _, err := net.SplitHostPort(address); err != nil || !r.names(host) {
		dialer.Control = r.control
	}
	return dialer.DialContext(ctx, network, address)
}

// Transport goes through the environment's proxy where there is one, which then
// resolves names itself; an address in the URL is looked at all the same. It
// asks for no compression on its own.
func (r Route) Transport() http.RoundTripper {
	direct := http.DefaultTransport.(*http.Transport).Clone()
	direct.MaxResponseHeaderBytes = maxHeaders
	if r.RootCAs != nil {
		direct.TLSClientConfig = &tls.Config{RootCAs: r.RootCAs, MinVersion: tls.VersionTLS12}
	}
	proxied := direct.Clone()
	direct.Proxy = nil
	direct.DialContext = r.DialContext
	return transport{r, direct, proxied}
}

type transport struct {
	route           Route
	direct, proxied *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil && !t.route.names(host) && !t.route.allows(addr) {
		return nil, ErrPrivate
	}
	if proxy, err := http.ProxyFromEnvironment(req); err == nil && proxy != nil {
		return t.proxied.RoundTrip(req)
	}
	return t.direct.RoundTrip(req)
}

// CloseIdleConnections implements what http.Client asks its transport for.
func (t transport) CloseIdleConnections() {
	t.direct.CloseIdleConnections()
	t.proxied.CloseIdleConnections()
}

func (r Route) names(host string) bool { return r.Named != "" && strings.EqualFold(host, r.Named) }

// control looks at the address that a name turned out to be.
func (r Route) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !r.allows(to.Addr()) {
		return ErrPrivate
	}
	return nil
}

// shared are the addresses that netip does not call private and that are not
// public either: carrier networks, benchmarks, and the ways to IPv4 by NAT64,
// 6to4, Teredo and the compatible form.
var shared = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("::/96"),
}

func (r Route) allows(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return r.local()
	}
	for _, p := range shared {
		if p.Contains(addr) {
			return false
		}
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate()
}

// local reports whether the user named this machine.
func (r Route) local() bool {
	if strings.EqualFold(r.Named, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(r.Named)
	return err == nil && addr.Unmap().IsLoopback()
}
