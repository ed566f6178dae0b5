package samtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type tree = map[string]any

// at follows member names and list indexes; nil where there is nothing.
func at(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := value.(tree)
			value = m[step]
		case int:
			l, _ := value.([]any)
			if step >= len(l) {
				return nil
			}
			value = l[step]
		}
	}
	return value
}

func treeAt(value any, path ...any) tree    { m, _ := at(value, path...).(tree); return m }
func listAt(value any, path ...any) []any   { l, _ := at(value, path...).([]any); return l }
func textAt(value any, path ...any) string  { return text(at(value, path...)) }
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// text writes a scalar as CloudFormation does.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

// list takes one value for a list of one, as policies may.
func list(value any) []any {
	if l, ok := value.([]any); ok {
		return l
	}
	if value == nil {
		return nil
	}
	return []any{value}
}

// broken is the error of a template that cannot be resolved; it travels as a
// panic within the resolver and is returned at its edge.
type broken struct{ error }

func breakf(format string, args ...any) { panic(broken{fmt.Errorf(format, args...)}) }

// noValue takes a member away.
type noValue struct{}

// resolver carries out the intrinsic functions of a template.
type resolver struct {
	template   tree
	parameters map[string]any
	pseudo     map[string]any
	// made makes a resource when it is first asked for.
	made func(id string) resource
}

// resource is what CloudFormation knows of one that is made.
type resource struct {
	ref        string
	attributes map[string]string
}

// resolve returns the value without intrinsic functions.
func (r *resolver) resolve(value any) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			b, ok := p.(broken)
			if !ok {
				panic(p)
			}
			err = b.error
		}
	}()
	return r.value(value), nil
}

func (r *resolver) value(value any) any {
	switch v := value.(type) {
	case []any:
		out := []any{}
		for _, item := range v {
			if item = r.value(item); item != (noValue{}) {
				out = append(out, item)
			}
		}
		return out
	case tree:
		if len(v) == 1 {
			for name, argument := range v {
				if name == "Ref" || name == "Condition" && r.isCondition(argument) || strings.HasPrefix(name, "Fn::") {
					return r.call(name, argument)
				}
			}
		}
		out := tree{}
		for key, item := range v {
			if item = r.value(item); item != (noValue{}) {
				out[key] = item
			}
		}
		return out
	}
	return value
}

func (r *resolver) isCondition(argument any) bool {
	name, ok := argument.(string)
	return ok && at(r.template, "Conditions", name) != nil
}

func (r *resolver) call(name string, argument any) any {
	switch name {
	case "Ref":
		return r.ref(text(argument))
	case "Condition":
		return r.condition(text(argument))
	case "Fn::GetAtt":
		parts := list(argument)
		if len(parts) == 1 {
			id, attribute, _ := strings.Cut(text(parts[0]), ".")
			return r.attribute(id, attribute)
		}
		return r.attribute(text(parts[0]), text(r.value(parts[1])))
	case "Fn::Sub":
		return r.sub(argument)
	case "Fn::Join":
		var parts []string
		for _, part := range list(r.value(at(argument, 1))) {
			parts = append(parts, text(part))
		}
		return strings.Join(parts, text(at(argument, 0)))
	case "Fn::Select":
		index, _ := strconv.Atoi(text(r.value(at(argument, 0))))
		from := list(r.value(at(argument, 1)))
		if index < 0 || index >= len(from) {
			breakf("Fn::Select: no part %d of %v", index, from)
		}
		return from[index]
	case "Fn::Split":
		var parts []any
		for part := range strings.SplitSeq(text(r.value(at(argument, 1))), text(at(argument, 0))) {
			parts = append(parts, part)
		}
		return parts
	case "Fn::If":
		if r.condition(text(at(argument, 0))) {
			return r.value(at(argument, 1))
		}
		return r.value(at(argument, 2))
	case "Fn::Equals":
		return text(r.value(at(argument, 0))) == text(r.value(at(argument, 1)))
	case "Fn::Not":
		return !r.holds(at(argument, 0))
	case "Fn::And":
		return !slices.ContainsFunc(list(argument), func(c any) bool { return !r.holds(c) })
	case "Fn::Or":
		return slices.ContainsFunc(list(argument), r.holds)
	case "Fn::FindInMap":
		top, second := text(r.value(at(argument, 1))), text(r.value(at(argument, 2)))
		found := at(r.template, "Mappings", text(at(argument, 0)), top, second)
		if found == nil {
			breakf("Fn::FindInMap: nothing at %v", argument)
		}
		return found
	}
	breakf("%s is not known here", name)
	return nil
}

func (r *resolver) holds(condition any) bool {
	held, ok := r.value(condition).(bool)
	if !ok {
		breakf("%v is no condition", condition)
	}
	return held
}

func (r *resolver) condition(name string) bool {
	c := at(r.template, "Conditions", name)
	if c == nil {
		breakf("there is no condition %s", name)
	}
	return r.holds(c)
}

func (r *resolver) ref(name string) any {
	if name == "AWS::NoValue" {
		return noValue{}
	}
	if value, ok := r.pseudo[name]; ok {
		return value
	}
	if value, ok := r.parameters[name]; ok {
		return value
	}
	return r.made(name).ref
}

func (r *resolver) attribute(id, name string) string {
	value, ok := r.made(id).attributes[name]
	if !ok {
		breakf("what %s.%s is, is not known here", id, name)
	}
	return value
}

var variable = regexp.MustCompile(`\$\{(!?)([^}]*)\}`)

func (r *resolver) sub(argument any) string {
	pattern, own := text(argument), tree{}
	if parts, ok := argument.([]any); ok {
		pattern, own = text(at(parts, 0)), treeAt(parts, 1)
	}
	return variable.ReplaceAllStringFunc(pattern, func(found string) string {
		match := variable.FindStringSubmatch(found)
		name := strings.TrimSpace(match[2])
		if match[1] == "!" {
			return "${" + match[2] + "}"
		}
		if value, ok := own[name]; ok {
			return text(r.value(value))
		}
		if id, attribute, dotted := strings.Cut(name, "."); dotted {
			return r.attribute(id, attribute)
		}
		return text(r.ref(name))
	})
}

// parametersOf are the values of a deployment: what is given, and the defaults.
func parametersOf(template tree, given map[string]string) (map[string]any, error) {
	values := map[string]any{}
	for name := range treeAt(template, "Parameters") {
		declared := treeAt(template, "Parameters", name)
		value, ok := given[name]
		if !ok {
			if declared["Default"] == nil {
				return nil, fmt.Errorf("parameter %s has no default and is not given", name)
			}
			value = text(declared["Default"])
		}
		if pattern := textAt(declared, "AllowedPattern"); pattern != "" {
			if whole, err := regexp.MatchString("^(?:"+pattern+")$", value); err != nil || !whole {
				return nil, fmt.Errorf("parameter %s is %q: %s", name, value, textAt(declared, "ConstraintDescription"))
			}
		}
		if strings.HasPrefix(textAt(declared, "Type"), "List<") || textAt(declared, "Type") == "CommaDelimitedList" {
			var items []any
			for item := range strings.SplitSeq(value, ",") {
				items = append(items, strings.TrimSpace(item))
			}
			values[name] = items
			continue
		}
		values[name] = value
	}
	for name := range given {
		if treeAt(template, "Parameters", name) == nil {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	return values, nil
}
