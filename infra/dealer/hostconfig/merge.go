package hostconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

var (
	// ErrShape: the file is not what such a file is, so that nothing can be
	// added without harm.
	ErrShape = errors.New("the file is not understood")
	// ErrTaken: there is an entry of that name which starts something else.
	ErrTaken = errors.New("the name is taken")
)

// Merge puts an entry under key and name into a document, which may have
// comments and trailing commas, and leaves every other byte as it is. ours
// tells whether an entry of that name may be replaced. A document that has the
// very entry comes back unchanged.
func Merge(document []byte, key, name string, entry Entry, ours func(Entry) bool) ([]byte, error) {
	body := bytes.TrimPrefix(document, []byte("\xef\xbb\xbf"))
	mark := document[:len(document)-len(body)]
	if len(bytes.TrimSpace(body)) == 0 {
		return joined(mark, New(key, name, entry)), nil
	}
	root, err := hujson.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err)
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%w: it holds no JSON object", ErrShape)
	}
	s := splice{body: body, unit: unitOf(body, top), line: lineEnd(body)}
	servers, err := member(top, key)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		inner := s.member(name, entry, s.indent(root.StartOffset)+s.unit+s.unit)
		text := fmt.Sprintf("%s: {%s%s%s%s}", quoted(key), s.line, inner, s.line, s.indent(root.StartOffset)+s.unit)
		return joined(mark, s.add(root, top, s.indent(root.StartOffset)+s.unit, text)), nil
	}
	list, ok := servers.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%w: its member %q is no object", ErrShape, key)
	}
	old, err := member(list, name)
	if err != nil {
		return nil, err
	}
	if old == nil {
		indent := s.memberIndent(list, servers.StartOffset)
		return joined(mark, s.add(*servers, list, indent, strings.TrimLeft(s.member(name, entry, indent), " \t"))), nil
	}
	return s.replace(mark, *old, entry, ours)
}

// New is a document that holds the entry alone.
func New(key, name string, entry Entry) []byte {
	doc, _ := json.MarshalIndent(map[string]map[string]Entry{key: {name: entry}}, "", "  ") // nothing in it can fail
	return append(unescaped(doc), '\n')
}

// splice changes a text at single places.
type splice struct {
	body       []byte
	unit, line string // of one more level, and between lines
}

// replace puts an entry in the place of an older one.
func (s splice) replace(mark []byte, old hujson.Value, entry Entry, ours func(Entry) bool) ([]byte, error) {
	there := old.Clone()
	there.Standardize()
	var now Entry
	if json.Unmarshal(there.Pack(), &now) != nil || !ours(now) {
		return nil, ErrTaken
	}
	if equal(now, entry) {
		return joined(mark, s.body), nil // with whatever its owner added
	}
	strict := json.NewDecoder(bytes.NewReader(there.Pack()))
	strict.DisallowUnknownFields()
	if strict.Decode(&now) != nil {
		return nil, fmt.Errorf("%w: it has settings of its own, such as an environment", ErrTaken)
	}
	text := s.object(entry, s.indent(old.StartOffset))
	return joined(mark, s.body[:old.StartOffset], []byte(text), s.body[old.EndOffset:]), nil
}

func equal(a, b Entry) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// add puts a member at the end of an object: behind a comma after the last
// value, and after every comment.
func (s splice) add(v hujson.Value, o *hujson.Object, indent, text string) []byte {
	brace := v.EndOffset - 1
	end := len(bytes.TrimRight(s.body[:brace], " \t\r\n")) // of what stands before the brace
	rest := s.body[end:]
	text = s.line + indent + text
	if !bytes.Contains(s.body[end:brace], []byte("\n")) {
		text += s.line + s.indent(v.StartOffset)
		rest = s.body[brace:]
	}
	n := len(o.Members)
	if n == 0 {
		return joined(s.body[:end], []byte(text), rest)
	}
	last := o.Members[n-1].Value
	if last.AfterExtra != nil { // a comma stands there
		return joined(s.body[:end], []byte(text), rest)
	}
	return joined(s.body[:last.EndOffset], []byte(","), s.body[last.EndOffset:end], []byte(text), rest)
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// member is an entry with its name, each line begun by indent.
func (s splice) member(name string, entry Entry, indent string) string {
	return indent + quoted(name) + ": " + s.object(entry, indent)
}

func (s splice) object(entry Entry, indent string) string {
	doc, _ := json.MarshalIndent(entry, indent, s.unit)
	return strings.ReplaceAll(string(unescaped(doc)), "\n", s.line)
}

// indent is the white space that begins the line of a place.
func (s splice) indent(at int) string {
	start := bytes.LastIndexByte(s.body[:at], '\n') + 1
	line := s.body[start:at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// memberIndent is that of an object's members.
func (s splice) memberIndent(o *hujson.Object, at int) string {
	if len(o.Members) > 0 && bytes.Contains(o.Members[0].Name.BeforeExtra, []byte("\n")) {
		return s.indent(o.Members[0].Name.StartOffset)
	}
	return s.indent(at) + s.unit
}

// unitOf is the indentation of one level: that of the first member.
func unitOf(body []byte, o *hujson.Object) string {
	s := splice{body: body}
	if len(o.Members) > 0 && bytes.Contains(o.Members[0].Name.BeforeExtra, []byte("\n")) {
		if unit := s.indent(o.Members[0].Name.StartOffset); unit != "" {
			return unit
		}
	}
	return "  "
}

func lineEnd(body []byte) string {
	if bytes.Contains(body, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// member finds a member; two of one name are nobody's to choose from.
func member(o *hujson.Object, name string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range o.Members {
		literal, ok := o.Members[i].Name.Value.(hujson.Literal)
		if !ok || literal.String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%w: it has two members %q", ErrShape, name)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

func quoted(s string) string {
	doc, _ := json.Marshal(s)
	return string(unescaped(doc))
}

// unescaped takes back what encoding/json writes for web pages.
func unescaped(doc []byte) []byte {
	for escaped, plain := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
		doc = bytes.ReplaceAll(doc, []byte(escaped), []byte(plain))
	}
	return doc
}
