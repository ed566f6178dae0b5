package dealer

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// maxNodes bounds the work of one document, aliases counted each time they
	// are used.
	maxNodes = 100_000
	// maxTexts does so for the bytes of texts and names.
	maxTexts = 2 * MaxDocument
	maxDepth = 32
	// maxFaults is more than anybody mends at once.
	maxFaults = 1000
)

// reader decodes YAML nodes strictly and remembers the line of every path.
type reader struct {
	faults []Fault
	lines  map[string]int
	// broken paths have a fault of form, so nothing more is said about them or
	// what lies below.
	broken map[string]bool
	budget int
	texts  int
	spent  bool
	// more counts the faults beyond maxFaults.
	more int
}

// add adds a fault of form.
func (r *reader) add(line int, path, problem, fix string) {
	r.broken[path] = true
	r.report(line, path, problem, fix)
}

func (r *reader) report(line int, path, problem, fix string) {
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, Fault{Line: line, Path: short(path, 200), Problem: short(problem, 1000), Fix: short(fix, 1000)})
}

// has reports whether the document has the path.
func (r *reader) has(path string) bool { _, ok := r.lines[path]; return ok }

// fault adds a fault of meaning, unless the path or what holds it has a fault
// of form. A path the document lacks gets the line of what would hold it.
func (r *reader) fault(path, problem, fix string) {
	for at := path; ; at = parent(at) {
		if r.broken[at] {
			return
		}
		if at == "" {
			break
		}
	}
	at := path
	for !r.has(at) && at != "" {
		at = parent(at)
	}
	r.report(max(1, r.lines[at]), path, problem, fix)
}

// parent drops the last step of a path.
func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

func (r *reader) read(root *yaml.Node, p *Profile) {
	r.lines[""] = root.Line
	r.value(root, reflect.ValueOf(p).Elem(), "", "", 0)
}

// value decodes n into v; key is the YAML key of the nearest struct member.
func (r *reader) value(n *yaml.Node, v reflect.Value, path, key string, depth int) {
	if depth > maxDepth {
		r.add(n.Line, path, "nested too deeply", "an alias must not contain itself")
		return
	}
	line := n.Line
	if n.Kind == yaml.AliasNode {
		if n = n.Alias; n == nil {
			return
		}
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		fix := "write a value, or remove the line"
		if v.Kind() == reflect.Slice {
			fix = "write [] for none, or remove the line"
		}
		r.add(line, path, "has no value", fix)
		return
	}
	if text, ok := v.Addr().Interface().(written); ok {
		r.text(n, text, line, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.value(n, v.Elem(), path, key, depth+1)
	case reflect.Struct:
		r.members(n, v, line, path, depth)
	case reflect.Map:
		r.entries(n, v, line, path, key, depth)
	case reflect.Slice:
		r.items(n, v, line, path, key, depth)
	default:
		r.scalar(n, v, line, path, key)
	}
}

// spend takes the items of a list or group, and their texts, from the budget;
// without any left nothing more is read.
func (r *reader) spend(n *yaml.Node, path string) bool {
	if r.spent {
		return false
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode && item.Alias != nil {
			item = item.Alias
		}
		r.texts -= len(item.Value)
	}
	over := ""
	if r.texts < 0 {
		over = fmt.Sprintf("%d bytes of text", maxTexts)
	}
	if r.budget -= len(n.Content); r.budget < 0 {
		over = fmt.Sprintf("%d values", maxNodes)
	}
	if r.spent = over != ""; r.spent {
		r.add(n.Line, path, "takes the document over "+over, "make it smaller; an alias counts each time it is used")
	}
	return !r.spent
}

// pairs walks a mapping, refusing duplicate and odd keys.
func (r *reader) pairs(n *yaml.Node, line int, path string, each func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.add(line, path, "is "+describe(n)+", not a group of members", "write members below it, each as name: value")
		return
	}
	if !r.spend(n, path) {
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch first, twice := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!null":
			r.report(k.Line, path, "has a key that is not a word", "write name: value")
		case k.ShortTag() == "!!merge":
			r.report(k.Line, path, "merge keys (<<) are not read", "write the members out")
		case twice:
			r.report(k.Line, join(path, k.Value), fmt.Sprintf("is here twice, first in line %d", first), "remove one of them")
		default:
			seen[k.Value] = k.Line
			each(k.Value, k, v)
		}
	}
}

