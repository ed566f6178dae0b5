package stack

import (
	"encoding/json"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// checkRateRule: where it is asked for, one rule counts each buyer's requests,
// behind either front door, and refuses nothing else.
func checkRateRule(t template) (f faults) {
	for _, id := range []string{"RateLimit", "RateLimitAssociation"} {
		if got := textAt(tree(t), "Resources", id, "Condition"); got != "RateRule" {
			f.add("%s: is made and paid for when %q", id, got)
		}
	}
	p := t.props("RateLimit")
	if p["Scope"] != "REGIONAL" || at(p, "DefaultAction", "Allow") == nil || len(listAt(p, "Rules")) != 1 || at(p, "Rules", 0, "Action", "Block") == nil {
		f.add("RateLimit: refuses more or less than too many requests")
	}
	counted := listAt(p, "Rules", 0, "Statement", "RateBasedStatement", "Fn::If")
	if len(counted) != 3 || counted[0] != "CloudFrontDoor" {
		f.add("RateLimit: does not know the front door")
		return f
	}
	viewer := `[{"Header":{"Name":"` + strings.ToLower(cloud.ViewerHeader) + `","TextTransformations":[{"Priority":0,"Type":"NONE"}]}}]`
	if raw, _ := json.Marshal(at(counted[1], "CustomKeys")); at(counted[1], "AggregateKeyType") != "CUSTOM_KEYS" || string(raw) != viewer {
		f.add("RateLimit: behind CloudFront counts by %s, not by the buyer", raw)
	}
	if at(counted[2], "AggregateKeyType") != "IP" || at(counted[2], "CustomKeys") != nil {
		f.add("RateLimit: without CloudFront believes what buyers write")
	}
	for _, one := range counted[1:] {
		if render(at(one, "Limit")) != "${MostPerAddress}" || numAt(one, "EvaluationWindowSec") != float64(refusals["WAF_FILTERED"].wait) {
			f.add("RateLimit: counts %v in %v seconds, and Retry-After says %d", render(at(one, "Limit")), numAt(one, "EvaluationWindowSec"), refusals["WAF_FILTERED"].wait)
		}
	}
	bound := t.props("RateLimitAssociation")
	if render(bound["WebACLArn"]) != "${RateLimit.Arn}" || !strings.Contains(render(bound["ResourceArn"]), "::/restapis/${Api}/stages/${") {
		f.add("RateLimitAssociation: nothing is limited: %s", render(bound["ResourceArn"]))
	}
	return f
}

// counting is a path into what the rate rule counts.
func counting(n int, more ...any) []any {
	return append(in("RateLimit", "Rules", 0, "Statement", "RateBasedStatement", "Fn::If", n), more...)
}

var rateFaults = []seeded{
	{"paid for by everybody", "rate rule", "is made and paid for", set(nil, "Resources", "RateLimit", "Condition")},
	{"a rule that only counts", "rate rule", "more or less", set(tree{"Count": tree{}}, in("RateLimit", "Rules", 0, "Action")...)},
	{"everybody refused", "rate rule", "more or less", set(tree{"Block": tree{}}, in("RateLimit", "DefaultAction")...)},
	{"CloudFront taken for one buyer", "rate rule", "not by the buyer", set("IP", counting(1, "AggregateKeyType")...)},
	{"a header that buyers write", "rate rule", "not by the buyer", set("x-forwarded-for", counting(1, "CustomKeys", 0, "Header", "Name")...)},
	{"a header without CloudFront", "rate rule", "believes what buyers write", set("CUSTOM_KEYS", counting(2, "AggregateKeyType")...)},
	{"a longer window than is told", "rate rule", "Retry-After says 60", set(300.0, counting(2, "EvaluationWindowSec")...)},
	{"another API's stage", "rate rule", "nothing is limited", set("arn:aws:apigateway:us-east-1::/restapis/other/stages/live", in("RateLimitAssociation", "ResourceArn")...)},
}
