package stack

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// traceStatement is all that a role may when X-Ray is on. X-Ray knows no
// resources, so there is none to name (Service Authorization Reference, AWS X-Ray).
const traceStatement = `{"Fn::If":["Traced",{"Action":["xray:PutTraceSegments","xray:PutTelemetryRecords"],"Effect":"Allow","Resource":"*","Sid":"Trace"},{"Ref":"AWS::NoValue"}]}`

// writesTraces tells the statement that is there only when X-Ray is on.
func writesTraces(statement any) bool {
	raw, err := json.Marshal(statement)
	return err == nil && string(raw) == traceStatement
}

// checkTracing: off unless asked for; then every function and the API take
// part, and roles may write traces only then.
func checkTracing(t template) (f faults) {
	if got := render(at(tree(t), "Parameters", "Tracing", "Default")); got != "off" {
		f.add("Tracing: is %q unless asked for", got)
	}
	if got := render(at(tree(t), "Conditions", "Traced", "Fn::Equals")); got != fmt.Sprint([]any{tree{"Ref": "Tracing"}, "on"}) {
		f.add("Tracing: Traced is %s", got)
	}
	mode := fmt.Sprint([]any{"Traced", "Active", "PassThrough"})
	for _, id := range t.functions() {
		p := t.function(id)
		got := at(p, "Tracing", "Fn::If")
		if got == nil {
			got = at(p, "TracingConfig", "Mode", "Fn::If")
		}
		if fmt.Sprint(got) != mode {
			f.add("%s: is traced %v, want %s", id, got, mode)
		}
		role := strings.TrimSuffix(strings.Trim(render(p["Role"]), "${}"), ".Arn")
		if !slices.ContainsFunc(listAt(t.props(role), "Policies", 0, "PolicyDocument", "Statement"), writesTraces) {
			f.add("%s: may write no traces", role)
		}
	}
	if got := fmt.Sprint(at(t.stage(), "TracingEnabled", "Fn::If")); got != fmt.Sprint([]any{"Traced", true, false}) {
		f.add("Api: is traced %s", got)
	}
	return f
}

// stage is what SAM makes the API's stage of, or the stage.
func (t template) stage() tree {
	for _, id := range t.of("AWS::Serverless::Api", "AWS::ApiGateway::Stage") {
		return t.props(id)
	}
	return nil
}

// loggedOfRequests is all that the API's log may say: nothing that a caller
// wrote, and no address.
var loggedOfRequests = []string{
	"context.error.responseType", "context.httpMethod", "context.integration.latency", "context.integration.requestId", "context.integration.status",
	"context.requestId", "context.requestTimeEpoch", "context.resourcePath", "context.responseLatency", "context.responseLength",
	"context.status", "context.waf.status", "context.xrayTraceId",
}

var loggedVariable = regexp.MustCompile(`\$([A-Za-z.]+)`)

// checkAccessLog: none unless asked for; JSON, without personal data, to a group
// that forgets; and the account's setting is touched only where that was asked
// for in so many words, and never taken back.
func checkAccessLog(t template) (f faults) {
	if got := render(at(tree(t), "Parameters", "AccessLog", "Default")); got != "off" {
		f.add("AccessLog: is %q unless asked for", got)
	}
	choice := listAt(t.stage(), "AccessLogSetting", "Fn::If")
	if len(choice) != 3 || render(choice[0]) != "AccessLogged" || render(choice[2]) != "${AWS::NoValue}" {
		f.add("Api: logs %v, want a log where AccessLog asks for one", choice)
		return f
	}
	format := textAt(choice[1], "Format")
	if !json.Valid([]byte(loggedVariable.ReplaceAllString(format, "1"))) {
		f.add("Api: its lines are no JSON: %s", format)
	}
	for _, name := range loggedVariable.FindAllStringSubmatch(format, -1) {
		if !slices.Contains(loggedOfRequests, name[1]) {
			f.add("Api: its log tells %s", name[1])
		}
	}
	for _, id := range []string{"api_request_id", "aws_request_id", "trace_id"} {
		if !strings.Contains(format, `"`+id+`":`) {
			f.add("Api: no %s leads from a line to the function's", id)
		}
	}
	if got := render(at(choice[1], "DestinationArn")); !strings.HasSuffix(got, ":log-group:${ApiLogGroup}") {
		f.add("Api: logs to %s", got)
	}
	for id, condition := range map[string]string{"ApiLogGroup": "AccessLogged", "ApiLogRole": "ApiMayLog", "ApiLogAccount": "ApiMayLog"} {
		if got := textAt(tree(t), "Resources", id, "Condition"); got != condition {
			f.add("%s: made when %q, want %s", id, got, condition)
		}
	}
	for _, id := range []string{"ApiLogRole", "ApiLogAccount"} {
		f = append(f, t.checkKept(id)...)
	}
	if got := render(at(tree(t), "Conditions", "ApiMayLog", "Fn::Equals", 1)); got == "on" || !slices.Contains(listAt(tree(t), "Parameters", "AccessLog", "AllowedValues"), any(got)) {
		f.add("AccessLog: the account is set when it is %q", got)
	}
	if got := fmt.Sprint(at(t.stage(), "Variables", "LogsAs", "Fn::If")); got != fmt.Sprint([]any{"ApiMayLog", tree{"Ref": "ApiLogAccount"}, "account"}) {
		f.add("Api: does not wait for the account's setting, but for %s", got)
	}
	if got := render(t.props("ApiLogAccount")["CloudWatchRoleArn"]); got != "${ApiLogRole.Arn}" {
		f.add("ApiLogAccount: names %s", got)
	}
	return f
}

