package stack

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/cloud"
)

// Policies of CloudFront's own that are meant here (CloudFront Developer Guide,
// managed cache and origin request policies).
const (
	cachingDisabled     = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
	cachingOptimized    = "658327ea-f89d-4fab-a63d-7e88639e58f6"
	allViewerExceptHost = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
)

// doors are the resources of each front door, by the condition that makes them.
var doors = map[string][]string{
	"CloudFrontDoor": {"Distribution", "OriginSecret", "ViewerAddress"},
	"CustomDomain":   {"CustomDomainMapping", "CustomDomainName"},
}

// checkDoor: there is one front door, by the certificate given, and its root is
// the API's stage.
func checkDoor(t template) (f faults) {
	given := `{"Fn::Equals":[{"Ref":"CertificateArn"},""]}`
	for condition, want := range map[string]string{"CloudFrontDoor": given, "CustomDomain": `{"Fn::Not":[` + given + `]}`} {
		if raw, _ := json.Marshal(at(tree(t), "Conditions", condition)); string(raw) != want {
			f.add("%s holds when %s", condition, raw)
		}
		for _, id := range doors[condition] {
			if got := textAt(tree(t), "Resources", id, "Condition"); got != condition {
				f.add("%s is made when %q, want %s", id, got, condition)
			}
		}
	}
	f = append(f, checkDistribution(t)...)
	name, mapping := t.props("CustomDomainName"), t.props("CustomDomainMapping")
	if render(name["DomainName"]) != "${DomainName}" || render(name["RegionalCertificateArn"]) != "${CertificateArn}" ||
		render(at(name, "EndpointConfiguration", "Types", 0)) != "REGIONAL" || name["SecurityPolicy"] != "TLS_1_2" {
		f.add("CustomDomainName is %v", name)
	}
	if mapping["BasePath"] != nil {
		f.add("CustomDomainMapping: the card stands below %s, not at the root", render(mapping["BasePath"]))
	}
	if stage := render(mapping["Stage"]); render(mapping["DomainName"]) != "${CustomDomainName}" || render(mapping["RestApiId"]) != "${Api}" ||
		stage != "${Api.Stage}" && !t.isA(strings.Trim(stage, "${}"), "AWS::ApiGateway::Stage") {
		f.add("CustomDomainMapping is %v", mapping)
	}
	return f
}

// checkDistribution: CloudFront keeps published files and nothing else, hands on
// what callers send, and shows who it is and who they are.
func checkDistribution(t template) (f faults) {
	c := treeAt(t.props("Distribution"), "DistributionConfig")
	origin := treeAt(c, "Origins", 0)
	if len(listAt(c, "Origins")) != 1 || render(origin["DomainName"]) != "${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}" || origin["OriginPath"] != "/live" {
		f.add("Distribution: the origin is %s%v, want the API's stage", render(origin["DomainName"]), origin["OriginPath"])
	}
	if textAt(origin, "CustomOriginConfig", "OriginProtocolPolicy") != "https-only" || numAt(origin, "CustomOriginConfig", "OriginReadTimeout") < 29 {
		f.add("Distribution: asks the API by %v", origin["CustomOriginConfig"])
	}
	shown := treeAt(origin, "OriginCustomHeaders", 0)
	if len(listAt(origin, "OriginCustomHeaders")) != 1 || shown["HeaderName"] != cloud.OriginSecretHeader || !t.makesSecret(shown["HeaderValue"], "") {
		f.add("Distribution: shows %v, which the functions do not know", shown)
	}
	for _, id := range []string{"AgentFunction", "McpFunction"} {
		choice := listAt(t.function(id), "Environment", "Variables", "DEALER_ORIGIN_SECRET", "Fn::If")
		if len(choice) != 3 || choice[0] != "CloudFrontDoor" || render(choice[1]) != render(shown["HeaderValue"]) {
			f.add("%s: CloudFront can be passed by", id)
		}
	}
	calls := treeAt(c, "DefaultCacheBehavior")
	if calls["CachePolicyId"] != cachingDisabled || calls["OriginRequestPolicyId"] != allViewerExceptHost || calls["ViewerProtocolPolicy"] != "https-only" {
		f.add("Distribution: calls are kept, cut short or open: %v", calls)
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"} {
		if !slices.Contains(listAt(calls, "AllowedMethods"), any(method)) {
			f.add("Distribution: %s does not reach the functions", method)
		}
	}
	if told := treeAt(calls, "FunctionAssociations", 0); told["EventType"] != "viewer-request" || render(told["FunctionARN"]) != "${ViewerAddress.FunctionARN}" {
		f.add("Distribution: all buyers have one address")
	}
	if !strings.Contains(textAt(t.props("ViewerAddress"), "FunctionCode"), "'"+strings.ToLower(cloud.ViewerHeader)+"'") || !flagAt(t.props("ViewerAddress"), "AutoPublish") {
		f.add("ViewerAddress: tells no %s", cloud.ViewerHeader)
	}
	files := treeAt(c, "CacheBehaviors", 0)
	if len(listAt(c, "CacheBehaviors")) != 1 || files["PathPattern"] != "/.well-known/*" || files["CachePolicyId"] != cachingOptimized ||
		files["OriginRequestPolicyId"] != nil || files["ViewerProtocolPolicy"] != "redirect-to-https" || len(listAt(files, "AllowedMethods")) != 3 {
		f.add("Distribution: published files are served by %v", files)
	}
	for _, kept := range listAt(c, "CustomErrorResponses") {
		if numAt(kept, "ErrorCachingMinTTL") != 0 || at(kept, "ResponsePagePath") != nil {
			f.add("Distribution: keeps or replaces failures: %v", kept)
		}
	}
	return f
}

