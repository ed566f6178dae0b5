package stack

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// refusal is what API Gateway must answer without asking a function.
type refusal struct {
	// status is "" where API Gateway keeps its own.
	status string
	code   aap.Code
	// wait is for how many seconds the buyer's agent is sent away.
	wait int
}

// refusals are the gateway responses that can come up: no authorizer, no API
// keys and no request models are there.
var refusals = map[string]refusal{
	"DEFAULT_4XX":                  {"", aap.SchemaValidationFailed, 0},
	"DEFAULT_5XX":                  {"", aap.InternalError, 0},
	"MISSING_AUTHENTICATION_TOKEN": {"404", aap.UnsupportedSkill, 0},
	"RESOURCE_NOT_FOUND":           {"404", aap.UnsupportedSkill, 0},
	"REQUEST_TOO_LARGE":            {"413", aap.SchemaValidationFailed, 0},
	"THROTTLED":                    {"429", aap.RateLimited, 1},
	"WAF_FILTERED":                 {"429", aap.RateLimited, 60},
	"INTEGRATION_TIMEOUT":          {"504", aap.InternalError, 0},
	"INTEGRATION_FAILURE":          {"504", aap.InternalError, 0},
}

// gatewayContext are the variables that API Gateway fills in, with a value of
// the kind it has (nothing else is replaced: VTL is not run on these bodies).
var gatewayContext = map[string]string{
	"$context.requestId": "0b7f2c4e-5f1d-4c59-9c43-1f0b7f2c4e5f", "$context.requestTimeEpoch": "1781535600000",
}

var contextVariable = regexp.MustCompile(`\$[A-Za-z.]+`)

// checkRefusals: API Gateway's own refusals are JSON-RPC errors with a typed
// aap.error, in which the code, its number and the time to wait agree.
func checkRefusals(t template) (f faults) {
	_, body := t.body()
	responses := treeAt(body, "x-amazon-apigateway-gateway-responses")
	check, err := schema.Released()(aap.Primary())
	if err != nil {
		f.add("%v", err)
		return f
	}
	for _, kind := range sorted(responses) {
		if _, known := refusals[kind]; !known {
			f.add("%s: no such answer can come up", kind)
		}
	}
	for _, kind := range sorted(refusals) {
		if responses[kind] == nil {
			f.add("%s: API Gateway answers in a form of its own", kind)
			continue
		}
		want := refusals[kind]
		if got := textAt(responses, kind, "statusCode"); got != want.status {
			f.add("%s: status %q, want %q", kind, got, want.status)
		}
		header := treeAt(responses, kind, "responseParameters")
		wanted := map[string]string{"Cache-Control": "'no-store'", "X-Content-Type-Options": "'nosniff'", "Access-Control-Allow-Origin": "'*'"}
		if want.wait > 0 {
			wanted["Retry-After"] = "'" + strconv.Itoa(want.wait) + "'"
		}
		for _, name := range sorted(wanted) {
			if got := textAt(header, "gatewayresponse.header."+name); got != wanted[name] {
				f.add("%s: %s is %q, want %s", kind, name, got, wanted[name])
			}
		}
		if len(header) != len(wanted) {
			f.add("%s: headers %v", kind, sorted(header))
		}
		for _, fault := range want.read(check, treeAt(responses, kind, "responseTemplates")) {
			f.add("%s: %s", kind, fault)
		}
	}
	return f
}

