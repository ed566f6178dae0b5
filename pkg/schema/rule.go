package schema

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rule is one compiled schema in the form payloads are checked with. All of its
// parts have to hold; an absent part is nil, empty or negative.
type rule struct {
	about string // the schema's description, for people

	never    bool // the schema "false"
	kinds    kind // allowed types as a set; 0 allows all
	constant *choice
	enum     []choice
	format   *jsonschema.Format

	all                   []*rule // $ref and allOf
	any, one              []*rule
	when, then, otherwise *rule

	members  map[string]*rule
	folded   map[string]string // declared names by their folded form
	names    []string          // declared names, sorted
	required []string
	closed   bool  // no other members
	rest     *rule // for other members

	items              *rule
	contains           *rule
	minItems, maxItems int
	unique             bool

	minLength, maxLength int
	pattern              jsonschema.Regexp
	minimum, maximum     *bound

	// onlyRequires says that required is all there is, as in an alternative of anyOf.
	onlyRequires bool
}

// choice is a value an enum or const allows.
type choice struct {
	text      string // a string as it is; anything else as canonical form
	canonical string
	isString  bool
}

// translate makes the rule of a compiled schema. Rules are shared by way of
// done, so that schemas that refer to themselves end. A keyword this package
// does not check is an error: silence would accept what the schema forbids.
func translate(s *jsonschema.Schema, done map[*jsonschema.Schema]*rule) (*rule, error) {
	if s == nil {
		return nil, nil
	}
	if r, ok := done[s]; ok {
		return r, nil
	}
	if word := unchecked(s); word != "" {
		return nil, fmt.Errorf("%s uses %s, which is not checked here", s.Location, word)
	}
	r := &rule{
		about: s.Description, never: s.Bool != nil && !*s.Bool, format: s.Format,
		required: s.Required, unique: s.UniqueItems, pattern: s.Pattern,
		minItems: limit(s.MinItems), maxItems: limit(s.MaxItems),
		minLength: limit(s.MinLength), maxLength: limit(s.MaxLength),
		minimum: newBound(s.Minimum), maximum: newBound(s.Maximum),
	}
	done[s] = r
	if s.Types != nil {
		for _, t := range s.Types.ToStrings() {
			r.kinds |= kindOf[t]
		}
	}
	if s.Const != nil {
		c := choiceOf(*s.Const)
		r.constant = &c
	}
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			r.enum = append(r.enum, choiceOf(v))
		}
	}
	return r, r.translateParts(s, done)
}

// translateParts fills in the rules that stand inside a schema.
func (r *rule) translateParts(s *jsonschema.Schema, done map[*jsonschema.Schema]*rule) (err error) {
	one := func(from *jsonschema.Schema) *rule {
		if err != nil {
			return nil
		}
		var out *rule
		out, err = translate(from, done)
		return out
	}
	many := func(from []*jsonschema.Schema) (out []*rule) {
		for _, s := range from {
			out = append(out, one(s))
		}
		return out
	}
	if s.Ref != nil {
		r.all = append(r.all, one(s.Ref))
	}
	r.all = append(r.all, many(s.AllOf)...)
	r.any, r.one = many(s.AnyOf), many(s.OneOf)
	r.when, r.then, r.otherwise = one(s.If), one(s.Then), one(s.Else)
	r.items, r.contains = one(s.Items2020), one(s.Contains)
	switch a := s.AdditionalProperties.(type) {
	case bool:
		r.closed = !a
	case *jsonschema.Schema:
		r.rest = one(a)
	}
	if len(s.Properties) > 0 {
		r.members, r.folded = make(map[string]*rule, len(s.Properties)), make(map[string]string, len(s.Properties))
		r.names = slices.Sorted(maps.Keys(s.Properties))
		for _, name := range r.names {
			r.members[name], r.folded[fold(name)] = one(s.Properties[name]), name
		}
	}
	r.onlyRequires = len(s.Required) > 0 && r.kinds == 0 && r.constant == nil && r.enum == nil && r.members == nil &&
		r.all == nil && r.any == nil && r.one == nil && r.when == nil && s.AdditionalProperties == nil
	return err
}

// endless reports a rule that applies itself to the same value again: no value
// would ever get through it.
func endless(rules iter.Seq[*rule]) bool {
	const open, closed = 1, 2
	state := map[*rule]int{}
	var visit func(*rule) bool
	visit = func(r *rule) bool {
		if r == nil || state[r] == closed {
			return false
		}
		if state[r] == open {
			return true
		}
		state[r] = open
		found := slices.ContainsFunc(slices.Concat(r.all, r.any, r.one, []*rule{r.when, r.then, r.otherwise}), visit)
		state[r] = closed
		return found
	}
	for r := range rules {
		if visit(r) {
			return true
		}
	}
	return false
}

var kindOf = map[string]kind{
	"null": kindNull, "boolean": kindBoolean, "number": kindNumber | kindInteger, "integer": kindInteger,
	"string": kindString, "array": kindArray, "object": kindObject,
}

func limit(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// unchecked names the first keyword of a schema that has an effect and no part
// in rule.
func unchecked(s *jsonschema.Schema) string {
	present := []struct {
		word string
		is   bool
	}{
		{"a draft before 2020-12", s.DraftVersion < 2020},
		{"$dynamicRef", s.DynamicRef != nil || s.RecursiveRef != nil},
		{"not", s.Not != nil},
		{"minProperties or maxProperties", s.MinProperties != nil || s.MaxProperties != nil},
		{"propertyNames or patternProperties", s.PropertyNames != nil || len(s.PatternProperties) > 0},
		{"dependencies", len(s.Dependencies)+len(s.DependentRequired)+len(s.DependentSchemas) > 0},
		{"unevaluatedProperties or unevaluatedItems", s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil},
		{"minContains or maxContains", s.MinContains != nil || s.MaxContains != nil},
		{"prefixItems", len(s.PrefixItems) > 0 || s.Items != nil || s.AdditionalItems != nil},
		{"content keywords", s.ContentEncoding != nil || s.ContentMediaType != nil || s.ContentSchema != nil},
		{"exclusiveMinimum or exclusiveMaximum", s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil},
		{"multipleOf", s.MultipleOf != nil},
		{"a vocabulary of its own", len(s.Extensions) > 0},
	}
	for _, p := range present {
		if p.is {
			return p.word
		}
	}
	return ""
}

// fold maps names that differ only by letter case to one form, in the way
// encoding/json takes one for the other.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, name)
}

// choiceOf makes the choice of a value as the library decoded it from a schema.
func choiceOf(v any) choice {
	if s, ok := v.(string); ok {
		return choice{text: s, isString: true}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return choice{}
	}
	doc, _ := read(text, MaxDepth, true)
	return choice{text: string(text), canonical: string(doc.canonical(nil))}
}
