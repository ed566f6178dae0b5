package stack

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// checkParameters: whoever deploys is asked for little, in groups, with
// defaults and explanations, and for nothing that has no effect.
func checkParameters(t template) (f faults) {
	face := treeAt(tree(t), "Metadata", "AWS::CloudFormation::Interface")
	var grouped []string
	for _, group := range listAt(face, "ParameterGroups") {
		if textAt(group, "Label", "default") == "" {
			f.add("a group of parameters has no label")
		}
		for _, name := range listAt(group, "Parameters") {
			grouped = append(grouped, render(name))
		}
	}
	slices.Sort(grouped)
	names := sorted(treeAt(tree(t), "Parameters"))
	if !slices.Equal(grouped, names) {
		f.add("parameters %v, in groups %v", names, grouped)
	}
	rest := tree{"Resources": t["Resources"], "Globals": t["Globals"], "Conditions": t["Conditions"], otherwise: t[otherwise]}
	raw, err := json.Marshal(rest)
	if err != nil {
		f.add("%v", err)
	}
	for _, name := range names {
		p := treeAt(tree(t), "Parameters", name)
		if len(textAt(p, "Description")) < 30 || textAt(face, "ParameterLabels", name, "default") == "" {
			f.add("%s: not described or not labelled", name)
		}
		if p["Default"] == nil {
			f.add("%s: has no default", name)
		}
		if pattern := textAt(p, "AllowedPattern"); pattern != "" {
			expression, err := regexp.Compile(pattern)
			if err != nil || !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") || !expression.MatchString(render(p["Default"])) {
				f.add("%s: pattern %s does not fit the whole default: %v", name, pattern, err)
			}
		}
		if !strings.Contains(string(raw), `{"Ref":"`+name+`"}`) && !strings.Contains(string(raw), "${"+name+"}") {
			f.add("%s: has no effect", name)
		}
	}
	if pattern, err := regexp.Compile(textAt(tree(t), "Parameters", "ProfileKey", "AllowedPattern")); err != nil || pattern.MatchString(".well-known/dealer.yaml") {
		f.add("ProfileKey: the profile may lie among the published files: %v", err)
	}
	return f
}

// checkOutputs: the next steps are told with commands that do what they say.
func checkOutputs(t template) (f faults) {
	outputs := treeAt(tree(t), "Outputs")
	commands := map[string]string{}
	for _, id := range sorted(outputs) {
		if len(textAt(outputs, id, "Description")) < 20 {
			f.add("%s: not described", id)
		}
		commands[id] = render(at(outputs, id, "Value"))
		for _, one := range listAt(outputs, id, "Value", "Fn::If") {
			commands[id] += "\n" + render(one)
		}
	}
	says := func(id string, parts ...string) {
		for _, part := range parts {
			if !strings.Contains(commands[id], part) {
				f.add("%s: %q lacks %q", id, commands[id], part)
			}
		}
	}
	says("Step2UploadProfile", "aws s3 cp dealer.yaml s3://${SiteBucket}/${ProfileKey}")
	prefix := textAt(t.props("FeedBucket"), "NotificationConfiguration", "LambdaConfigurations", 0, "Filter", "S3Key", "Rules", 0, "Value")
	says("Step4UploadInventory", "s3://${FeedBucket}/"+prefix)
	says("Step5ReadReport", "s3://${FeedBucket}/"+t.reportPrefix()+prefix+"inventory.csv.json")
	says("Address", "https://${Distribution.DomainName}", "https://${DomainName}")
	says("Step1PointName", "${CustomDomainName.RegionalDomainName}")
	says("Step3ReadCard", "curl -i https://${Distribution.DomainName}"+wellknown.CardPath, "curl -i https://${DomainName}"+wellknown.CardPath)
	says("FindErrorID", "${AgentLogGroup}", "${McpLogGroup}", `"ERROR_ID"`)
	says("RetryDeadLetters", "${LeadDeadLetters.Arn}")
	if got := textAt(outputs, "Step1PointName", "Condition"); got != "CustomDomain" {
		f.add("Step1PointName: told when %q", got)
	}
	for _, word := range []string{"CloudFront", "host name", "url"} {
		if !strings.Contains(textAt(tree(t), "Description"), word) {
			f.add("Description does not speak of the front door's %s", word)
		}
	}
	return f
}