// read looks at the one body as a buyer's agent gets it.
func (want refusal) read(check *schema.Set, bodies tree) (f faults) {
	if len(bodies) != 1 {
		f.add("bodies of the kinds %v, want application/json", sorted(bodies))
	}
	text := contextVariable.ReplaceAllStringFunc(textAt(bodies, "application/json"), func(variable string) string {
		if value, known := gatewayContext[variable]; known {
			return value
		}
		f.add("API Gateway fills in no %s", variable)
		return variable
	})
	var answer struct {
		JSONRPC string
		ID      *json.RawMessage
		Error   struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.JSONRPC != "2.0" || !strings.Contains(text, `"id":null`) || answer.ID != nil {
		f.add("%s is no JSON-RPC error of an unknown request: %v", text, err)
		return f
	}
	violations, err := check.Check("error.schema.json", answer.Error.Data)
	if err != nil || len(violations) > 0 {
		f.add("error.data %s: %v %v", answer.Error.Data, violations, err)
	}
	var told aap.ErrorPayload
	if err := json.Unmarshal(answer.Error.Data, &told); err != nil {
		f.add("error.data: %v", err)
	}
	if told.Code != want.code || answer.Error.Code != want.code.RPC() || told.Retryable != want.code.Retryable() {
		f.add("%d %s, retryable %v; want %d %s, retryable %v", answer.Error.Code, told.Code, told.Retryable, want.code.RPC(), want.code, want.code.Retryable())
	}
	if told.ErrorID != gatewayContext["$context.requestId"] || fmt.Sprint(told.Details["created_at_epoch_ms"]) != "1.7815356e+12" {
		f.add("the log cannot be searched by error_id %q of %v", told.ErrorID, told.Details["created_at_epoch_ms"])
	}
	if answer.Error.Message != told.Message || len(told.Message) < 30 {
		f.add("messages %q and %q", answer.Error.Message, told.Message)
	}
	if wait, _ := told.Details["retry_after_ms"].(float64); int(wait) != 1000*want.wait {
		f.add("retry_after_ms is %v, want %d", wait, 1000*want.wait)
	}
	if faults, _ := told.Details["errors"].([]any); (len(faults) == 1) != (want.code == aap.SchemaValidationFailed) {
		f.add("details.errors is %v", told.Details["errors"])
	}
	if want.status == "413" && !strings.Contains(told.Message, strconv.Itoa(a2a.MaxBody)) {
		f.add("%q tells another limit than %d bytes", told.Message, a2a.MaxBody)
	}
	return f
}

// answering is a path into one gateway response.
func answering(kind string, more ...any) []any {
	return append(in("Api", "DefinitionBody", "x-amazon-apigateway-gateway-responses", kind), more...)
}

// reworded replaces text in the body of one gateway response.
func reworded(kind, old, new string) func(tree) {
	return func(t tree) {
		path := answering(kind, "responseTemplates", "application/json")
		set(strings.ReplaceAll(textAt(t, path...), old, new), path...)(t)
	}
}

var refusalFaults = []seeded{
	{"throttling in API Gateway's words", "refusals", "THROTTLED: API Gateway answers in a form of its own", set(nil, answering("THROTTLED")...)},
	{"a refusal that cannot come up", "refusals", "QUOTA_EXCEEDED: no such answer", set(tree{}, answering("QUOTA_EXCEEDED")...)},
	{"no Retry-After", "refusals", "Retry-After is", set(nil, answering("THROTTLED", "responseParameters", "gatewayresponse.header.Retry-After")...)},
	{"two times to wait", "refusals", "retry_after_ms is", reworded("THROTTLED", `"retry_after_ms":1000`, `"retry_after_ms":1`)},
	{"a missing path forbidden", "refusals", `status "403", want "404"`, set("403", answering("MISSING_AUTHENTICATION_TOKEN", "statusCode")...)},
	{"another number", "refusals", "want -32002 RATE_LIMITED", reworded("THROTTLED", "-32002", "-32000")},
	{"a code that is none", "refusals", "error.data", reworded("DEFAULT_5XX", "INTERNAL_ERROR", "GATEWAY_ERROR")},
	{"a failure that is final", "refusals", "retryable false", reworded("INTEGRATION_TIMEOUT", `"retryable":true`, `"retryable":false`)},
	{"a date that is none", "refusals", "/created_at", reworded("DEFAULT_4XX", "1970-01-01T00:00:00Z", "$context.requestId")},
	{"a variable that is not filled in", "refusals", "fills in no $context.requestTime", reworded("DEFAULT_4XX", "1970-01-01T00:00:00Z", "$context.requestTime")},
	{"an id for all", "refusals", "cannot be searched", reworded("DEFAULT_4XX", "$context.requestId", "1")},
	{"a body that is no JSON", "refusals", "is no JSON-RPC error", reworded("DEFAULT_4XX", `"id":null`, `"id":`)},
	{"another limit than the agent's", "refusals", "tells another limit", reworded("REQUEST_TOO_LARGE", "longer than 262144", "longer than 10485760")},
	{"a fault without its place", "refusals", "details.errors", reworded("REQUEST_TOO_LARGE", `"errors":`, `"faults":`)},
	{"an answer that is kept", "refusals", "Cache-Control is", set("'max-age=60'", answering("DEFAULT_5XX", "responseParameters", "gatewayresponse.header.Cache-Control")...)},
}
