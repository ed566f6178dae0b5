package crm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
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
// a place the profile does not name. What an answer means:
//
//	2xx                    handed over, unless its body has a failure word: then
//	                       temporary, and the document may have arrived
//	3xx                    permanent
//	401, 403, 407          temporary, with the secrets read anew
//	408, 425, 429          temporary; Retry-After is kept, up to an hour
//	other 4xx              permanent
//	5xx                    temporary, and the document may have arrived;
//	                       Retry-After is kept
//	no connection, TLS     temporary
//	no answer once sent    temporary, and the document may have arrived
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
	if resp.StatusCode/100 != 2 {
		return Receipt{}, refusal(resp, d.At)
	}
	// A body that breaks off or is too long does not undo the status, unless
	// the body is to be believed rather than the status.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if f := p.disowned(resp.StatusCode, body, err); f != nil {
		return Receipt{}, f
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

// disowned is the failure that a 2xx answer tells in its body, if the target
// has words for that.
func (p post) disowned(status int, body []byte, broken error) *Failure {
	said := strings.ToLower(string(body))
	for _, word := range p.target.FailureWords {
		if strings.Contains(said, strings.ToLower(word)) {
			return &Failure{Reason: fmt.Sprintf("HTTP %d with a failure word in the answer", status), MayHaveReached: true}
		}
	}
	if broken != nil && len(p.target.FailureWords) > 0 {
		return &Failure{Reason: fmt.Sprintf("HTTP %d with an answer that broke off", status), MayHaveReached: true, Cause: broken}
	}
	return nil
}

// refusal sorts a status that is not 2xx.
func refusal(resp *http.Response, now time.Time) *Failure {
	status := resp.StatusCode
	f := &Failure{Reason: fmt.Sprintf("HTTP %d", status)}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		f.Credentials = true
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		f.Wait = retryAfter(resp.Header, now)
	case status >= 500:
		f.MayHaveReached = true
		f.Wait = retryAfter(resp.Header, now)
	case status/100 == 3:
		f.Permanent = true
		f.Reason += ": redirects are refused"
	default:
		f.Permanent = true
	}
	return f
}

// retryAfter reads the pause a receiver asks for (RFC 9110 §10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
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
		value, err := p.setup.resolve(ctx, value)
		if err != nil {
			return nil, err
		}
		if err := setHeader(req, name, value); err != nil {
			return nil, err
		}
	}
	return req, p.authorize(ctx, req, d)
}

// setHeader refuses values that would end the header.
func setHeader(req *http.Request, name, value string) error {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return &Failure{Reason: "the header " + name + " has a line break or control character"}
	}
	req.Header.Set(name, value)
	return nil
}

// authorize adds what the target's auth asks for (dealer.Auth).
func (p post) authorize(ctx context.Context, req *http.Request, d Document) error {
	auth := p.target.Auth
	if auth == nil {
		return nil
	}
	secret, err := p.setup.resolve(ctx, auth.Secret)
	if err != nil {
		return err
	}
	switch secret = strings.TrimRight(secret, "\r\n"); auth.Type {
	case dealer.AuthBasic:
		req.SetBasicAuth(auth.Username, secret)
		return nil
	case dealer.AuthBearer:
		return setHeader(req, "Authorization", "Bearer "+secret)
	case dealer.AuthHMAC:
		at := strconv.FormatInt(d.At.Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = mac.Write(append([]byte(at+"."), d.Body...)) // never fails
		return setHeader(req, auth.Header, "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	return permanent("the target's auth is of no known type")
}

// client serves one attempt. It does not ask the receiver to close: one that
// answers before it has read everything would do so at once, and the answer
// would be lost with the connection.
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
			ForceAttemptHTTP2:      true,
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