var observationFaults = []seeded{
	{"traces unasked", "tracing", `is "on" unless`, set("on", "Parameters", "Tracing", "Default")},
	{"a function always traced", "tracing", "AgentFunction: is traced", set("Active", in("AgentFunction", "Tracing")...)},
	{"a function never traced", "tracing", "AgentFunction: is traced", set(nil, "Globals", "Function", "Tracing")},
	{"a role that may not trace", "tracing", "SweeperRole: may write no traces", onTraces("SweeperRole", func(choice []any) any { return choice[2] })},
	{"traces always allowed", "roles", "xray:PutTraceSegments is not one", onTraces("AgentRole", func(choice []any) any { return choice[1] })},
	{"more than traces", "roles", "AgentRole", onTraces("AgentRole", func(choice []any) any {
		choice[1].(tree)["Action"] = []any{"xray:*"}
		return tree{"Fn::If": choice}
	})},
	{"an API that is never traced", "tracing", "Api: is traced", set(nil, in("Api", "TracingEnabled")...)},
	{"requests logged unasked", "access log", `is "on" unless`, set("on", "Parameters", "AccessLog", "Default")},
	{"requests always logged", "access log", "want a log where", set(tree{"Format": "{}"}, in("Api", "AccessLogSetting")...)},
	{"the buyer's address logged", "access log", "tells context.identity.sourceIp", set(`{"ip":"$context.identity.sourceIp"}`, in("Api", "AccessLogSetting", "Fn::If", 1, "Format")...)},
	{"the path as it was asked for", "access log", "tells context.path", set(`{"path":"$context.path"}`, in("Api", "AccessLogSetting", "Fn::If", 1, "Format")...)},
	{"lines that are no JSON", "access log", "no JSON", set(`$context.requestId $context.status`, in("Api", "AccessLogSetting", "Fn::If", 1, "Format")...)},
	{"lines that lead nowhere", "access log", "no aws_request_id", set(`{"api_request_id":"$context.requestId"}`, in("Api", "AccessLogSetting", "Fn::If", 1, "Format")...)},
	{"a log for ever", "logs", "ApiLogGroup: kept for ever", set(nil, in("ApiLogGroup", "RetentionInDays")...)},
	{"the account set with every log", "access log", "ApiLogAccount: made when", set("AccessLogged", "Resources", "ApiLogAccount", "Condition")},
	{"the account's role taken from other stacks", "access log", "ApiLogRole: DeletionPolicy", set("Delete", "Resources", "ApiLogRole", "DeletionPolicy")},
	{"the account set when nobody asked", "access log", `the account is set when it is "on"`, set("on", "Conditions", "ApiMayLog", "Fn::Equals", 1)},
	{"a stage that logs before it may", "access log", "does not wait", set(nil, in("Api", "Variables")...)},
	{"nobody hears that a lead waits", "alarms", "no alarm on DealerAgent UndeliveredLeadAge ${LeadWorkerFunction}", set(nil, "Resources", "LeadWaitsAlarm")},
	{"a lead that waits forgotten between tries", "alarms", "is over while the lead still waits", set(300.0, in("LeadWaitsAlarm", "Period")...)},
	{"nobody hears that a lead is not queued", "alarms", "no alarm on DealerAgent UndeliveredLeadAge ${SweeperFunction}", set(ref("AgentFunction"), in("OutboxWaitsAlarm", "Dimensions", 0, "Value")...)},
	{"an old export unnoticed", "alarms", "no alarm on DealerAgent IndexAge", set("IndexAges", in("InventoryOldAlarm", "MetricName")...)},
	{"the API's failures unnoticed", "alarms", "no alarm on AWS/ApiGateway 5XXError", set(nil, "Resources", "ApiErrorsAlarm")},
	{"internal errors unnoticed", "alarms", `McpFunction: nothing counts the line "internal error"`, set(nil, "Resources", "McpInternalFilter")},
	{"an alarm that never ends", "alarms", "nobody hears when it is over", set(nil, in("ApiErrorsAlarm", "OKActions")...)},
	{"a function's throttles unnoticed", "alarms", "no alarm on AWS/Lambda Throttles ${SweeperFunction}", set(nil, "Resources", "SweeperThrottlesAlarm")},
	{"a lead's states not shown", "dashboard", "does not show", func(t tree) {
		body := textAt(t, in("Dashboard", "DashboardBody", "Fn::Sub")...)
		set(strings.ReplaceAll(body, "Function,State", "Function,Status"), in("Dashboard", "DashboardBody", "Fn::Sub")...)(t)
	}},
}

// onTraces puts another statement in place of a role's last.
func onTraces(role string, change func(choice []any) any) func(tree) {
	return func(t tree) {
		statements := at(t, in(role, "Policies", 0, "PolicyDocument", "Statement")...).([]any)
		statements[len(statements)-1] = change(listAt(statements[len(statements)-1], "Fn::If"))
	}
}