func (r *reader) members(n *yaml.Node, v reflect.Value, line int, path string, depth int) {
	fields, names := map[string]int{}, []string{}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			fields[name] = i
			names = append(names, name)
		}
	}
	r.pairs(n, line, path, func(key string, k, value *yaml.Node) {
		at := join(path, key)
		index, known := fields[key]
		if !known {
			fix := "known here: " + strings.Join(names, ", ")
			if c := closest(key, names); c != "" {
				fix = "write " + c
				// Not also "missing": one slip, one fault.
				r.broken[join(path, c)] = true
			}
			r.add(k.Line, at, "is not known", fix)
			return
		}
		r.lines[at] = k.Line
		r.value(value, v.Field(index), at, key, depth+1)
	})
}

func (r *reader) entries(n *yaml.Node, v reflect.Value, line int, path, key string, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	r.pairs(n, line, path, func(name string, k, value *yaml.Node) {
		at := join(path, name)
		if problem := unprintable(name, false); problem != "" {
			r.report(k.Line, path, "has a key that "+problem, "write it on one line of plain text")
			return
		}
		r.lines[at] = k.Line
		item := reflect.New(v.Type().Elem()).Elem()
		r.value(value, item, at, key, depth+1)
		v.SetMapIndex(reflect.ValueOf(name), item)
	})
}

func (r *reader) items(n *yaml.Node, v reflect.Value, line int, path, key string, depth int) {
	if n.Kind != yaml.SequenceNode {
		r.add(line, path, "is "+describe(n)+", not a list", "begin each item with a hyphen, or write [ … ]")
		return
	}
	if !r.spend(n, path) {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		r.lines[at] = item.Line
		r.value(item, v.Index(i), at, key, depth+1)
	}
}

// written is a value with a form of its own.
type written interface {
	encoding.TextUnmarshaler
	// form says what it is, and how to write one.
	form() (what, fix string)
}

func (r *reader) text(n *yaml.Node, into written, line int, path string) {
	what, fix := into.form()
	if n.Kind != yaml.ScalarNode {
		r.add(line, path, "is "+describe(n)+", not "+what, fix)
	} else if err := into.UnmarshalText([]byte(n.Value)); err != nil {
		r.add(line, path, quote(n.Value)+" is "+err.Error(), fix)
	}
}

func (r *reader) scalar(n *yaml.Node, v reflect.Value, line int, path, key string) {
	want := map[reflect.Kind]string{
		reflect.String: "text", reflect.Bool: "true or false", reflect.Float64: "a number",
	}[v.Kind()]
	if want == "" {
		want = "a whole number"
	}
	if n.Kind != yaml.ScalarNode {
		r.add(line, path, "is "+describe(n)+", not "+want, "write one value after the colon")
		return
	}
	ok := true
	switch tag := n.ShortTag(); v.Kind() {
	case reflect.String:
		r.str(n, v, line, path, key)
	case reflect.Bool:
		if ok = tag == "!!bool"; ok {
			v.SetBool(strings.EqualFold(n.Value, "true"))
		}
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if ok = err == nil && (tag == "!!int" || tag == "!!float") && !math.IsInf(f, 0) && !math.IsNaN(f); ok {
			v.SetFloat(f)
		}
	default:
		i, err := strconv.ParseInt(n.Value, 10, 64)
		if ok = err == nil && tag == "!!int"; ok {
			v.SetInt(i)
		}
	}
	if !ok {
		fix := map[string]string{"true or false": "write true or false, without quotes", "a number": "write digits, such as 0.5 or 39.75, without quotes",
			"a whole number": "write digits only, such as 499"}[want]
		r.add(line, path, quote(n.Value)+" is not "+want, fix)
	}
}

// str takes the text of any scalar but null as it was written, so that
// unquoted phone numbers and zip codes keep their plus and zeros.
func (r *reader) str(n *yaml.Node, v reflect.Value, line int, path, key string) {
	manyLines := key == "welcome_message" || key == "notes" || key == "description" || key == "guide" || key == "consent_text"
	s := n.Value
	switch tag := n.ShortTag(); {
	case tag == "!!binary":
		r.add(line, path, "is binary, not text", "write plain text")
		return
	case tag == "!!bool" && !strings.HasSuffix(parent(path), "constants"):
		r.add(line, path, "is "+s+", not text", "put it in quotes if it is meant as text")
		return
	}
	if manyLines {
		s = strings.TrimSpace(s)
	}
	if problem := unprintable(s, manyLines); problem != "" {
		r.add(line, path, problem, "write it on one line of plain text")
		return
	}
	if s != strings.TrimSpace(s) {
		r.add(line, path, "begins or ends with a blank", "remove the blank")
		return
	}
	v.SetString(s)
}
