package cloud

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// REST runs handler for the events of an API Gateway REST API with Lambda
// proxy integration, as a Lambda function. The handler sees the request that a
// server of its own would see: the stage is not in the path, RemoteAddr is the
// caller's address, and what it writes comes out unchanged. Bodies that are not
// UTF-8 text, and requests marked so, travel as base64.
//
// A handler that panics gives an error, which API Gateway answers with 502; the
// function lives on.
func REST(handler http.Handler) func(context.Context, events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
	return func(ctx context.Context, event events.APIGatewayProxyRequest) (out events.APIGatewayProxyResponse, err error) {
		ctx = context.WithValue(Trailed(ctx), apiRequest{}, event.RequestContext.RequestID)
		ctx = context.WithValue(ctx, domainName{}, event.RequestContext.DomainName)
		r, err := restRequest(ctx, event)
		if err != nil {
			return restResponse(http.StatusBadRequest, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, []byte("Bad Request\n")), nil
		}
		defer func() {
			if p := recover(); p != nil {
				// The value may quote the request and is not told.
				err = fmt.Errorf("the handler panicked with a %T: %s", p, debug.Stack())
			}
		}()
		var w buffer
		handler.ServeHTTP(&w, r)
		return w.response(r.Method), nil
	}
}

type domainName struct{}

// DomainOf is the host name under which API Gateway took the request, in lower
// case: its own word, whatever the caller's headers say.
func DomainOf(ctx context.Context) string {
	name, _ := ctx.Value(domainName{}).(string)
	return strings.ToLower(name)
}

func restRequest(ctx context.Context, event events.APIGatewayProxyRequest) (*http.Request, error) {
	body := []byte(event.Body)
	if event.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
			return nil, err
		}
	}
	u := &url.URL{Path: withoutStage(event)}
	if decoded, err := url.PathUnescape(u.Path); err == nil {
		u.Path, u.RawPath = decoded, u.Path
	}
	u.RawQuery = restQuery(event).Encode()
	r, err := http.NewRequestWithContext(ctx, event.HTTPMethod, "/", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.URL, r.RequestURI = u, u.RequestURI()
	for name, values := range event.MultiValueHeaders {
		name = http.CanonicalHeaderKey(name) // two spellings of one name are one header
		r.Header[name] = append(r.Header[name], values...)
	}
	for name, value := range event.Headers {
		if len(r.Header.Values(name)) == 0 {
			r.Header.Set(name, value)
		}
	}
	// As net/http does for a server's handler.
	r.Host = r.Header.Get("Host")
	if r.Host == "" {
		r.Host = event.RequestContext.DomainName
	}
	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding", "Connection"} {
		r.Header.Del(name)
	}
	if len(body) > 0 {
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	r.RemoteAddr = net.JoinHostPort(event.RequestContext.Identity.SourceIP, "0")
	return r, nil
}

// withoutStage is the path as the handler knows it. API Gateway leaves the
// stage out of "path" on its own address; a front door that forwards the whole
// path leaves it in.
func withoutStage(event events.APIGatewayProxyRequest) string {
	path := event.Path
	if stage := event.RequestContext.Stage; stage != "" {
		if rest, found := strings.CutPrefix(path, "/"+stage); found && (rest == "" || rest[0] == '/') {
			path = rest
		}
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

func restQuery(event events.APIGatewayProxyRequest) url.Values {
	query := url.Values{}
	for name, value := range event.QueryStringParameters {
		query.Set(name, value)
	}
	for name, values := range event.MultiValueQueryStringParameters {
		query[name] = values
	}
	return query
}

// buffer is an http.ResponseWriter that keeps the answer.
type buffer struct {
	header http.Header
	sent   http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers to be sent.
func (b *buffer) Header() http.Header {
	if b.header == nil {
		b.header = http.Header{}
	}
	return b.header
}

// WriteHeader fixes status and headers; later calls do nothing.
func (b *buffer) WriteHeader(status int) {
	if b.status == 0 && status >= 200 {
		b.status, b.sent = status, b.Header().Clone()
	}
}

// Write adds to the body. Like a server, it guesses a content type that is not set.
func (b *buffer) Write(p []byte) (int, error) {
	if b.status == 0 {
		if _, set := b.Header()["Content-Type"]; !set && len(p) > 0 {
			b.Header().Set("Content-Type", http.DetectContentType(p))
		}
		b.WriteHeader(http.StatusOK)
	}
	if b.status == http.StatusNoContent || b.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	return b.body.Write(p)
}

// Flush does what flushing implies for the headers; the answer leaves whole.
func (b *buffer) Flush() { b.WriteHeader(http.StatusOK) }

func (b *buffer) response(method string) events.APIGatewayProxyResponse {
	b.WriteHeader(http.StatusOK)
	body := b.body.Bytes()
	if method == http.MethodHead {
		body = nil
	}
	return restResponse(b.status, b.sent, body)
}

func restResponse(status int, header http.Header, body []byte) events.APIGatewayProxyResponse {
	out := events.APIGatewayProxyResponse{StatusCode: status, MultiValueHeaders: header}
	if utf8.Valid(body) && header.Get("Content-Encoding") == "" {
		out.Body = string(body)
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return out
}

// APIHosts are the endings of the names under which AWS itself serves an API,
// each with its dot. A front door that does not pass its own name on, such as
// CloudFront, calls under one.
func APIHosts() []string { return []string{".amazonaws.com", ".amazonaws.com.cn"} }
