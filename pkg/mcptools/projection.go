package mcptools

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

// InputSchema is the request schema of the skill under contract v in a form
// that hosts and model APIs take: one object, everything inlined, no reference,
// no combinator, no type union. It is never stricter than the schema itself,
// which Agent.Call checks, but for members that may be null: here they are left
// out instead. Rules that the form cannot hold stand in descriptions. An object
// that occurs a second time is described only once. The consent of a lead is
// not required here, since a tool can ask for it.
func InputSchema(s aap.Skill, v aap.Version) (json.RawMessage, error) {
	files, err := schemas.Version(v.Label)
	if err != nil {
		return nil, err
	}
	p := &projection{files: files, docs: map[string]object{}, told: map[string]bool{}}
	out, err := p.file(s.RequestSchema())
	if err != nil {
		return nil, fmt.Errorf("input schema of %s under %s: %w", s.ID, v.Label, err)
	}
	if s == aap.LeadSubmit {
		leaveOut(out, "consent", "Leave it out rather than make one up: the buyer is then asked by a form where the host can show one; elsewhere the answer is CONTACT_CONSENT_REQUIRED.")
	}
	return json.Marshal(out)
}

// leaveOut makes a required member one that may be missing, and says what then.
func leaveOut(schema object, member, rule string) {
	required, _ := schema["required"].([]any)
	schema["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool { return name == member })
	if properties, ok := schema["properties"].(object); ok {
		out := properties[member].(object)
		out["description"] = fmt.Sprint(out["description"], " ", rule)
	}
}

type object = map[string]any

// projection rewrites the schemas of one tool.
type projection struct {
	files fs.FS
	docs  map[string]object
	told  map[string]bool // references whose members were described
	open  []string        // references being inlined
}

// mostNested bounds references inside references; the schemas have four at most.
const mostNested = 16

func (p *projection) file(name string) (object, error) {
	doc, err := p.load(name)
	if err != nil {
		return nil, err
	}
	return p.schema(name, doc)
}

func (p *projection) load(name string) (object, error) {
	if doc, ok := p.docs[name]; ok {
		return doc, nil
	}
	raw, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, err
	}
	var doc object
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.docs[name] = doc
	return doc, nil
}

// kept are the keywords that go over as they are.
var kept = []string{
	"type", "description", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "required",
}

// formats are those that every model API takes: Gemini refuses the others, so
// that descriptions say what an address or a day looks like.
var formats = []any{"date-time"}

// schema rewrites one schema of the named file.
func (p *projection) schema(file string, in object) (object, error) {
	if ref, ok := in["$ref"].(string); ok {
		return p.reference(file, ref, in)
	}
	out := object{}
	for _, keyword := range kept {
		if value, ok := in[keyword]; ok {
			out[keyword] = value
		}
	}
	if union, ok := out["type"].([]any); ok {
		out["type"] = union[0] // the other one is null
	}
	if value, ok := in["const"]; ok {
		out["type"], out["enum"] = "string", []any{value}
	}
	if slices.Contains(formats, in["format"]) {
		out["format"] = in["format"]
	}
	if properties, ok := in["properties"].(object); ok {
		projected := object{}
		// In the order they are read, so that the first of two is the one described.
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			member, err := p.schema(file, properties[name].(object))
			if err != nil {
				return nil, err
			}
			projected[name] = member
		}
		out["properties"] = projected
	}
	if items, ok := in["items"].(object); ok {
		item, err := p.schema(file, items)
		if err != nil {
			return nil, err
		}
		out["items"] = item
	}
	// A schema of further members is left out: it would need a combinator.
	if closed, ok := in["additionalProperties"].(bool); ok && !closed {
		out["additionalProperties"] = false
	}
	say(out, in)
	narrow(out, in)
	return out, nil
}

// reference inlines what ref names; a description beside it wins.
func (p *projection) reference(file, ref string, in object) (object, error) {
	name, pointer, _ := strings.Cut(ref, "#")
	if name == "" {
		name = file
	} else {
		name = path.Join(path.Dir(file), name)
	}
	whole := name + "#" + pointer
	if len(p.open) >= mostNested {
		return nil, fmt.Errorf("references go round: %v", p.open)
	}
	p.open = append(p.open, whole)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	target, err := p.load(name)
	if err != nil {
		return nil, err
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		next, ok := target[token].(object)
		if !ok {
			return nil, fmt.Errorf("%s names nothing", whole)
		}
		target = next
	}
	out, err := p.schema(name, target)
	if err != nil {
		return nil, err
	}
	if p.told[whole] {
		quiet(out)
	}
	p.told[whole] = true
	if words, ok := in["description"].(string); ok {
		if rule, also := either(target), words; rule != "" {
			words = also + " " + rule
		}
		out["description"] = words
	}
	return out, nil
}

// quiet takes the descriptions of all members away.
func quiet(schema object) {
	for _, member := range schemaMembers(schema) {
		delete(member, "description")
		quiet(member)
	}
}

func schemaMembers(schema object) []object {
	var list []object
	if properties, ok := schema["properties"].(object); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			list = append(list, properties[name].(object))
		}
	}
	if items, ok := schema["items"].(object); ok {
		list = append(list, items)
	}
	return list
}

// say puts rules that the form cannot hold into the description.
func say(out, in object) {
	if rule := either(in); rule != "" {
		words, _ := out["description"].(string)
		out["description"] = strings.TrimSpace(words + " " + rule)
	}
}

// either words an anyOf of which each branch requires members.
func either(in object) string {
	branches, _ := in["anyOf"].([]any)
	var names []string
	for _, branch := range branches {
		b, _ := branch.(object)
		required, _ := b["required"].([]any)
		for _, name := range required {
			names = append(names, fmt.Sprint(name))
		}
	}
	if len(names) < 2 {
		return ""
	}
	return "Required: at least one of " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + "."
}

// narrow applies what the allOf of a request asks of a member that is there:
// for a member that is not, it asks nothing.
func narrow(out, in object) {
	rules, _ := in["allOf"].([]any)
	for _, rule := range rules {
		if r, ok := rule.(object); ok {
			if then, ok := r["then"].(object); ok {
				merge(out, then)
			}
		}
	}
}

func merge(out, then object) {
	if enum, ok := then["enum"]; ok {
		out["enum"] = enum
	}
	narrowed, _ := then["properties"].(object)
	members, _ := out["properties"].(object)
	for name, value := range narrowed {
		member, there := members[name].(object)
		if rule, ok := value.(object); ok && there {
			merge(member, rule)
		}
	}
}
