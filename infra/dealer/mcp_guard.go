package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// errForeign: a stranger's card leads to where only this machine's user goes.
var errForeign = errors.New("an address inside a private network, which the user did not name")

// guarded is an HTTP client for one dealer. It goes to the host that the user
// named, wherever that lies, and beyond it only to public addresses: a card, a
// redirect or a name must not lead it to this machine's neighbours. An agent on
// this machine may name any address of this machine.
func guarded(base string) (*http.Client, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("%.200q is no URL", base)
	}
	g := guard{host: strings.ToLower(u.Hostname())}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	strict := &net.Dialer{Timeout: 10 * time.Second, Control: g.control}
	direct := http.DefaultTransport.(*http.Transport).Clone()
	direct.Proxy = nil
	direct.MaxResponseHeaderBytes = 64 << 10
	direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && strings.EqualFold(host, g.host) {
			return dialer.DialContext(ctx, network, address)
		}
		return strict.DialContext(ctx, network, address)
	}
	g.direct = direct
	proxied := http.DefaultTransport.(*http.Transport).Clone()
	proxied.MaxResponseHeaderBytes = 64 << 10
	g.proxied = proxied
	return &http.Client{Transport: g, Timeout: 30 * time.Second}, nil
}

type guard struct {
	host            string
	direct, proxied http.RoundTripper
}

// RoundTrip goes through the environment's proxy where there is one, which
// then resolves names itself; an address in the URL is looked at all the same.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	host := strings.ToLower(r.URL.Hostname())
	if addr, err := netip.ParseAddr(host); err == nil && host != g.host && !g.allows(addr) {
		return nil, errForeign
	}
	if proxy, err := http.ProxyFromEnvironment(r); err == nil && proxy != nil {
		return g.proxied.RoundTrip(r)
	}
	return g.direct.RoundTrip(r)
}

// control looks at the address that a name turned out to be.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !g.allows(to.Addr()) {
		return errForeign
	}
	return nil
}

// shared are the addresses that netip does not call private and that are not
// public either: carrier networks, NAT64 and 6to4 ways to IPv4, benchmarks.
var shared = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

func (g guard) allows(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return g.local()
	}
	for _, p := range shared {
		if p.Contains(addr) {
			return false
		}
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate()
}

// local reports whether the user named this machine.
func (g guard) local() bool {
	if g.host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(g.host)
	return err == nil && addr.Unmap().IsLoopback()
}
