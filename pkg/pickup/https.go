package pickup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/outbound"
)

const maxRedirects = 5

// arrival is what a source says of the file that it gave.
type arrival struct {
	// tag tells this file from the next; etag and dated go back to the source
	// with the next request.
	tag, etag, dated string
	// modified is when the source's system wrote the file; zero when it does
	// not say.
	modified time.Time
}

// download fetches from an https address.
type download struct {
	source  *dealer.FeedSource
	secrets Secrets
	route   outbound.Route
	now     func() time.Time
}

// fetch writes the file into out, or says errUnchanged when it is the known
// one. ctx ends when out gets nothing for too long.
func (d download) fetch(ctx context.Context, known State, out io.Writer) (arrival, error) {
	req, err := d.request(ctx, known)
	if err != nil {
		return arrival{}, err
	}
	transport := d.route.Transport()
	client := &http.Client{Transport: transport, CheckRedirect: d.redirect}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return arrival{}, connecting(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && known.Tag != "" {
		return arrival{}, errUnchanged
	}
	if resp.StatusCode != http.StatusOK {
		return arrival{}, d.answered(resp)
	}
	// A file that came packed stays packed: its content tells the reader so,
	// whether it was packed for the journey or lies there like that.
	switch packed := strings.ToLower(resp.Header.Get("Content-Encoding")); packed {
	case "", "identity", "gzip", "x-gzip":
	default:
		return arrival{}, &Fault{Reason: "the server packs the file in a way that was not asked for; have it send the file as it is, or in gzip"}
	}
	a := arrival{etag: resp.Header.Get("ETag"), dated: resp.Header.Get("Last-Modified")}
	if at, err := http.ParseTime(a.dated); err == nil {
		a.modified = at
	} else {
		a.dated = ""
	}
	if a.etag != "" || a.dated != "" {
		a.tag = fmt.Sprintf("%s|%s|%d", a.etag, a.dated, resp.ContentLength)
	}
	if a.tag != "" && a.tag == known.Tag {
		return a, errUnchanged
	}
	if resp.ContentLength > maxFile {
		return arrival{}, connecting(ctx, errTooLarge)
	}
	n, err := io.Copy(out, resp.Body)
	if err == nil {
		err = ctx.Err() // a server that is hung up on may end the body as if it were whole
	}
	if err != nil {
		f := connecting(ctx, err)
		if resp.ContentLength > 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			f.Reason = fmt.Sprintf("the connection broke off after %d of %d bytes; it is asked again", n, resp.ContentLength)
		}
		return arrival{}, f
	}
	return a, nil
}

func (d download) request(ctx context.Context, known State) (*http.Request, error) {
	u, err := url.Parse(d.source.URL)
	if err != nil || u.Scheme != dealer.SchemeHTTPS {
		return nil, &Fault{Reason: "the url is not an https address"}
	}
	query := u.Query()
	for name, value := range d.source.Query {
		if value, err = resolve(ctx, d.secrets, value); err != nil {
			return nil, err
		}
		query.Set(name, value)
	}
	if len(d.source.Query) > 0 {
		u.RawQuery = query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Fault{Reason: "the url is not an address"}
	}
	req.Header.Set("User-Agent", "dealer-agent")
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "gzip")
	if known.ETag != "" {
		req.Header.Set("If-None-Match", known.ETag)
	}
	if known.Dated != "" {
		req.Header.Set("If-Modified-Since", known.Dated)
	}
	for name, value := range d.source.Headers {
		if value, err = resolve(ctx, d.secrets, value); err != nil {
			return nil, err
		}
		req.Header.Set(name, value)
	}
	if a := d.source.Auth; a != nil {
		secret, err := resolve(ctx, d.secrets, a.Secret)
		if err != nil {
			return nil, err
		}
		if a.Type == dealer.AuthBasic {
			req.SetBasicAuth(a.Username, secret)
		} else {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
	}
	return req, nil
}

// redirect follows to https only, and takes what was meant for the source off
// a request to anybody else.
func (d download) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return &Fault{Reason: fmt.Sprintf("the address redirects more than %d times; write the one where it ends", maxRedirects)}
	case req.URL.Scheme != "https":
		return &Fault{Reason: "the address redirects to one that is not encrypted; write an https address that does not"}
	}
	req.Header.Del("Referer") // it holds the address before, with its query
	if req.URL.Host != via[0].URL.Host {
		req.Header.Del("Authorization")
		for name := range d.source.Headers {
			req.Header.Del(name)
		}
	}
	return nil
}

// answered says what a status without a file means.
func (d download) answered(resp *http.Response) *Fault {
	status := resp.StatusCode
	f := &Fault{Wait: retryAfter(resp.Header, d.now())}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusProxyAuthRequired:
		f.Denied, f.Reason = true, "the login is refused (%d); check auth, query and headers of this source, and the secrets they refer to"
	case status == http.StatusForbidden:
		f.Denied, f.Reason = true, "the server lets nobody in like this (%d); check the credentials, or ask whoever runs it to allow this agent"
	case status == http.StatusNotFound, status == http.StatusGone:
		f.Reason = "there is no file at the address (%d); check the url, or ask whether the export has moved"
	case status == http.StatusTooManyRequests:
		f.Reason = "the server was asked too often (%d); choose a longer every"
	case status >= 500:
		f.Reason = "the server has a fault of its own (%d); it is asked again"
	default:
		f.Reason = "the server answers %d instead of a file; check the url"
	}
	f.Reason = fmt.Sprintf(f.Reason, status)
	return f
}

// longestWait bounds the pause that a source may ask for.
const longestWait = 24 * time.Hour

// retryAfter reads the pause a server asks for (RFC 9110 §10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longestWait)
}
