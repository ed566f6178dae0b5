// Package stack holds the tests of template.yaml: that the deployed parts fit
// the code, that no role may more than its function does, and that state is
// kept safe. Every check also proves, on templates with a seeded fault, that it
// can fail.
package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/built"
	"go.yaml.in/yaml/v3"
)

// templateFile and the others lie at the top of the repository.
const (
	templateFile = "../../template.yaml"
	makefile     = "../../Makefile"
	functionsDir = "../../functions"
)

type tree = map[string]any

// template is a SAM template, or the CloudFormation it becomes, in JSON's types
// and with intrinsic functions in their long form.
type template tree

// readTemplate reads the template as it is where a stack serves one dealer.
func readTemplate(t testing.TB) template {
	t.Helper()
	return readWhole(t).inMode(false)
}

// readPooled reads it as it is where a stack serves many.
func readPooled(t testing.TB) template {
	t.Helper()
	return readWhole(t).inMode(true)
}

func readWhole(t testing.TB) template {
	t.Helper()
	source, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func parse(source []byte) (template, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, errors.New("the template is empty")
	}
	value, err := convert(document.Content[0])
	if err != nil {
		return nil, err
	}
	return copyOf(value)
}

// copyOf makes a deep copy in JSON's types.
func copyOf(value any) (out template, err error) {
	raw, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// shortForms are CloudFormation's YAML tags.
var shortForms = map[string]string{
	"!Ref": "Ref", "!Condition": "Condition", "!GetAtt": "Fn::GetAtt", "!Sub": "Fn::Sub", "!If": "Fn::If", "!Not": "Fn::Not",
	"!And": "Fn::And", "!Or": "Fn::Or", "!Equals": "Fn::Equals", "!Join": "Fn::Join", "!Select": "Fn::Select", "!Split": "Fn::Split",
	"!FindInMap": "Fn::FindInMap", "!Base64": "Fn::Base64", "!Cidr": "Fn::Cidr", "!GetAZs": "Fn::GetAZs", "!ImportValue": "Fn::ImportValue",
}

func convert(n *yaml.Node) (any, error) {
	if n.Kind == yaml.AliasNode {
		return convert(n.Alias)
	}
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		name, known := shortForms[n.Tag]
		if !known {
			return nil, fmt.Errorf("line %d: unknown tag %s", n.Line, n.Tag)
		}
		plain := *n
		if plain.Tag = ""; n.Kind == yaml.ScalarNode {
			plain.Tag = "!!str"
		}
		value, err := convert(&plain)
		if text, ok := value.(string); ok && name == "Fn::GetAtt" {
			resource, attribute, _ := strings.Cut(text, ".")
			value = []any{resource, attribute}
		}
		return tree{name: value}, err
	}
	switch n.Kind {
	case yaml.MappingNode:
		return convertMapping(n)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if out[i], err = convert(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	var out any
	err := n.Decode(&out)
	return out, err
}

func convertMapping(n *yaml.Node) (tree, error) {
	out, seen := tree{}, map[string]bool{}
	merged := tree{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		value, err := convert(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		if key.Tag == "!!merge" {
			other, ok := value.(tree)
			if !ok {
				return nil, fmt.Errorf("line %d: << merges a mapping", key.Line)
			}
			maps.Copy(merged, other)
			continue
		}
		if seen[key.Value] {
			return nil, fmt.Errorf("line %d: %s stands twice", key.Line, key.Value)
		}
		seen[key.Value], out[key.Value] = true, value
	}
	for key, value := range merged {
		if !seen[key] {
			out[key] = value
		}
	}
	return out, nil
}

func at(value any, path ...any) any         { return built.At(value, path...) }
func treeAt(value any, path ...any) tree    { return built.TreeAt(value, path...) }
func listAt(value any, path ...any) []any   { return built.ListAt(value, path...) }
func list(value any) []any                  { return built.List(value) }
func textAt(value any, path ...any) string  { s, _ := at(value, path...).(string); return s }
func numAt(value any, path ...any) float64  { f, _ := at(value, path...).(float64); return f }
func flagAt(value any, path ...any) bool    { b, _ := at(value, path...).(bool); return b }
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
func (t template) props(id string) tree     { return treeAt(tree(t), "Resources", id, "Properties") }
func (t template) typeOf(id string) string  { return textAt(tree(t), "Resources", id, "Type") }
func (t template) isA(id, kind string) bool { return t.typeOf(id) == kind }
func (t template) of(kinds ...string) []string {
	var ids []string
	for _, id := range sorted(treeAt(tree(t), "Resources")) {
		if slices.Contains(kinds, t.typeOf(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (t template) functions() []string {
	return t.of("AWS::Serverless::Function", "AWS::Lambda::Function")
}

// function is the function's properties with what Globals adds.
func (t template) function(id string) tree {
	out := maps.Clone(treeAt(tree(t), "Globals", "Function"))
	if out == nil {
		out = tree{}
	}
	environment := maps.Clone(treeAt(out, "Environment", "Variables"))
	maps.Copy(out, t.props(id))
	if own := treeAt(out, "Environment", "Variables"); environment != nil {
		maps.Copy(environment, own)
		out["Environment"] = tree{"Variables": environment}
	}
	return out
}

// folderOf is the folder of functions/ whose code the function runs.
func folderOf(id string) string { return strings.ToLower(strings.TrimSuffix(id, "Function")) }

var subVariable = regexp.MustCompile(`\$\{([^!}]+)\}`)

// render writes a value as text: references as ${Name} or ${Name.Attribute}.
func render(value any) string {
	m, ok := value.(tree)
	if !ok {
		if text, ok := value.(string); ok {
			return text
		}
		return fmt.Sprint(value)
	}
	if name, ok := m["Ref"].(string); ok {
		return "${" + name + "}"
	}
	if attribute := listAt(m, "Fn::GetAtt"); attribute != nil {
		return "${" + render(at(attribute, 0)) + "." + render(at(attribute, 1)) + "}"
	}
	switch sub := m["Fn::Sub"].(type) {
	case string:
		return sub
	case []any:
		return subVariable.ReplaceAllStringFunc(textAt(sub, 0), func(variable string) string {
			if value, ok := treeAt(sub, 1)[strings.Trim(variable, "${}")]; ok {
				return render(value)
			}
			return variable
		})
	}
	if pick := listAt(m, "Fn::Select"); pick != nil {
		return fmt.Sprintf("${part %s of %s}", render(at(pick, 0)), render(at(pick, 1, "Fn::Split", 1)))
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// faults collects what a check finds.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

func TestTheTemplateKeepsEveryRule(t *testing.T) {
	parsed := readTemplate(t)
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			for _, fault := range c.find(parsed) {
				t.Error(fault)
			}
		})
	}
}

func TestParsingRefusesWhatCloudFormationWould(t *testing.T) {
	for _, source := range []string{"", "A: 1\nA: 2", "A: !Reference B", "A: ["} {
		if _, err := parse([]byte(source)); err == nil {
			t.Errorf("%q is taken for a template", source)
		}
	}
	got, err := parse([]byte("A: &a {X: 1, Y: 2}\nB: {<<: *a, Y: 3}\nC: !GetAtt D.E.F\nG: !If [H, !Ref I, !Sub '${J}']"))
	want := `{"A":{"X":1,"Y":2},"B":{"X":1,"Y":3},"C":{"Fn::GetAtt":["D","E.F"]},"G":{"Fn::If":["H",{"Ref":"I"},{"Fn::Sub":"${J}"}]}}`
	if raw, _ := json.Marshal(got); err != nil || string(raw) != want {
		t.Errorf("got %s %v, want %s", raw, err, want)
	}
}
