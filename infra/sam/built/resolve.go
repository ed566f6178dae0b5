package built

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// broken is the error of a template that cannot be resolved; it travels as a
// panic within the resolver and is returned at its edge.
type broken struct{ error }

func breakf(format string, args ...any) { panic(broken{fmt.Errorf(format, args...)}) }

// noValue takes a member away.
type noValue struct{}

// Resolver carries out the intrinsic functions of a template.
type Resolver struct {
	// Template is CloudFormation in JSON's types.
	Template map[string]any
	// Parameters are the values of a deployment, Pseudo those of AWS::Region and
	// its like.
	Parameters, Pseudo map[string]any
	// Made is asked for a resource whenever the template names it.
	Made func(id string) (Resource, error)
}

// Resource is what CloudFormation knows of one that is made.
type Resource struct {
	// Ref is its physical id.
	Ref string
	// Attributes are what Fn::GetAtt finds.
	Attributes map[string]string
}

// Holds reports whether the condition of that name holds; no name always does.
func (r *Resolver) Holds(condition string) (bool, error) {
	if condition == "" {
		return true, nil
	}
	held, err := r.Resolve(tree{"Condition": condition})
	return held == true, err
}

// Resolve returns the value without intrinsic functions.
func (r *Resolver) Resolve(value any) (out any, err error) {
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

func (r *Resolver) value(value any) any {
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

func (r *Resolver) isCondition(argument any) bool {
	name, ok := argument.(string)
	return ok && At(r.Template, "Conditions", name) != nil
}

func (r *Resolver) call(name string, argument any) any {
	switch name {
	case "Ref":
		return r.ref(Text(argument))
	case "Condition":
		return r.condition(Text(argument))
	case "Fn::GetAtt":
		parts := List(argument)
		if len(parts) == 1 {
			id, attribute, _ := strings.Cut(Text(parts[0]), ".")
			return r.attribute(id, attribute)
		}
		return r.attribute(Text(parts[0]), Text(r.value(parts[1])))
	case "Fn::Sub":
		return r.sub(argument)
	case "Fn::Join":
		var parts []string
		for _, part := range List(r.value(At(argument, 1))) {
			parts = append(parts, Text(part))
		}
		return strings.Join(parts, Text(At(argument, 0)))
	case "Fn::Select":
		index, _ := strconv.Atoi(Text(r.value(At(argument, 0))))
		from := List(r.value(At(argument, 1)))
		if index < 0 || index >= len(from) {
			breakf("Fn::Select: no part %d of %v", index, from)
		}
		return from[index]
	case "Fn::Split":
		var parts []any
		for part := range strings.SplitSeq(Text(r.value(At(argument, 1))), Text(At(argument, 0))) {
			parts = append(parts, part)
		}
		return parts
	case "Fn::If":
		if r.condition(Text(At(argument, 0))) {
			return r.value(At(argument, 1))
		}
		return r.value(At(argument, 2))
	case "Fn::Equals":
		return Text(r.value(At(argument, 0))) == Text(r.value(At(argument, 1)))
	case "Fn::Not":
		return !r.holds(At(argument, 0))
	case "Fn::And":
		return !slices.ContainsFunc(List(argument), func(c any) bool { return !r.holds(c) })
	case "Fn::Or":
		return slices.ContainsFunc(List(argument), r.holds)
	case "Fn::FindInMap":
		top, second := Text(r.value(At(argument, 1))), Text(r.value(At(argument, 2)))
		found := At(r.Template, "Mappings", Text(At(argument, 0)), top, second)
		if found == nil {
			breakf("Fn::FindInMap: nothing at %v", argument)
		}
		return found
	}
	breakf("%s is not known here", name)
	return nil
}

func (r *Resolver) holds(condition any) bool {
	held, ok := r.value(condition).(bool)
	if !ok {
		breakf("%v is no condition", condition)
	}
	return held
}

func (r *Resolver) condition(name string) bool {
	c := At(r.Template, "Conditions", name)
	if c == nil {
		breakf("there is no condition %s", name)
	}
	return r.holds(c)
}

func (r *Resolver) ref(name string) any {
	if name == "AWS::NoValue" {
		return noValue{}
	}
	if value, ok := r.Pseudo[name]; ok {
		return value
	}
	if value, ok := r.Parameters[name]; ok {
		return value
	}
	return r.make(name).Ref
}

func (r *Resolver) make(id string) Resource {
	made, err := r.Made(id)
	if err != nil {
		panic(broken{err})
	}
	return made
}

func (r *Resolver) attribute(id, name string) string {
	value, ok := r.make(id).Attributes[name]
	if !ok {
		breakf("what %s.%s is, is not known here", id, name)
	}
	return value
}

var variable = regexp.MustCompile(`\$\{(!?)([^}]*)\}`)

func (r *Resolver) sub(argument any) string {
	pattern, own := Text(argument), tree{}
	if parts, ok := argument.([]any); ok {
		pattern, own = Text(At(parts, 0)), TreeAt(parts, 1)
	}
	return variable.ReplaceAllStringFunc(pattern, func(found string) string {
		match := variable.FindStringSubmatch(found)
		name := strings.TrimSpace(match[2])
		if match[1] == "!" {
			return "${" + match[2] + "}"
		}
		if value, ok := own[name]; ok {
			return Text(r.value(value))
		}
		if id, attribute, dotted := strings.Cut(name, "."); dotted {
			return r.attribute(id, attribute)
		}
		return Text(r.ref(name))
	})
}

// ParametersOf are the values of a deployment: what is given, and the defaults.
func ParametersOf(template tree, given map[string]string) (map[string]any, error) {
	values := map[string]any{}
	for name := range TreeAt(template, "Parameters") {
		declared := TreeAt(template, "Parameters", name)
		value, ok := given[name]
		if !ok {
			if declared["Default"] == nil {
				return nil, fmt.Errorf("parameter %s has no default and is not given", name)
			}
			value = Text(declared["Default"])
		}
		if pattern := TextAt(declared, "AllowedPattern"); pattern != "" {
			if whole, err := regexp.MatchString("^(?:"+pattern+")$", value); err != nil || !whole {
				return nil, fmt.Errorf("parameter %s is %q: %s", name, value, TextAt(declared, "ConstraintDescription"))
			}
		}
		if strings.HasPrefix(TextAt(declared, "Type"), "List<") || TextAt(declared, "Type") == "CommaDelimitedList" {
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
		if TreeAt(template, "Parameters", name) == nil {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	return values, nil
}
