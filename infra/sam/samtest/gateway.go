package samtest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// What API Gateway takes and waits at most (API Gateway Developer Guide, "Quotas").
const (
	longestBody    = 10 << 20
	longestEvent   = 6 << 20
	longestWaiting = 29 * time.Second
)

const integrationMember = "x-amazon-apigateway-integration"

// Gateway is a REST API of API Gateway: it serves the routes of an OpenAPI body
// on loopback, below the name of its stage.
type Gateway struct {
	stack *Stack
	id    string
	body  tree
	stage string

	server *httptest.Server
	limits []*limit
	// Wait is how long an integration may take.
	Wait time.Duration
}

func newGateway(s *Stack, id string, body tree) *Gateway {
	g := &Gateway{stack: s, id: id, body: body, Wait: longestWaiting}
	g.server = httptest.NewServer(g)
	s.t.Cleanup(g.server.Close)
	return g
}

func (g *Gateway) setStage(p tree) {
	g.stage = textAt(p, "StageName")
	for _, setting := range listAt(p, "MethodSettings") {
		g.limits = append(g.limits, newLimit(setting))
	}
}

// Host is the API's own name on AWS.
func (g *Gateway) Host() string { return g.id + ".execute-api." + region + ".amazonaws.com" }

// Address is the API's own address, with its stage, past the front door.
func (g *Gateway) Address() string { return g.server.URL + "/" + g.stage }

// call is one request on its way through the API.
type call struct {
	*http.Request
	id, path, resource, method string
	parameters                 map[string]string
	content                    []byte
	began                      time.Time
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Request: r, id: uuid.NewString(), began: time.Now()}
	w.Header().Set("X-Amzn-Requestid", c.id)
	// net/http takes any Host; the name that AWS serves must be there.
	path, staged := strings.CutPrefix(r.URL.EscapedPath(), "/"+g.stage)
	c.path = path
	spec := tree(nil)
	if staged && (path == "" || path[0] == '/') {
		c.resource, c.method, c.parameters, spec = g.route(r.Method, path)
	}
	if spec == nil {
		g.refuse(w, c, "MISSING_AUTHENTICATION_TOKEN", http.StatusForbidden, "Missing Authentication Token")
		return
	}
	if !g.admits(c) {
		g.refuse(w, c, "THROTTLED", http.StatusTooManyRequests, "Too Many Requests")
		return
	}
	var err error
	if c.content, err = io.ReadAll(io.LimitReader(r.Body, longestBody+1)); err != nil {
		g.refuse(w, c, "DEFAULT_4XX", http.StatusBadRequest, "Bad Request")
		return
	}
	if len(c.content) > longestBody {
		g.refuse(w, c, "REQUEST_TOO_LARGE", http.StatusRequestEntityTooLarge, "Request Too Long")
		return
	}
	integration := treeAt(spec, integrationMember)
	switch textAt(integration, "type") {
	case "aws_proxy":
		g.proxy(w, c, integration)
	case "aws":
		g.service(w, c, spec, integration)
	case "mock":
		g.mock(w, c, spec, integration)
	default:
		g.stack.fail("%s %s: nothing is known here of integrations of type %q", c.method, c.resource, textAt(integration, "type"))
		g.refuse(w, c, "API_CONFIGURATION_ERROR", http.StatusInternalServerError, "Internal server error")
	}
}

// Routes reports whether the API has a route for the request, whatever comes of it.
func (g *Gateway) Routes(method, path string) bool {
	_, _, _, spec := g.route(method, path)
	return spec != nil
}

const anyMethod = "x-amazon-apigateway-any-method"

// route finds the resource that fits best: API Gateway prefers fixed segments to
// parameters, and these to greedy ones. A slash at the end makes no difference.
func (g *Gateway) route(method, path string) (resource, name string, parameters map[string]string, spec tree) {
	best := -1
	for _, pattern := range sorted(treeAt(g.body, "paths")) {
		found, score := matched(pattern, path)
		if found == nil || score <= best {
			continue
		}
		methods := treeAt(g.body, "paths", pattern)
		best = score
		resource, parameters, name, spec = pattern, found, strings.ToLower(method), treeAt(methods, strings.ToLower(method))
		if spec == nil {
			name, spec = anyMethod, treeAt(methods, anyMethod)
		}
	}
	return resource, name, parameters, spec
}

var parameter = regexp.MustCompile(`^\{([^}+]+)(\+?)\}$`)

// matched returns the path parameters, and how well the pattern fits; nil when
// it does not.
func matched(pattern, path string) (parameters map[string]string, score int) {
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	parameters = map[string]string{}
	for i, segment := range want {
		if i >= len(have) {
			return nil, 0
		}
		match := parameter.FindStringSubmatch(segment)
		switch {
		case match == nil && segment != have[i], match != nil && have[i] == "":
			return nil, 0
		case match == nil:
			score += 100
		case match[2] == "+":
			parameters[match[1]] = unescaped(strings.Join(have[i:], "/"))
			return parameters, score + 1
		default:
			parameters[match[1]] = unescaped(have[i])
			score += 10
		}
	}
	if len(have) != len(want) {
		return nil, 0
	}
	return parameters, score
}

func unescaped(segment string) string {
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}

// source is the address of whoever connected.
func (c *call) source() string {
	host, _, err := net.SplitHostPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	return host
}

var contextVariable = regexp.MustCompile(`\$context\.([\w.]+)`)

// refuse is a gateway response: that of the type when the body declares it, else
// the default of its class, else API Gateway's own.
func (g *Gateway) refuse(w http.ResponseWriter, c *call, kind string, status int, message string) {
	declared := treeAt(g.body, "x-amazon-apigateway-gateway-responses")
	answer := treeAt(declared, kind)
	if answer == nil {
		answer = treeAt(declared, fmt.Sprintf("DEFAULT_%dXX", status/100))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", kind)
	if own := textAt(answer, "statusCode"); own != "" {
		status = number(own)
	}
	for target, value := range treeAt(answer, "responseParameters") {
		if header, ok := strings.CutPrefix(target, "gatewayresponse.header."); ok {
			if static, ok := quoted(text(value)); ok {
				w.Header().Set(header, static)
			}
		}
	}
	template := textAt(answer, "responseTemplates", "application/json")
	if template == "" {
		template = `{"message":$context.error.messageString}`
	}
	known := map[string]string{
		"requestId": c.id, "requestTimeEpoch": fmt.Sprint(c.began.UnixMilli()), "error.message": message, "error.messageString": fmt.Sprintf("%q", message),
		"error.responseType": kind, "httpMethod": c.Method, "resourcePath": c.resource, "stage": g.stage, "apiId": g.id, "identity.sourceIp": c.source(),
	}
	body := contextVariable.ReplaceAllStringFunc(template, func(found string) string {
		value, ok := known[strings.TrimSuffix(strings.TrimPrefix(found, "$context."), ".")]
		if !ok {
			g.stack.fail("gateway response %s: nothing is known here of %s", kind, found)
		}
		return value
	})
	w.WriteHeader(status)
	if c.Method != http.MethodHead {
		_, _ = io.Copy(w, bytes.NewReader([]byte(body)))
	}
}

// quoted is a static value of a mapping, which stands in single quotes.
func quoted(value string) (string, bool) {
	if len(value) >= 2 && value[0] == '\'' && value[len(value)-1] == '\'' {
		return value[1 : len(value)-1], true
	}
	return "", false
}

// WaitAsLongAsAWS sets Wait to what it is on AWS.
func (g *Gateway) WaitAsLongAsAWS() { g.Wait = longestWaiting }
