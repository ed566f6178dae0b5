package stack

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/dealer"
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
	rest := tree{"Resources": t["Resources"], "Globals": t["Globals"], "Conditions": t["Conditions"]}
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
	}
	says := func(id string, parts ...string) {
		for _, part := range parts {
			if !strings.Contains(commands[id], part) {
				f.add("%s: %q lacks %q", id, commands[id], part)
			}
		}
	}
	says("Step1FrontDoor", "${Api}.execute-api.${AWS::Region}.")
	says("Step2UploadProfile", "aws s3 cp dealer.yaml s3://${SiteBucket}/${ProfileKey}")
	prefix := textAt(t.props("FeedBucket"), "NotificationConfiguration", "LambdaConfigurations", 0, "Filter", "S3Key", "Rules", 0, "Value")
	says("Step4UploadInventory", "s3://${FeedBucket}/"+prefix)
	says("Step5ReadReport", "s3://${FeedBucket}/"+t.reportPrefix()+prefix+"inventory.csv.json")
	says("Step6ReadCard", "/live"+wellknown.CardPath)
	says("RetryDeadLetters", "${LeadDeadLetters.Arn}")
	says("Step3PublishFiles", "dealer publish --profile dealer.yaml --dir public", "public/.well-known s3://${SiteBucket}/.well-known", "--recursive")
	p, err := dealer.Parse(append(sample.Profile(), "\nurl: https://agent.example.com\nversions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]\n"...))
	if err != nil {
		f.add("%v", err)
		return f
	}
	files, err := wellknown.Files(p)
	if err != nil || len(files) == 0 {
		f.add("nothing is published: %v", err)
	}
	for _, file := range files {
		kind := file.ContentType
		if strings.Contains(kind, " ") {
			kind = `"` + kind + `"`
		}
		says("Step3PublishFiles", "--content-type "+kind+" ", `--cache-control "`+file.CacheControl+`"`)
	}
	for _, told := range []struct{ where, text string }{
		{"Description", textAt(tree(t), "Description")}, {"Step1FrontDoor", textAt(outputs, "Step1FrontDoor", "Description")},
	} {
		for _, word := range []string{"stage", "CloudFront", "custom domain", "url"} {
			if !strings.Contains(told.text, word) {
				f.add("%s does not speak of the front door's %s", told.where, word)
			}
		}
	}
	return f
}
