package samtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var s3Path = regexp.MustCompile(`^arn:aws:apigateway:` + region + `:s3:path(/.+)$`)

// service is an integration of type aws with S3: only what is mapped goes in
// and comes out.
func (g *Gateway) service(w http.ResponseWriter, c *call, spec, integration tree) {
	request, err := g.request(c, spec, integration)
	if err != nil {
		g.stack.fail("%s %s: %v", c.method, c.resource, err)
		g.refuse(w, c, "API_CONFIGURATION_ERROR", http.StatusInternalServerError, "Internal server error")
		return
	}
	got, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		g.refuse(w, c, "INTEGRATION_FAILURE", http.StatusGatewayTimeout, "Internal server error")
		return
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		g.refuse(w, c, "INTEGRATION_FAILURE", http.StatusGatewayTimeout, "Internal server error")
		return
	}
	g.respond(w, c, spec, integration, got.StatusCode, got.Header, body)
}

// request is what S3 is asked, in the name of the integration's role.
func (g *Gateway) request(c *call, spec, integration tree) (*http.Request, error) {
	match := s3Path.FindStringSubmatch(textAt(integration, "uri"))
	if match == nil {
		return nil, fmt.Errorf("uri %s is none of S3", textAt(integration, "uri"))
	}
	key, err := g.stack.aws.assume(textAt(integration, "credentials"), "apigateway.amazonaws.com")
	if err != nil {
		return nil, err
	}
	path, header, query := match[1], http.Header{}, url.Values{}
	for target, source := range treeAt(integration, "requestParameters") {
		value, found, err := c.parameter(spec, text(source))
		if err != nil {
			return nil, err
		}
		place, name, _ := strings.Cut(strings.TrimPrefix(target, "integration.request."), ".")
		switch {
		case !found:
		case place == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		case place == "header":
			header.Set(name, value)
		case place == "querystring":
			query.Set(name, value)
		default:
			return nil, fmt.Errorf("nothing is known here of %s", target)
		}
	}
	request, err := http.NewRequestWithContext(c.Context(), textAt(integration, "httpMethod"), g.stack.aws.URL+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	request.Header = header
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key+"/20260101/"+region+"/s3/aws4_request, SignedHeaders=host, Signature=0")
	return request, nil
}

var requestSource = regexp.MustCompile(`^method\.request\.(path|header|querystring)\.(.+)$`)

// parameter is the value of a request parameter, which the method must declare.
func (c *call) parameter(spec tree, source string) (value string, found bool, err error) {
	if static, ok := quoted(source); ok {
		return static, true, nil
	}
	if source == "context.domainName" {
		return c.Host, true, nil
	}
	match := requestSource.FindStringSubmatch(source)
	if match == nil {
		return "", false, fmt.Errorf("nothing is known here of %s", source)
	}
	in := map[string]string{"path": "path", "header": "header", "querystring": "query"}[match[1]]
	declared := false
	for _, p := range listAt(spec, "parameters") {
		declared = declared || textAt(p, "in") == in && strings.EqualFold(textAt(p, "name"), match[2])
	}
	if !declared {
		return "", false, fmt.Errorf("%s is mapped and not declared", source)
	}
	switch in {
	case "path":
		value, found = c.parameters[match[2]]
	case "header":
		value = c.Header.Get(match[2])
		found = value != ""
	default:
		found, value = c.URL.Query().Has(match[2]), c.URL.Query().Get(match[2])
	}
	return value, found, nil
}

// mock answers with the status that its request template names.
func (g *Gateway) mock(w http.ResponseWriter, c *call, spec, integration tree) {
	kind, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if kind == "" {
		kind = "application/json"
	}
	var said struct{ StatusCode int }
	template := textAt(integration, "requestTemplates", kind)
	if json.Unmarshal([]byte(template), &said) != nil || said.StatusCode == 0 {
		g.refuse(w, c, "DEFAULT_5XX", http.StatusInternalServerError, "Internal server error")
		return
	}
	g.respond(w, c, spec, integration, said.StatusCode, http.Header{}, nil)
}

// respond chooses the integration response by the status and carries it out.
func (g *Gateway) respond(w http.ResponseWriter, c *call, spec, integration tree, status int, header http.Header, body []byte) {
	answer, err := chosen(treeAt(integration, "responses"), strconv.Itoa(status))
	code := textAt(answer, "statusCode")
	if err == nil && at(spec, "responses", code) == nil {
		err = fmt.Errorf("status %s is not declared", code)
	}
	out := http.Header{"Content-Type": {"application/json"}}
	for target, source := range treeAt(answer, "responseParameters") {
		name, ok := strings.CutPrefix(target, "method.response.header.")
		if !ok || at(spec, "responses", code, "headers", name) == nil {
			err = errors.Join(err, fmt.Errorf("%s is not declared", target))
		}
		if static, ok := quoted(text(source)); ok {
			out.Set(name, static)
		} else if sent := header.Get(strings.TrimPrefix(text(source), "integration.response.header.")); sent != "" {
			out.Set(name, sent)
		}
	}
	if err != nil {
		g.stack.fail("%s %s: answer %d: %v", c.method, c.resource, status, err)
		g.refuse(w, c, "DEFAULT_5XX", http.StatusInternalServerError, "Internal server error")
		return
	}
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind == "" {
		kind = "application/json"
	}
	if template, ok := treeAt(answer, "responseTemplates")[kind]; ok {
		body = []byte(text(template))
	}
	for name, values := range out {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.WriteHeader(number(code))
	if c.Method != http.MethodHead {
		_, _ = io.Copy(w, bytes.NewReader(body)) // 204 and 304 take none
	}
}

// chosen is the response whose pattern is the status, or the default.
func chosen(responses tree, status string) (tree, error) {
	for _, pattern := range sorted(responses) {
		if pattern == "default" {
			continue
		}
		whole, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, err
		}
		if whole.MatchString(status) {
			return treeAt(responses, pattern), nil
		}
	}
	if other := treeAt(responses, "default"); other != nil {
		return other, nil
	}
	return nil, fmt.Errorf("no response is mapped")
}
