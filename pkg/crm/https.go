package crm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Limits of an answer.
const (
	maxAnswer        = 64 << 10
	maxAnswerHeaders = 16 << 10
)

// post sends the document as the body of a POST. Only an answer 2xx is a
// hand-over; redirects are refused, since they would send the buyer's data to
// a place the profile does not name.
type post struct {
	target dealer.Target
	setup  Setup
}

func openHTTPS(t dealer.Target, s Setup) (Transport, error) {
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Host == "":
		return nil, permanent("the url is not an address")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return post{t, s}, nil
	}
	return nil, permanent("the url is not https")
}

func (p post) Deliver(ctx context.Context, d Document) (Receipt, error) {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
	})
	req, err := p.request(ctx, d)
	if err != nil {
		return Receipt{}, err
	}
	client := p.client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		f := temporary("the request", err)
		f.MayHaveReached = sent.Load()
		return Receipt{}, f
	}
	defer resp.Body.Close()
	// A body that breaks off or is too long does not undo the status.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 != 2 {
		return Receipt{}, refusal(resp.StatusCode)
	}
	return Receipt{Status: fmt.Sprintf("HTTP %d", resp.StatusCode), Text: spoken(resp.Header, body)}, nil
}

// spoken is the receiver's own reference: a location or an id, else the body.
func spoken(h http.Header, body []byte) string {
	for _, name := range []string{"Location", "X-Lead-Id", "X-Request-Id"} {
		if v := h.Get(name); v != "" {
			return printable(v)
		}
	}
	return printable(string(body))
}

// refusal sorts a status that is not 2xx.
func refusal(status int) *Failure {
	f := &Failure{Reason: fmt.Sprintf("HTTP %d", status)}
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
	case status >= 500:
		f.MayHaveReached = true
	case status/100 == 3:
		f.Permanent = true
		f.Reason += ": redirects are refused"
	default:
		f.Permanent = true
	}
	return f
}

func (p post) request(ctx context.Context, d Document) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.URL, bytes.NewReader(d.Body))
	if err != nil {
		return nil, permanent("the url is not an address")
	}
	// Go would repeat a request on a broken connection if it could rewind it.
	req.GetBody = nil
	kind := p.target.ContentType
	if kind == "" {
		kind = "application/x-adf+xml"
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "dealer-agent")
	for name, value := range p.target.Headers {
		value, err := p.setup.resolve(value)
		if err != nil {
			return nil, err
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, &Failure{Reason: "the header " + name + " has a line break or control character"}
		}
		req.Header.Set(name, strings.TrimSpace(value))
	}
	return req, nil
}

func (p post) client() *http.Client {
	timeout := timeoutOf(p.target)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: timeout}).DialContext,
			TLSHandshakeTimeout:    timeout,
			ResponseHeaderTimeout:  timeout,
			MaxResponseHeaderBytes: maxAnswerHeaders,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: p.setup.RootCAs},
			DisableKeepAlives:      true,
		},
	}
}

// timeoutOf is the time one attempt may take.
func timeoutOf(t dealer.Target) time.Duration {
	if d := t.Timeout.Std(); d > 0 {
		return d
	}
	return 20 * time.Second
}

// asFailure turns any error of a transport into a Failure.
func asFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	f := temporary("the delivery", err)
	f.MayHaveReached = true
	return f
}
