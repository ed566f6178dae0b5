package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// read turns a document into a value and notes what makes it ambiguous or
// dangerous. With keep false the value is only good for its kind. Broken syntax
// is one fault and leaves no value (kindNone).
func read(doc []byte, maxDepth int, keep bool) (value, *faults) {
	r := reader{maxDepth: maxDepth, keep: keep, found: &faults{}}
	if !json.Valid(doc) {
		r.broken(doc)
		return value{}, r.found
	}
	r.text = string(doc)
	r.clean = utf8.Valid(doc)
	// Every member and item but the first of its container follows a comma.
	r.stack = make([]member, 0, bytes.Count(doc, []byte{','})+4)
	r.path = make(pointer, 0, 8)
	return r.value(1), r.found
}

// reader walks a document that is known to be well-formed JSON.
type reader struct {
	text     string
	at       int
	maxDepth int
	keep     bool
	clean    bool // all of the text is valid UTF-8
	path     pointer
	// stack holds the members of all open containers, innermost last.
	stack []member
	found *faults
}

// broken notes the one fault of a document that is not JSON.
func (r *reader) broken(doc []byte) {
	if tooDeep(doc, r.maxDepth) {
		r.found.add(nil, keyMaxDepth, depthText(r.maxDepth))
		return
	}
	text := "This is not a JSON document; send one JSON value encoded in UTF-8."
	var raw json.RawMessage
	if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(doc, &raw)); ok && len(bytes.TrimSpace(doc)) > 0 {
		text = fmt.Sprintf("This is not well-formed JSON; the fault is at byte %d.", e.Offset)
	}
	r.found.add(nil, keySyntax, text)
}

func (r *reader) value(depth int) value {
	switch c := r.next(); c {
	case '{', '[':
		if depth > r.maxDepth {
			r.found.add(r.path, keyMaxDepth, depthText(r.maxDepth))
			r.skip()
			return value{kind: containerKind(c)}
		}
		if c == '{' {
			return r.object(depth)
		}
		return r.array(depth)
	case '"':
		return value{kind: kindString, text: r.string()}
	case 'n':
		r.at += len("null")
		return value{kind: kindNull}
	case 't':
		r.at += len("true")
		return value{kind: kindTrue}
	case 'f':
		r.at += len("false")
		return value{kind: kindFalse}
	default:
		return r.number()
	}
}

func (r *reader) object(depth int) value {
	base := len(r.stack)
	var seen map[string]int // only for large objects
	r.at++
	for r.next() != '}' {
		key := r.string()
		r.path = append(r.path, name(key))
		r.next() // colon
		r.at++
		first := -1
		if n := len(r.stack) - base; n <= 16 {
			first = slices.IndexFunc(r.stack[base:], func(m member) bool { return m.key == key })
		} else {
			if seen == nil {
				seen = make(map[string]int, 2*n)
				for i, m := range r.stack[base:] {
					seen[m.key] = i
				}
			}
			if i, ok := seen[key]; ok {
				first = i
			} else {
				seen[key] = n
			}
		}
		if first >= 0 {
			r.found.add(r.path, keyDuplicate, "This member occurs more than once in its object; send it once.")
		}
		v := r.value(depth + 1)
		if first >= 0 {
			r.stack[base+first].value = v // as decoders do: the last one counts
		} else {
			r.stack = append(r.stack, member{key: key, value: v})
		}
		r.path = r.path[:len(r.path)-1]
		if r.next() == ',' {
			r.at++
		}
	}
	return r.closed(kindObject, base)
}

func (r *reader) array(depth int) value {
	base := len(r.stack)
	r.at++
	for i := 0; r.next() != ']'; i++ {
		r.path = append(r.path, step{index: i})
		v := r.value(depth + 1)
		if r.keep {
			r.stack = append(r.stack, member{value: v})
		}
		r.path = r.path[:len(r.path)-1]
		if r.next() == ',' {
			r.at++
		}
	}
	return r.closed(kindArray, base)
}

// closed takes the finished container off the stack.
func (r *reader) closed(k kind, base int) value {
	r.at++
	v := value{kind: k}
	if r.keep && len(r.stack) > base {
		v.kids = slices.Clone(r.stack[base:])
	}
	r.stack = r.stack[:base]
	return v
}

// next skips blanks and returns the byte after them without taking it.
func (r *reader) next() byte {
	for {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
}

func (r *reader) string() string {
	start := r.at
	escaped := false
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	s := r.text[start+1 : r.at-1]
	if !r.clean && !utf8.ValidString(s) {
		r.found.add(r.path, keyEncoding, "A text or a member name here is not valid UTF-8; encode the document in UTF-8.")
	}
	if !escaped {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var out string
	if err := json.Unmarshal([]byte(r.text[start:r.at]), &out); err != nil {
		return s
	}
	return out
}

func (r *reader) number() value {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	literal := r.text[start:r.at]
	if hostile(literal) {
		r.found.add(r.path, keyNumber, fmt.Sprintf(
			"This number is too long or too large; write it with at most %d characters and within the range of a 64-bit float.", maxLiteral))
		return value{kind: kindHostile}
	}
	return value{kind: kindNumber, text: literal}
}

// skip passes over a container without recursion.
func (r *reader) skip() {
	for open := 0; ; r.at++ {
		switch r.text[r.at] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				r.at++
				return
			}
		case '"':
			for r.at++; r.text[r.at] != '"'; r.at++ {
				if r.text[r.at] == '\\' {
					r.at++
				}
			}
		}
	}
}

// tooDeep reports whether a document that need not be JSON opens more
// containers than allowed, so that a parser's own limit does not pass for a
// fault of syntax.
func tooDeep(doc []byte, maxDepth int) bool {
	open, quoted := 0, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if open++; open > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			open--
		}
	}
	return false
}

func containerKind(c byte) kind {
	if c == '{' {
		return kindObject
	}
	return kindArray
}

func depthText(limit int) string {
	return fmt.Sprintf("This is nested too deeply; at most %d levels of objects and arrays are accepted.", limit)
}
