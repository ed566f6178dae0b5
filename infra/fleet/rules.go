package fleet

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// rule is one of a template's rules: where the condition holds, every assertion must.
type rule struct {
	name      string
	condition any
	asserts   []assertion
}

type assertion struct {
	holds any
	says  string
}

func readRule(name string, m map[string]any) rule {
	r := rule{name: name, condition: m["RuleCondition"]}
	list, _ := m["Assertions"].([]any)
	for _, a := range list {
		r.asserts = append(r.asserts, assertion{asMap(a)["Assert"], text(asMap(a)["AssertDescription"])})
	}
	return r
}

// broken tells what the assertions that do not hold say. A function that only
// CloudFormation can evaluate holds.
func (t *Template) broken(values map[string]string) []string {
	e := evaluation{values: values, conditions: t.conditions}
	var said []string
	for _, r := range t.rules {
		if r.condition != nil && !e.holds(r.condition, 0) {
			continue
		}
		for _, a := range r.asserts {
			if !e.holds(a.holds, 0) {
				if a.says == "" {
					a.says = "rule " + r.name + " of the template does not hold"
				}
				said = append(said, a.says)
			}
		}
	}
	return said
}

// evaluation computes conditions on the values of parameters.
type evaluation struct {
	values     map[string]string
	conditions map[string]any
}

// deepest is more nesting than CloudFormation takes, so that a condition that
// names itself ends.
const deepest = 50

func (e evaluation) holds(v any, depth int) bool {
	m := asMap(v)
	if len(m) != 1 || depth > deepest {
		return true
	}
	for name, arg := range m {
		list, _ := arg.([]any)
		switch name {
		case "Condition":
			return e.holds(e.conditions[text(arg)], depth+1)
		case "Fn::Equals":
			return len(list) != 2 || e.value(list[0]) == e.value(list[1])
		case "Fn::Not":
			return len(list) != 1 || !e.holds(list[0], depth+1)
		case "Fn::And":
			return !slices.ContainsFunc(list, func(v any) bool { return !e.holds(v, depth+1) })
		case "Fn::Or":
			return slices.ContainsFunc(list, func(v any) bool { return e.holds(v, depth+1) })
		case "Fn::Contains":
			if len(list) != 2 {
				return true
			}
			among, _ := list[0].([]any)
			return slices.ContainsFunc(among, func(v any) bool { return e.value(v) == e.value(list[1]) })
		}
	}
	return true
}

func (e evaluation) value(v any) string {
	if ref, ok := asMap(v)["Ref"]; ok {
		return e.values[text(ref)]
	}
	return text(v)
}

// short are the tags of CloudFormation's YAML that rules and conditions use.
var short = map[string]string{"!Ref": "Ref", "!Condition": "Condition", "!Equals": "Fn::Equals", "!Not": "Fn::Not", "!And": "Fn::And", "!Or": "Fn::Or", "!Contains": "Fn::Contains"}

// plain makes maps, lists and texts of a node; short tags become functions.
func plain(n *yaml.Node) any {
	var v any
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.AliasNode:
		return plain(n.Alias)
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		v = m
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plain(c))
		}
		v = list
	default:
		v = n.Value
	}
	if name, ok := short[n.Tag]; ok {
		return map[string]any{name: v}
	}
	return v
}

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

func text(v any) string { s, _ := v.(string); return s }

func number(v any) *float64 {
	n, err := strconv.ParseFloat(text(v), 64)
	if err != nil {
		return nil
	}
	return &n
}

// members walks a map in the order of its names.
func members(v any) iter.Seq2[string, any] {
	m := asMap(v)
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}
