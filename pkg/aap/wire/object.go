package wire

import (
	"encoding/json"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// object is a JSON object under translation. Members keep their order, and a
// value that no step looks into stays byte for byte as it came. Its methods
// bear a nil object: it has no members and takes none.
type object struct{ members []member }

// member is one value: raw, or what it was parsed into.
type member struct {
	name string
	raw  json.RawMessage
	obj  *object
	list []*object
}

// parse reads valid JSON; false for anything but an object.
func parse(doc []byte) (*object, bool) {
	if kind(doc) != '{' {
		return nil, false
	}
	o := &object{members: make([]member, 0, 16)}
	for name, value := range rawjson.Members(doc) {
		o.members = append(o.members, member{name: string(name), raw: value})
	}
	return o, true
}

// kind is the first significant byte of a JSON value.
func kind(value []byte) byte {
	for _, c := range value {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (o *object) find(name string) *member {
	if o == nil {
		return nil
	}
	for i := range o.members {
		if o.members[i].name == name {
			return &o.members[i]
		}
	}
	return nil
}

// raw is a member as JSON; nil when it is absent.
func (o *object) raw(name string) json.RawMessage {
	m := o.find(name)
	if m == nil {
		return nil
	}
	return m.append(nil)
}

// text is a string member; false for anything else.
func (o *object) text(name string) (string, bool) {
	m := o.find(name)
	if m == nil || kind(m.raw) != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(m.raw, &s)
	return s, err == nil
}

// object is an object member; nil for anything else. Changes to it are
// changes to o.
func (o *object) object(name string) *object {
	m := o.find(name)
	if m == nil {
		return nil
	}
	if m.obj == nil && kind(m.raw) == '{' {
		m.obj, _ = parse(m.raw)
		m.raw = nil
	}
	return m.obj
}

// objects are the elements of an array of objects; nil for anything else.
// Changes to them are changes to o.
func (o *object) objects(name string) []*object {
	m := o.find(name)
	if m == nil {
		return nil
	}
	if m.list == nil && kind(m.raw) == '[' {
		list := []*object{}
		for value := range rawjson.Elements(m.raw) {
			element, ok := parse(value)
			if !ok {
				return nil
			}
			list = append(list, element)
		}
		m.list, m.raw = list, nil
	}
	return m.list
}

// setRaw writes a member of JSON, in the place of the one of that name if
// there is one.
func (o *object) setRaw(name string, value json.RawMessage) {
	if o == nil || len(value) == 0 {
		return // what is absent in one form is absent in the other
	}
	if m := o.find(name); m != nil {
		*m = member{name: name, raw: value}
		return
	}
	o.members = append(o.members, member{name: name, raw: value})
}

// set is setRaw of a value that always encodes.
func (o *object) set(name string, value any) {
	raw, _ := aap.AppendValue(nil, value)
	o.setRaw(name, raw)
}

func (o *object) drop(names ...string) {
	if o != nil {
		o.members = slices.DeleteFunc(o.members, func(m member) bool { return slices.Contains(names, m.name) })
	}
}

// rename gives a member another name, under which none is left but it.
func (o *object) rename(from, to string) {
	if o.find(from) != nil {
		o.drop(to)
		o.find(from).name = to
	}
}

func (o *object) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendName(dst, o.members[i].name), ':')
		dst = o.members[i].append(dst)
	}
	return append(dst, '}')
}

// appendName writes a plain name as it is; the encoder takes the others.
func appendName(dst []byte, name string) []byte {
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			dst, _ = aap.AppendValue(dst, name) // a string always encodes
			return dst
		}
	}
	return append(append(append(dst, '"'), name...), '"')
}

func (m *member) append(dst []byte) []byte {
	switch {
	case m.obj != nil:
		return m.obj.append(dst)
	case m.list != nil:
		dst = append(dst, '[')
		for i, element := range m.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, m.raw...)
}