func TestTheBuyersAddressIsCloudFrontsWordAndNotTheBuyers(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		aaptest.Missing(t, "node")
	}
	code := textAt(readTemplate(t).props("ViewerAddress"), "FunctionCode")
	event := `{viewer: {ip: '198.51.100.9'}, request: {uri: '/a2a', headers: {'a2a-version': {value: '1.0'},
		'dealer-viewer': {value: '203.0.113.1', multiValue: [{value: '203.0.113.1'}, {value: '203.0.113.2'}]}}}}`
	out, err := exec.CommandContext(t.Context(), node, "-e", code+"\nconsole.log(JSON.stringify(handler("+event+")))").CombinedOutput()
	want := `{"uri":"/a2a","headers":{"a2a-version":{"value":"1.0"},"dealer-viewer":{"value":"198.51.100.9"}}}`
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
}

// distributed is a path into the distribution.
func distributed(more ...any) []any {
	return append(in("Distribution", "DistributionConfig"), more...)
}

var doorFaults = []seeded{
	{"the stage in the address", "door", "want the API's stage", set("", distributed("Origins", 0, "OriginPath")...)},
	{"the API asked in the clear", "door", "asks the API by", set("http-only", distributed("Origins", 0, "CustomOriginConfig", "OriginProtocolPolicy")...)},
	{"CloudFront gives up first", "door", "asks the API by", set(10.0, distributed("Origins", 0, "CustomOriginConfig", "OriginReadTimeout")...)},
	{"no secret", "door", "which the functions do not know", set(nil, distributed("Origins", 0, "OriginCustomHeaders")...)},
	{"another header", "door", "which the functions do not know", set("X-Secret", distributed("Origins", 0, "OriginCustomHeaders", 0, "HeaderName")...)},
	{"a secret in the open", "door", "which the functions do not know", set("0123456789abcdef0123456789abcdef", distributed("Origins", 0, "OriginCustomHeaders", 0, "HeaderValue")...)},
	{"a function that takes everybody", "door", "McpFunction: CloudFront can be passed by", set("none", in("McpFunction", "Environment", "Variables", "DEALER_ORIGIN_SECRET")...)},
	{"a secret that CloudFront does not have", "door", "AgentFunction: CloudFront can be passed by", set(sub("{{resolve:secretsmanager:${FormKey}}}"), in("AgentFunction", "Environment", "Variables", "DEALER_ORIGIN_SECRET", "Fn::If", 1)...)},
	{"a secret in the environment of both doors", "environment", "not a reference to a secret", set("0123456789abcdef0123456789abcdef", in("AgentFunction", "Environment", "Variables", "DEALER_ORIGIN_SECRET", "Fn::If", 2)...)},
	{"answers kept", "door", "calls are kept", set(cachingOptimized, distributed("DefaultCacheBehavior", "CachePolicyId")...)},
	{"tokens left out", "door", "cut short", set(nil, distributed("DefaultCacheBehavior", "OriginRequestPolicyId")...)},
	{"calls in the clear", "door", "or open", set("allow-all", distributed("DefaultCacheBehavior", "ViewerProtocolPolicy")...)},
	{"no POST", "door", "POST does not reach", set([]any{"GET", "HEAD"}, distributed("DefaultCacheBehavior", "AllowedMethods")...)},
	{"all buyers one", "door", "one address", set(nil, distributed("DefaultCacheBehavior", "FunctionAssociations")...)},
	{"an address nobody reads", "door", "tells no Dealer-Viewer", set("function handler(event) { return event.request; }", in("ViewerAddress", "FunctionCode")...)},
	{"an address that is a draft", "door", "tells no Dealer-Viewer", set(false, in("ViewerAddress", "AutoPublish")...)},
	{"the files not kept", "door", "published files are served", set(cachingDisabled, distributed("CacheBehaviors", 0, "CachePolicyId")...)},
	{"calls kept as files", "door", "published files are served", set("/*", distributed("CacheBehaviors", 0, "PathPattern")...)},
	{"failures kept", "door", "keeps or replaces failures", set(300.0, distributed("CustomErrorResponses", 0, "ErrorCachingMinTTL")...)},
	{"both doors", "door", "CustomDomainName is made when", set(nil, "Resources", "CustomDomainName", "Condition")},
	{"no door", "door", "CloudFrontDoor holds when", set(tree{"Fn::Equals": []any{"a", "b"}}, "Conditions", "CloudFrontDoor")},
	{"a base path", "door", "not at the root", set("v1", in("CustomDomainMapping", "BasePath")...)},
	{"old TLS", "door", "CustomDomainName is", set("TLS_1_0", in("CustomDomainName", "SecurityPolicy")...)},
	{"a name for another API", "door", "CustomDomainMapping is", set("other", in("CustomDomainMapping", "RestApiId")...)},
}
