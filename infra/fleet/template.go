package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ErrMacro says that a template is not plain CloudFormation.
var ErrMacro = errors.New("the template needs SAM, which one-by-one change sets and StackSets do not run")

// Template is plain CloudFormation, in JSON or YAML.
type Template struct {
	Body []byte
	// Version is a digest of the body in 12 hexadecimal digits. Keys of code
	// hold digests of the code, so new code is a new version.
	Version string
	// Parameters are in the order of their names.
	Parameters []Parameter

	rules      []rule
	conditions map[string]any
	resources  map[string]resource
}

// Parameter is one parameter of a template and what its value must be.
type Parameter struct {
	Name string
	// Default is used where no value is given; nil means that one must be.
	Default *string
	// Hidden values come back from CloudFormation as asterisks.
	Hidden bool

	numeric            bool
	pattern            *regexp.Regexp
	explained          string
	allowed            []string
	minValue, maxValue *float64
	minLength          int
	maxLength          int
}

type resource struct{ Type, Condition, DeletionPolicy string }

// ReadTemplate reads the parameters, rules, conditions and kinds of resources of
// a template. ErrMacro when it has a transform.
func ReadTemplate(body []byte) (*Template, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(body, &root); err != nil {
		return nil, fmt.Errorf("the template is neither JSON nor YAML: %w", err)
	}
	top, ok := plain(&root).(map[string]any)
	if !ok {
		return nil, errors.New("the template has no members")
	}
	sum := sha256.Sum256(body)
	t := &Template{Body: body, Version: hex.EncodeToString(sum[:])[:12], resources: map[string]resource{}}
	for name, v := range members(top["Resources"]) {
		r := asMap(v)
		t.resources[name] = resource{text(r["Type"]), text(r["Condition"]), text(r["DeletionPolicy"])}
	}
	if len(t.resources) == 0 {
		return nil, errors.New("the template has no resources")
	}
	t.conditions = asMap(top["Conditions"])
	for name, v := range members(top["Parameters"]) {
		p, err := readParameter(name, asMap(v))
		if err != nil {
			return nil, err
		}
		t.Parameters = append(t.Parameters, p)
	}
	for name, v := range members(top["Rules"]) {
		t.rules = append(t.rules, readRule(name, asMap(v)))
	}
	if _, ok := top["Transform"]; ok {
		return t, ErrMacro
	}
	return t, nil
}

func readParameter(name string, m map[string]any) (Parameter, error) {
	p := Parameter{Name: name, numeric: text(m["Type"]) == "Number", Hidden: text(m["NoEcho"]) == "true", explained: text(m["ConstraintDescription"])}
	if v, ok := m["Default"]; ok {
		value := text(v)
		p.Default = &value
	}
	if s := text(m["AllowedPattern"]); s != "" {
		var err error
		// CloudFormation wants the pattern to match the whole value.
		if p.pattern, err = regexp.Compile("^(?:" + s + ")$"); err != nil {
			return p, fmt.Errorf("the template's pattern of %s cannot be read: %w", name, err)
		}
	}
	if list, ok := m["AllowedValues"].([]any); ok {
		for _, v := range list {
			p.allowed = append(p.allowed, text(v))
		}
	}
	p.minLength, _ = strconv.Atoi(text(m["MinLength"]))
	p.maxLength, _ = strconv.Atoi(text(m["MaxLength"]))
	p.minValue, p.maxValue = number(m["MinValue"]), number(m["MaxValue"])
	return p, nil
}

// parameter finds one by its name.
func (t *Template) parameter(name string) (Parameter, bool) {
	i := slices.IndexFunc(t.Parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return Parameter{}, false
	}
	return t.Parameters[i], true
}

// names are those of all parameters.
func (t *Template) names() []string {
	list := make([]string, len(t.Parameters))
	for i, p := range t.Parameters {
		list[i] = p.Name
	}
	return list
}

// Complete adds the defaults of all parameters that have no value.
func (t *Template) Complete(given map[string]string) map[string]string {
	all := make(map[string]string, len(t.Parameters))
	for _, p := range t.Parameters {
		if value, ok := given[p.Name]; ok {
			all[p.Name] = value
		} else if p.Default != nil {
			all[p.Name] = *p.Default
		}
	}
	return all
}

// fault says what is wrong with a value and what to write, or nothing.
func (p Parameter) fault(value string) (problem, fix string) {
	n, err := strconv.ParseFloat(value, 64)
	length := utf8.RuneCountInString(value)
	switch {
	case p.numeric && err != nil:
		return fmt.Sprintf("%q is not a number", value), "write digits, such as 50"
	case p.minValue != nil && n < *p.minValue:
		return fmt.Sprintf("%s is too small", value), fmt.Sprintf("write %v or more", *p.minValue)
	case p.maxValue != nil && n > *p.maxValue:
		return fmt.Sprintf("%s is too large", value), fmt.Sprintf("write %v or less", *p.maxValue)
	case length < p.minLength:
		return fmt.Sprintf("has %d characters", length), fmt.Sprintf("write at least %d", p.minLength)
	case p.maxLength > 0 && length > p.maxLength:
		return fmt.Sprintf("has %d characters", length), fmt.Sprintf("write at most %d", p.maxLength)
	case p.allowed != nil && !slices.Contains(p.allowed, value):
		return fmt.Sprintf("%q is none of the values it may have", value), "write one of " + strings.Join(p.allowed, ", ")
	case p.pattern != nil && !p.pattern.MatchString(value):
		fix := "write what the template's pattern takes: " + p.pattern.String()
		if p.explained != "" {
			fix = "write " + p.explained
		}
		return fmt.Sprintf("%q has a form that the template refuses", value), fix
	}
	return "", ""
}

// Resources counts the resources that a stack with these values has, by type.
func (t *Template) Resources(values map[string]string) map[string]int {
	count := map[string]int{}
	e := evaluation{values: values, conditions: t.conditions}
	for _, r := range t.resources {
		if r.Condition == "" || e.holds(map[string]any{"Condition": r.Condition}, 0) {
			count[r.Type]++
		}
	}
	return count
}

// Retained are the logical names of what outlives its stack, in their order.
func (t *Template) Retained() []string {
	var names []string
	for name, r := range t.resources {
		if strings.HasPrefix(r.DeletionPolicy, "Retain") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
