package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Bounds of what the other side may send and of how long it may take.
const (
	mostBody    = 4 << 20
	mostHeader  = 64 << 10
	mostHops    = 5
	mostSilence = 3
)

var (
	errTooLong = fmt.Errorf("the body is longer than %d MiB", mostBody>>20)
	errGaveUp  = errors.New("not asked: the agent left several requests without an answer")
	errLoop    = fmt.Errorf("more than %d redirects", mostHops)
	errInside  = errors.New("the address is inside a private network, and the agent is not")
)

// exchange is one HTTP answer, read whole.
type exchange struct {
	status int
	header http.Header
	body   []byte
	url    string
	took   time.Duration
}

// door is the way to the other side: it reads every answer within bounds,
// remembers the last one, and stops asking an agent that does not answer.
type door struct {
	base   http.RoundTripper
	last   *exchange
	silent int
	// calls are how long the answers to calls took; files do not count.
	calls []time.Duration
	// limited is the first answer that refused for the sake of a quota.
	limited *exchange
}

// RoundTrip implements http.RoundTripper.
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	d.last = nil
	if d.silent >= mostSilence {
		return nil, errGaveUp
	}
	began := time.Now()
	resp, err := d.base.RoundTrip(r)
	if err != nil {
		return nil, d.count(err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBody+1))
	_ = resp.Body.Close() // what is left is of no interest
	if err != nil {
		return nil, d.count(err)
	}
	if len(body) > mostBody {
		return nil, errTooLong
	}
	d.silent = 0
	d.last = &exchange{resp.StatusCode, resp.Header, body, r.URL.String(), time.Since(began)}
	if r.Method == http.MethodPost {
		d.calls = append(d.calls, d.last.took)
		if d.limited == nil && resp.StatusCode == http.StatusTooManyRequests {
			d.limited = d.last
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// count remembers requests that were never answered.
func (d *door) count(err error) error {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		d.silent++
	}
	return err
}

// newTransport is HTTP with bounds. An agent that lies outside may not send the
// doctor into the private network it runs in.
func newTransport(inside bool, timeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: timeout}
	if !inside {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if host, _, err := net.SplitHostPort(address); err != nil || private(net.ParseIP(host)) {
				return errInside
			}
			return nil
		}
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: timeout, MaxResponseHeaderBytes: mostHeader, IdleConnTimeout: time.Minute,
	}
}

func private(ip net.IP) bool {
	return ip == nil || ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast()
}

// ask sends one request beside what package a2a's client sends. Redirects are
// followed for files alone, and never with the token: package net/http would
// take it along to another port.
func (x *examination) ask(ctx context.Context, method, to string, body string, headers ...string) (*exchange, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, to, reader)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	client := *x.http
	if method == http.MethodPost || req.Header.Get("Authorization") != "" {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, plain(err)
	}
	defer resp.Body.Close()
	return x.door.last, nil
}

// plain leaves out of an error the method and URL that package net/http puts
// before it, and says late answers in one way.
func plain(err error) error {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return errors.New("no answer in time")
	}
	for _, known := range []error{errTooLong, errGaveUp, errLoop, errInside} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}

// is reports whether the answer's media type is among those given.
func (e *exchange) is(types ...string) bool { return slices.Contains(types, e.media()) }

func (e *exchange) media() string {
	media, _, _ := strings.Cut(e.header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}
