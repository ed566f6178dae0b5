package stack

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

const anyMethod = "x-amazon-apigateway-any-method"

// body is the OpenAPI document of the first API.
func (t template) body() (id string, body tree) {
	ids := t.of("AWS::Serverless::Api", "AWS::ApiGateway::RestApi")
	if len(ids) == 0 {
		return "", nil
	}
	p := t.props(ids[0])
	if body := treeAt(p, "DefinitionBody"); body != nil {
		return ids[0], body
	}
	return ids[0], treeAt(p, "Body")
}

// wanted are the methods that the API must have.
var wanted = map[string][]string{
	"/.well-known/{file}":         {"get", "head", "options"},
	"/a2a":                        {"post", anyMethod},
	"/a2a/{version}":              {"post", anyMethod},
	"/a2a/{version}/message:send": {"post", anyMethod},
	"/mcp":                        {"post", anyMethod},
}

// checkAPI: every method of the OpenAPI body has an integration that can work,
// and the published files come with all that HTTP caches and browsers ask for.
func checkAPI(t template) (f faults) {
	id, body := t.body()
	if body == nil || len(t.of("AWS::Serverless::Api", "AWS::ApiGateway::RestApi")) != 1 {
		f.add("want one API with an OpenAPI body")
		return f
	}
	if kind := render(at(t.props(id), "EndpointConfiguration", "Type")) + render(at(t.props(id), "EndpointConfiguration", "Types", 0)); !strings.Contains(kind, "REGIONAL") {
		f.add("%s is not regional", id)
	}
	f = append(f, checkStage(t)...)
	paths := treeAt(body, "paths")
	for _, path := range sorted(wanted) {
		for _, method := range wanted[path] {
			if at(paths, path, method) == nil {
				f.add("%s %s is missing", method, path)
			}
		}
	}
	for _, url := range contractURLs() {
		if !slices.ContainsFunc(sorted(paths), func(path string) bool {
			return regexp.MustCompile("^" + pathParameter.ReplaceAllString(path, "[^/]+") + "$").MatchString(url)
		}) {
			f.add("%s leads nowhere", url)
		}
	}
	for _, path := range sorted(paths) {
		methods := treeAt(paths, path)
		for _, method := range sorted(methods) {
			m := endpoint{t, path, method, treeAt(methods, method)}
			f = append(f, m.check()...)
		}
	}
	return f
}

// contractURLs are all paths at which the agent answers some contract.
func contractURLs() (urls []string) {
	for _, v := range aap.Versions() {
		for _, path := range []string{v.Path(), v.VersionPath()} {
			urls = append(urls, path)
			if v.REST {
				urls = append(urls, path+"/message:send")
			}
		}
	}
	return urls
}

// checkStage: one stage, called as the function knows it, with a rate limit for all.
func checkStage(t template) (f faults) {
	stages := t.of("AWS::ApiGateway::Stage")
	if len(stages) == 0 {
		stages = t.of("AWS::Serverless::Api")
	}
	for _, id := range stages {
		p := t.props(id)
		if got := textAt(p, "StageName"); got != "live" {
			f.add("%s: the stage is called %q, want live", id, got)
		}
		limit := at(p, "MethodSettings", 0)
		if textAt(limit, "ResourcePath") != "/*" || textAt(limit, "HttpMethod") != "*" ||
			render(at(limit, "ThrottlingRateLimit")) != "${RequestsPerSecond}" || render(at(limit, "ThrottlingBurstLimit")) != "${RequestBurst}" {
			f.add("%s: no rate limit for all methods", id)
		}
		for n := range listAt(p, "MethodSettings") {
			// Execution logs hold bodies and the Authorization header.
			if level := textAt(p, "MethodSettings", n, "LoggingLevel"); level != "" && level != "OFF" || flagAt(p, "MethodSettings", n, "DataTraceEnabled") {
				f.add("%s: logs calls with leads and tokens", id)
			}
		}
	}
	return f
}

type endpoint struct {
	t            template
	path, method string
	spec         tree
}

var (
	pathParameter = regexp.MustCompile(`\{([^}]+)\}`)
	lambdaURI     = regexp.MustCompile(`^arn:\$\{AWS::Partition\}:apigateway:\$\{AWS::Region\}:lambda:path/2015-03-31/functions/\$\{(\w+)\.Arn\}/invocations$`)
	s3URI         = regexp.MustCompile(`^arn:\$\{AWS::Partition\}:apigateway:\$\{AWS::Region\}:s3:path/\$\{(\w+)\}(/\.well-known/.+)$`)
	requestSource = regexp.MustCompile(`^method\.request\.(path|header|querystring)\.([\w-]+)$`)
	methods       = []string{"get", "head", "options", "post", "put", "patch", "delete", anyMethod}
)

func (m endpoint) check() (f faults) {
	where := m.method + " " + m.path
	if !slices.Contains(methods, m.method) {
		f.add("%s: no method is called so", where)
		return f
	}
	for _, match := range pathParameter.FindAllStringSubmatch(m.path, -1) {
		if !m.declares("path", match[1]) {
			f.add("%s: path parameter %s is not declared", where, match[1])
		}
	}
	integration := treeAt(m.spec, "x-amazon-apigateway-integration")
	uri := render(integration["uri"])
	switch textAt(integration, "type") {
	case "aws_proxy":
		match := lambdaURI.FindStringSubmatch(uri)
		if match == nil || !slices.Contains(m.t.functions(), match[1]) {
			f.add("%s: uri %s names no function of the template", where, uri)
		}
		if got := textAt(integration, "httpMethod"); got != "POST" {
			f.add("%s: a function is called with POST, not %s", where, got)
		}
	case "aws":
		f = append(f, m.checkFile(where, integration, uri)...)
	case "mock":
		var answer struct{ StatusCode int }
		if json.Unmarshal([]byte(textAt(integration, "requestTemplates", "application/json")), &answer) != nil || answer.StatusCode == 0 {
			f.add("%s: a mock must say its statusCode", where)
		}
		f = append(f, m.checkAnswers(where, integration)...)
	default:
		f.add("%s: integration type %q is not aws, aws_proxy or mock", where, textAt(integration, "type"))
	}
	if len(treeAt(m.spec, "responses")) == 0 {
		f.add("%s: no responses are declared", where)
	}
	return f
}

