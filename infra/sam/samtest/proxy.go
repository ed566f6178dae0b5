package samtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

var invocation = regexp.MustCompile(`:lambda:path/2015-03-31/functions/(.+)/invocations$`)

// dropped and renamed are the headers that API Gateway does not hand on
// (API Gateway Developer Guide, "Important notes for REST APIs").
var (
	dropped = []string{"Connection", "Content-Md5", "Expect", "Max-Forwards", "Proxy-Authenticate", "Server", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via"}
	renamed = []string{"Content-Md5", "Date", "Max-Forwards", "Server", "Www-Authenticate"}
)

// proxy is the Lambda proxy integration.
func (g *Gateway) proxy(w http.ResponseWriter, c *call, integration tree) {
	match := invocation.FindStringSubmatch(textAt(integration, "uri"))
	broken := func(format string, args ...any) {
		g.stack.fail("%s %s: "+format, append([]any{c.method, c.resource}, args...)...)
		g.refuse(w, c, "API_CONFIGURATION_ERROR", http.StatusInternalServerError, "Internal server error")
	}
	if match == nil {
		broken("uri is %s", textAt(integration, "uri"))
		return
	}
	f := g.stack.function(match[1])
	source := arnOf("execute-api", g.id) + "/" + g.stage + "/" + c.Method + unescaped(strings.TrimSuffix(c.path, "/"))
	if f == nil || !g.stack.permitted(f, "apigateway.amazonaws.com", source) {
		broken("the API may not call %s for %s", match[1], source)
		return
	}
	event := g.event(c)
	if len(event.Body) > longestEvent {
		g.refuse(w, c, "REQUEST_TOO_LARGE", http.StatusRequestEntityTooLarge, "Request Too Long")
		return
	}
	ctx, cancel := context.WithTimeout(c.Context(), g.Wait)
	defer cancel()
	type outcome struct {
		body []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		body, err := g.stack.invoke(ctx, f, event)
		done <- outcome{body, err}
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		g.refuse(w, c, "INTEGRATION_TIMEOUT", http.StatusGatewayTimeout, "Endpoint request timed out")
		return
	}
	var answer events.APIGatewayProxyResponse
	err := out.err
	if err == nil {
		if err = json.Unmarshal(out.body, &answer); err == nil && answer.StatusCode == 0 {
			err = errors.New("malformed Lambda proxy response")
		}
	}
	if err != nil {
		g.refuse(w, c, "DEFAULT_5XX", http.StatusBadGateway, "Internal server error")
		return
	}
	g.write(w, c, answer)
}

// event is a request as a function gets it.
func (g *Gateway) event(c *call) events.APIGatewayProxyRequest {
	header := c.Header.Clone()
	for _, name := range dropped {
		header.Del(name)
	}
	header.Set("Host", c.Host)
	header.Set("X-Forwarded-Port", "443")
	header.Set("X-Forwarded-Proto", "https")
	forwarded := append(header.Values("X-Forwarded-For"), c.source())
	header.Set("X-Forwarded-For", strings.Join(forwarded, ", "))
	query, _ := url.ParseQuery(c.URL.RawQuery)
	path := c.path
	if path == "" {
		path = "/"
	}
	event := events.APIGatewayProxyRequest{
		Resource: c.resource, Path: path, HTTPMethod: c.Method, Headers: last(header), MultiValueHeaders: header,
		QueryStringParameters: last(query), MultiValueQueryStringParameters: query, PathParameters: c.parameters,
		RequestContext: events.APIGatewayProxyRequestContext{
			AccountID: account, ResourceID: "r1", Stage: g.stage, RequestID: c.id, ExtendedRequestID: c.id[:8], ResourcePath: c.resource,
			HTTPMethod: c.Method, Path: "/" + g.stage + path, Protocol: "HTTP/1.1", APIID: g.id, DomainName: c.Host, DomainPrefix: g.id,
			RequestTime: c.began.UTC().Format("02/Jan/2006:15:04:05 +0000"), RequestTimeEpoch: c.began.UnixMilli(),
			Identity: events.APIGatewayRequestIdentity{SourceIP: c.source(), UserAgent: c.UserAgent()},
		},
	}
	if slices.ContainsFunc(g.binary(), func(kind string) bool { return glob(kind, c.Header.Get("Content-Type")) }) {
		event.Body, event.IsBase64Encoded = base64.StdEncoding.EncodeToString(c.content), true
	} else {
		event.Body = strings.ToValidUTF8(string(c.content), string(utf8.RuneError))
	}
	return event
}

// binary are the media types that travel as base64.
func (g *Gateway) binary() (kinds []string) {
	for _, kind := range listAt(g.body, "x-amazon-apigateway-binary-media-types") {
		kinds = append(kinds, strings.ReplaceAll(text(kind), "~1", "/"))
	}
	return kinds
}

func last(values map[string][]string) map[string]string {
	if len(values) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, each := range values {
		out[name] = each[len(each)-1]
	}
	return out
}

// write sends a function's answer on.
func (g *Gateway) write(w http.ResponseWriter, c *call, answer events.APIGatewayProxyResponse) {
	header := http.Header{}
	for name, value := range answer.Headers {
		header.Set(name, value)
	}
	for name, values := range answer.MultiValueHeaders {
		header[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range renamed {
		if values := header.Values(name); len(values) > 0 {
			header["X-Amzn-Remapped-"+name] = values
			header.Del(name)
		}
	}
	for _, name := range []string{"Connection", "Transfer-Encoding", "Content-Length"} {
		header.Del(name)
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	maps.Copy(w.Header(), header)
	body := []byte(answer.Body)
	accepted := func(kind string) bool { return glob(kind, c.Header.Get("Accept")) }
	if answer.IsBase64Encoded && slices.ContainsFunc(g.binary(), accepted) {
		if plain, err := base64.StdEncoding.DecodeString(answer.Body); err == nil {
			body = plain
		}
	}
	w.WriteHeader(answer.StatusCode)
	if c.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// ProxyEvent is the least that a function gets of a JSON request at a host.
func ProxyEvent(method, path, body, host string) events.APIGatewayProxyRequest {
	return events.APIGatewayProxyRequest{
		Resource: path, Path: path, HTTPMethod: method, Body: body,
		MultiValueHeaders: map[string][]string{"Content-Type": {"application/json"}, "Host": {host}},
		RequestContext:    events.APIGatewayProxyRequestContext{Stage: "Prod", Identity: events.APIGatewayRequestIdentity{SourceIP: "127.0.0.1"}},
	}
}
