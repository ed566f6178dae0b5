package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// renewBefore is how long before its end a certificate should be renewed.
const renewBefore = 21 * 24 * time.Hour

// resolve looks the host up. inside is true when the host itself lies on this
// machine or in a private network, or when a proxy stands between.
func (x *examination) resolve(ctx context.Context) (inside, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupIPAddr(ctx, x.card.Hostname())
	if err != nil {
		x.fail("reach.dns", about{}, "%s has no address", quoted(x.card.Hostname()))
		return false, false
	}
	if net.ParseIP(x.card.Hostname()) == nil {
		x.pass("reach.dns", about{}, "%d addresses", len(found))
	}
	for _, a := range found {
		inside = inside || private(a.IP)
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: x.card})
	return inside || err == nil && proxy != nil, true
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// secure looks at scheme and certificate; false when no more can be asked.
func (x *examination) secure(ctx context.Context) bool {
	if x.card.Scheme == "http" {
		if loopback(x.card.Hostname()) {
			x.pass("reach.https", about{}, "http on this machine")
		} else {
			x.fail("reach.https", about{}, "plain http: everybody on the way can read leads")
		}
		return true
	}
	x.pass("reach.https", about{}, "https")
	port := x.card.Port()
	if port == "" {
		port = "443"
	}
	ctx, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: x.card}); err == nil && proxy != nil {
		x.skip("reach.tls", about{}, "a proxy stands between")
		return true
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: x.Roots, ServerName: x.card.Hostname(), MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(x.card.Hostname(), port))
	if err != nil {
		return x.insecure(err)
	}
	defer conn.Close()
	state := conn.(*tls.Conn).ConnectionState()
	x.pass("reach.tls", about{}, "%s", tls.VersionName(state.Version))
	left := state.PeerCertificates[0].NotAfter.Sub(x.Now())
	if left < renewBefore {
		x.warn("reach.tls-expiry", about{}, "it ends in %d days", int(left.Hours()/24))
	} else {
		x.pass("reach.tls-expiry", about{}, "%d days left", int(left.Hours()/24))
	}
	return true
}

// insecure tells a host that does not answer from one with a bad certificate.
func (x *examination) insecure(err error) bool {
	if refused, ok := errors.AsType[*net.OpError](err); ok && refused.Op == "dial" {
		x.fail("reach.answer", about{}, "no connection: %s", plainDial(refused))
		return false
	}
	x.report.Reachable = true
	if wrong, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = wrong.Err
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		x.fail("reach.tls", about{}, "the certificate is not for %s", quoted(name.Host))
	} else {
		x.fail("reach.tls", about{}, "%v", plain(err))
	}
	return false
}

func plainDial(err *net.OpError) string {
	if err.Timeout() {
		return "no answer in time"
	}
	return err.Err.Error()
}
