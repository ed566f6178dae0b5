package built_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

// resolver knows one queue and a few parameters.
func resolver(t *testing.T) *built.Resolver {
	t.Helper()
	template := decoded(t, `{"Conditions": {"Yes": {"Fn::Equals": [{"Ref": "Level"}, "info"]}, "No": {"Fn::Not": [{"Condition": "Yes"}]},
		"Both": {"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]}, "Either": {"Fn::Or": [{"Condition": "No"}, {"Condition": "Yes"}]}},
		"Mappings": {"Sizes": {"small": {"Memory": 128}}}}`)
	return &built.Resolver{
		Template: template.(map[string]any), Parameters: map[string]any{"Level": "info", "Names": []any{"a", "b"}},
		Pseudo: map[string]any{"AWS::Region": "us-east-1"},
		Made: func(id string) (built.Resource, error) {
			if id != "Queue" {
				return built.Resource{}, fmt.Errorf("%w: %s", errAbsent, id)
			}
			return built.Resource{Ref: "https://queue", Attributes: map[string]string{"Arn": "arn:queue"}}, nil
		},
	}
}

var errAbsent = errors.New("absent")

func decoded(t *testing.T, source string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(source), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestIntrinsicFunctionsBecomeWhatCloudFormationMakesOfThem(t *testing.T) {
	for source, want := range map[string]string{
		`{"Ref": "Level"}`:                              `"info"`,
		`{"Ref": "AWS::Region"}`:                        `"us-east-1"`,
		`{"Ref": "Queue"}`:                              `"https://queue"`,
		`{"Fn::GetAtt": ["Queue", "Arn"]}`:              `"arn:queue"`,
		`{"Fn::GetAtt": "Queue.Arn"}`:                   `"arn:queue"`,
		`{"Fn::Sub": "${Queue}/${Queue.Arn}/${!Kept}"}`: `"https://queue/arn:queue/${Kept}"`,
		`{"Fn::Sub": ["${Own}-${Level}", {"Own": {"Ref": "AWS::Region"}}]}`: `"us-east-1-info"`,
		`{"Fn::Join": ["-", ["a", {"Ref": "Level"}, 3]]}`:                   `"a-info-3"`,
		`{"Fn::Join": [",", {"Ref": "Names"}]}`:                             `"a,b"`,
		`{"Fn::Select": [2, {"Fn::Split": ["/", "a/b/c"]}]}`:                `"c"`,
		`{"Fn::If": ["Yes", 1, 2]}`:                                         `1`,
		`{"Fn::If": ["No", 1, {"Ref": "Level"}]}`:                           `"info"`,
		`{"Fn::If": ["Both", 1, 2]}`:                                        `2`,
		`{"Fn::If": ["Either", 1, 2]}`:                                      `1`,
		`{"A": 1, "B": {"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]}}`:     `{"A": 1}`,
		`[1, {"Ref": "AWS::NoValue"}, {"Ref": "Level"}]`:                    `[1, "info"]`,
		`{"Fn::FindInMap": ["Sizes", "small", "Memory"]}`:                   `128`,
		`{"Condition": {"Bool": {"aws:SecureTransport": "false"}}}`:         `{"Condition": {"Bool": {"aws:SecureTransport": "false"}}}`,
	} {
		got, err := resolver(t).Resolve(decoded(t, source))
		if diff := cmp.Diff(decoded(t, want), got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", source, err, diff)
		}
	}
}

func TestWhatCannotBeResolvedIsNamed(t *testing.T) {
	for source, want := range map[string]string{
		`{"Ref": "Nothing"}`:                            "Nothing",
		`{"Fn::GetAtt": ["Queue", "Colour"]}`:           "Queue.Colour",
		`{"Fn::Sub": "${Nothing.Arn}"}`:                 "Nothing",
		`{"Fn::If": ["Perhaps", 1, 2]}`:                 "Perhaps",
		`{"Fn::Select": [5, ["a"]]}`:                    "no part 5",
		`{"Fn::Cidr": ["10.0.0.0/16", 2, 8]}`:           "Fn::Cidr",
		`{"Fn::FindInMap": ["Sizes", "big", "Memory"]}`: "big",
	} {
		if got, err := resolver(t).Resolve(decoded(t, source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v, want an error about %s", source, got, err, want)
		}
	}
	if _, err := resolver(t).Resolve(decoded(t, `{"Ref": "Nothing"}`)); !errors.Is(err, errAbsent) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestParametersAreHeldToTheirPatterns(t *testing.T) {
	template := decoded(t, `{"Parameters": {"Level": {"Type": "String", "Default": "info", "AllowedPattern": "[a-z]+", "ConstraintDescription": "letters"},
		"Most": {"Type": "Number", "Default": 5}, "Must": {"Type": "String"}}}`).(map[string]any)
	got, err := built.ParametersOf(template, map[string]string{"Must": "x"})
	if diff := cmp.Diff(map[string]any{"Level": "info", "Most": "5", "Must": "x"}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, given := range []map[string]string{{}, {"Must": "x", "Level": "INFO"}, {"Must": "x", "Other": "y"}} {
		if got, err := built.ParametersOf(template, given); err == nil {
			t.Errorf("%v is taken: %v", given, got)
		}
	}
}

func TestATemplateForThisMachineKeepsAllButProcessorAndVariables(t *testing.T) {
	source := "Globals:\n  Function:\n    Architectures: [arm64]\n    Environment:\n      Variables: {A: !Ref B}\nResources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: {CodeUri: F}\n"
	got, err := built.ForMachine([]byte(source), "x86_64", map[string]string{"AWS_ENDPOINT_URL": ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Architectures: [x86_64]", `{A: !Ref B, AWS_ENDPOINT_URL: ""}`, "{CodeUri: F}"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, bad := range []string{"", "Globals: {Function: {Architectures: [arm64]}}", "Globals: {Function: {Environment: {Variables: {}}}}", "["} {
		if _, err := built.ForMachine([]byte(bad), "x86_64", nil); err == nil {
			t.Errorf("%q is taken for a template", bad)
		}
	}
}
