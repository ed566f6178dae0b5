package feed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// objects reads the vehicles of a JSON document: the elements of a root array,
// of an array of objects somewhere in a root object, or one object a line. A
// column is the dotted path of a member.
type objects struct {
	sheet
	dated
	s       scanner
	feed    dealer.Feed
	started bool
	done    bool
	depth   int  // open wrapper objects
	inArray bool // inside the array of vehicles
	perLine bool // each line is an object by itself
	line    int

	seen []string // columns of the arrays that hold no vehicles
}

func newObjects(in *bufio.Reader, f dealer.Feed) *objects {
	return &objects{sheet: newSheet(), s: scanner{r: in, line: 1}, feed: f}
}

func (o *objects) kind() string { return "JSON" }

func (o *objects) skipped() map[string]int { return nil }

func (o *objects) names() []string { return o.seen }

func (o *objects) next() (record, error) {
	raw, problem, err := o.element()
	if err != nil {
		return record{}, err
	}
	rec := record{line: o.line, problem: problem, latin: !utf8.Valid(raw)}
	if rec.latin {
		raw = []byte(text(raw))
	}
	if problem == "" {
		rec.problem = o.read(raw)
	}
	rec.fields = o.fields
	return rec, nil
}

// element finds the next vehicle's bytes.
func (o *objects) element() (raw []byte, problem string, err error) {
	for {
		if o.done {
			return nil, "", io.EOF
		}
		if o.inArray {
			if raw, problem, err = o.inside(); err != nil || raw != nil || problem != "" {
				return raw, problem, err
			}
			continue
		}
		c, err := o.s.peek()
		switch {
		case errors.Is(err, io.EOF) && o.started && o.depth == 0:
			return nil, "", io.EOF
		case err != nil:
			return nil, "", short(err)
		case o.perLine:
			o.line = o.s.line
			return o.s.wholeLine()
		case o.depth > 0:
			if raw, err = o.member(c); err != nil || raw != nil {
				return raw, "", err
			}
		case c == '[':
			if o.started {
				return nil, "", fmt.Errorf("line %d: %w: a second document", o.s.line, errSyntax)
			}
			o.started, o.inArray = true, true
			_ = o.s.expect('[')
		case c == '{' && !o.started:
			raw, found, err := o.whole()
			if err != nil || found {
				return raw, "", err
			}
		case c == '{': // one object a line
			o.line = o.s.line
			raw, long, err := o.s.value()
			return raw, tooLong(long), err
		default:
			return nil, "", fmt.Errorf("line %d: %w: %q", o.s.line, errSyntax, c)
		}
	}
}

func tooLong(long bool) string {
	if long {
		return "the object is longer than 1 MiB"
	}
	return ""
}

// whole tells a document of one object a line from a wrapper: a first line that
// is an object by itself is a vehicle when another object follows, or when it
// holds neither objects nor an array of them.
func (o *objects) whole() ([]byte, bool, error) {
	o.started = true
	head, _ := o.s.r.Peek(o.s.r.Size())
	if end := bytes.IndexByte(head, '\n'); end > 0 {
		more := bytes.HasPrefix(bytes.TrimSpace(head[end:]), []byte{'{'})
		if ln := bytes.TrimSpace(head[:end]); json.Valid(ln) && (more || !wraps(ln)) {
			o.perLine = more
			o.line = o.s.line
			raw, _, err := o.s.value()
			return raw, true, err
		}
	} else if ln := bytes.TrimSpace(head); len(head) < o.s.r.Size() && json.Valid(ln) && !wraps(ln) {
		o.line = o.s.line
		raw, _, err := o.s.value()
		return raw, true, err
	}
	o.depth = 1
	return nil, false, o.s.expect('{')
}

func wraps(object []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return true
	}
	for name, v := range members {
		if v = bytes.TrimSpace(v); len(v) > 0 && (v[0] == '[' && bytes.Contains(v, []byte{'{'}) || v[0] == '{') && foldHeader(name) != "fees" {
			var inner []map[string]json.RawMessage
			if v[0] == '{' || json.Unmarshal(v, &inner) == nil && len(inner) > 0 && len(inner[0]) > 3 {
				return true
			}
		}
	}
	return false
}

// member steps over one member of a wrapper object, into objects and into the
// array of vehicles.
func (o *objects) member(c byte) ([]byte, error) {
	switch c {
	case ',':
		return nil, o.s.expect(',')
	case '}':
		o.depth--
		o.done = o.depth == 0
		return nil, o.s.expect('}')
	case '"':
	default:
		return nil, fmt.Errorf("line %d: %w: %q where a member belongs", o.s.line, errSyntax, c)
	}
	raw, _, err := o.s.value()
	if err != nil {
		return nil, err
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return nil, fmt.Errorf("line %d: %w: a member name", o.s.line, errSyntax)
	}
	if err := o.s.expect(':'); err != nil {
		return nil, err
	}
	switch c, err = o.s.peek(); {
	case err != nil:
		return nil, short(err)
	case c == '{':
		if o.depth++; o.depth > maxDepth {
			return nil, fmt.Errorf("line %d: %w: nested too deep", o.s.line, errSyntax)
		}
		return nil, o.s.expect('{')
	case c == '[':
		return o.array()
	}
	raw, _, err = o.s.value()
	if err == nil {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			o.date(name, s)
		}
	}
	return nil, err
}

// array enters an array whose first element reads like a vehicle, and passes
// over any other.
func (o *objects) array() ([]byte, error) {
	if err := o.s.expect('['); err != nil {
		return nil, err
	}
	c, err := o.s.peek()
	if err != nil {
		return nil, short(err)
	}
	if c != '{' {
		return nil, o.skip()
	}
	o.line = o.s.line
	raw, _, err := o.s.value()
	if err != nil {
		return nil, err
	}
	if o.vehicle(raw) {
		o.inArray = true
		return raw, nil
	}
	return nil, o.skip()
}

// skip passes over the rest of an array.
func (o *objects) skip() error {
	for {
		c, err := o.s.peek()
		if err != nil {
			return short(err)
		}
		switch c {
		case ']':
			return o.s.expect(']')
		case ',':
			if err := o.s.expect(','); err != nil {
				return err
			}
		default:
			if _, _, err := o.s.value(); err != nil {
				return err
			}
		}
	}
}

// inside takes the next element of the array of vehicles.
func (o *objects) inside() (raw []byte, problem string, err error) {
	c, err := o.s.peek()
	if err != nil {
		return nil, "", short(err)
	}
	switch c {
	case ']':
		o.inArray = false
		o.done = o.depth == 0
		return nil, "", o.s.expect(']')
	case ',':
		return nil, "", o.s.expect(',')
	}
	o.line = o.s.line
	raw, long, err := o.s.value()
	if err == nil && !long && raw[0] != '{' {
		return nil, "not an object", nil
	}
	return raw, tooLong(long), err
}

// vehicle reports whether an object's members say it is one.
func (o *objects) vehicle(raw []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	names := sortedKeys(members)
	m := newMapping(names, o.feed)
	if m.identified() && (m.has(mMake) || m.has(mModel) || m.has(mYear) || m.has(mPrice)) {
		return true
	}
	if len(o.seen) == 0 {
		o.seen = names
	}
	return false
}
