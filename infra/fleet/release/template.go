package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dealer-agent/dealer/infra/fleet"
)

// template is a translation, kept as it is but for the code.
type template struct{ body map[string]any }

func readTranslation(body []byte) (*template, error) {
	t := &template{}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&t.body); err != nil {
		return nil, fmt.Errorf("the translation cannot be read: %w", err)
	}
	return t, nil
}

func (t *template) resources() map[string]any { m, _ := t.body["Resources"].(map[string]any); return m }

// functions are the logical names of all functions, in their order.
func (t *template) functions() []string {
	var ids []string
	for id, v := range t.resources() {
		if r, _ := v.(map[string]any); r["Type"] == "AWS::Lambda::Function" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// released is the template with the code of each function below a bucket and
// prefix that are parameters.
func (t *template) released(keys map[string]string) ([]byte, error) {
	for id, name := range keys {
		function := t.resources()[id].(map[string]any)
		properties, ok := function["Properties"].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s has no properties", id)
		}
		properties["Code"] = map[string]any{"S3Bucket": map[string]any{"Ref": fleet.CodeBucket}, "S3Key": map[string]any{"Fn::Sub": "${" + fleet.CodePrefix + "}/" + name}}
	}
	parameters, _ := t.body["Parameters"].(map[string]any)
	if parameters == nil {
		parameters = map[string]any{}
		t.body["Parameters"] = parameters
	}
	maps.Copy(parameters, map[string]any{
		fleet.CodeBucket: map[string]any{
			"Type": "String", "AllowedPattern": "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", "ConstraintDescription": "the name of a bucket",
			"Description": "Bucket with the code of the functions, in this stack's region. Its policy lets this account read it.",
		},
		fleet.CodePrefix: map[string]any{
			"Type": "String", "Default": "dealer", "AllowedPattern": "^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$", "ConstraintDescription": "words with slashes between them, such as dealer",
			"Description": "What the keys of the code begin with, without a slash at the end.",
		},
	})
	group := map[string]any{"Label": map[string]any{"default": "Code"}, "Parameters": []any{fleet.CodeBucket, fleet.CodePrefix}}
	if metadata, ok := t.body["Metadata"].(map[string]any); ok {
		if face, ok := metadata["AWS::CloudFormation::Interface"].(map[string]any); ok {
			groups, _ := face["ParameterGroups"].([]any)
			face["ParameterGroups"] = append(groups, group)
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t.body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