// declares reports whether the method takes the parameter.
func (m endpoint) declares(in, name string) bool {
	return slices.ContainsFunc(listAt(m.spec, "parameters"), func(p any) bool {
		return textAt(p, "in") == in && textAt(p, "name") == name && (in != "path" || flagAt(p, "required"))
	})
}

// checkFile: the integration reads one published object of the site bucket.
func (m endpoint) checkFile(where string, integration tree, uri string) (f faults) {
	match := s3URI.FindStringSubmatch(uri)
	if match == nil || !m.t.isA(match[1], "AWS::S3::Bucket") {
		f.add("%s: uri %s names no published object of a bucket of the template", where, uri)
		return f
	}
	if got := textAt(integration, "httpMethod"); got != strings.ToUpper(m.method) {
		f.add("%s: S3 is asked with %s", where, got)
	}
	role := strings.TrimSuffix(strings.TrimPrefix(render(integration["credentials"]), "${"), ".Arn}")
	if trusted(m.t.props(role)) != "apigateway.amazonaws.com" {
		f.add("%s: credentials are %s, not a role that API Gateway may assume", where, render(integration["credentials"]))
	}
	mapped := treeAt(integration, "requestParameters")
	for _, parameter := range pathParameter.FindAllStringSubmatch(match[2], -1) {
		if textAt(mapped, "integration.request.path."+parameter[1]) != "method.request.path."+parameter[1] {
			f.add("%s: {%s} of the uri is not mapped", where, parameter[1])
		}
	}
	for target, value := range mapped {
		source := requestSource.FindStringSubmatch(render(value))
		if source == nil || !m.declares(source[1], source[2]) {
			f.add("%s: %s is mapped from %s, which the method does not declare", where, target, render(value))
		}
	}
	for _, header := range []string{"If-None-Match", "If-Modified-Since"} {
		if mapped["integration.request.header."+header] != "method.request.header."+header {
			f.add("%s: %s is not passed on", where, header)
		}
	}
	return append(f, m.checkAnswers(where, integration)...)
}

// fileAnswers are the headers that each answer of S3 must leave with; an empty
// value stands for the header that S3 sent.
var fileAnswers = map[string]struct {
	status  string
	headers map[string]string
}{
	"200":     {"200", map[string]string{"Content-Type": "", "Cache-Control": "", "ETag": "", "Last-Modified": "", "Access-Control-Allow-Origin": "'*'"}},
	"304":     {"304", map[string]string{"Cache-Control": "", "ETag": "", "Last-Modified": "", "Access-Control-Allow-Origin": "'*'"}},
	"403":     {"404", map[string]string{"Content-Type": "'application/json'", "Access-Control-Allow-Origin": "'*'"}},
	"404":     {"404", map[string]string{"Content-Type": "'application/json'", "Access-Control-Allow-Origin": "'*'"}},
	"default": {"502", map[string]string{"Content-Type": "'application/json'", "Access-Control-Allow-Origin": "'*'"}},
}

// checkAnswers: what the integration answers is declared, and nothing of S3's
// own faults gets out.
func (m endpoint) checkAnswers(where string, integration tree) (f faults) {
	answers := treeAt(integration, "responses")
	if len(answers) == 0 {
		f.add("%s: the integration's answers are not mapped", where)
	}
	for _, pattern := range sorted(answers) {
		status := textAt(answers, pattern, "statusCode")
		if at(m.spec, "responses", status) == nil {
			f.add("%s: answer %q becomes %q, which is not declared", where, pattern, status)
		}
		for target, value := range treeAt(answers, pattern, "responseParameters") {
			header, ok := strings.CutPrefix(target, "method.response.header.")
			if !ok || at(m.spec, "responses", status, "headers", header) == nil {
				f.add("%s: answer %q sets %s, which %s does not declare", where, pattern, target, status)
			}
			source := render(value)
			static := len(source) > 2 && source[0] == '\'' && source[len(source)-1] == '\''
			if !static && source != "integration.response.header."+header {
				f.add("%s: answer %q takes %s from %s", where, pattern, header, source)
			}
		}
	}
	if textAt(integration, "type") != "aws" {
		return f
	}
	for _, pattern := range sorted(fileAnswers) {
		want := fileAnswers[pattern]
		if got := textAt(answers, pattern, "statusCode"); got != want.status {
			f.add("%s: %s of S3 becomes %q, want %s", where, pattern, got, want.status)
		}
		for _, header := range sorted(want.headers) {
			source := want.headers[header]
			if source == "" {
				source = "integration.response.header." + header
			}
			if got := textAt(answers, pattern, "responseParameters", "method.response.header."+header); got != source {
				f.add("%s: %s of S3 leaves with %s from %q, want %s", where, pattern, header, got, source)
			}
		}
		if want.status < "400" {
			continue
		}
		for _, kind := range []string{"application/json", "application/xml"} {
			if text := textAt(answers, pattern, "responseTemplates", kind); !json.Valid([]byte(text)) {
				f.add("%s: %s of S3 with %s leaves as %q, not as JSON of our own", where, pattern, kind, text)
			}
		}
	}
	return f
}
