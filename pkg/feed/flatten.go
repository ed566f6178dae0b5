package feed

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// read spreads one object over the columns; it returns what is wrong with it.
func (o *objects) read(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		return "not a JSON object"
	}
	o.fields = slices.Grow(o.fields[:0], len(o.header))[:len(o.header)]
	clear(o.fields)
	o.spread("", object, 0)
	return ""
}

func (o *objects) spread(prefix string, object map[string]any, depth int) {
	if depth > 8 {
		return
	}
	for _, name := range sortedKeys(object) {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		if o.cost(path) {
			o.column(path) // listed as dropped, its value never read
			continue
		}
		switch v := object[name].(type) {
		case map[string]any:
			o.spread(path, v, depth+1)
		case []any:
			o.list(path, v, depth)
		default:
			o.put(path, scalarText(v))
		}
	}
}

func (o *objects) cost(path string) bool {
	is, ok := o.costs[path]
	if !ok {
		is = costColumn(path)
		if len(o.costs) < maxColumns {
			o.costs[path] = is
		}
	}
	return is
}

// list puts scalars as one marked list; of objects, each member gives one. A
// list of names and amounts stays JSON, as fees are read.
func (o *objects) list(path string, v []any, depth int) {
	fee := len(v) > 0
	for _, e := range v {
		m, ok := e.(map[string]any)
		fee = fee && ok && m["name"] != nil && m["amount"] != nil && len(m) == 2
	}
	if fee {
		if b, err := json.Marshal(v); err == nil {
			o.put(path, string(b))
		}
		return
	}
	for _, e := range v {
		switch e := e.(type) {
		case map[string]any:
			o.spread(path, e, depth+1)
		case []any:
		default:
			o.put(path, scalarText(e))
		}
	}
}

func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// put sets a column, or adds to its list when the row has it already.
func (o *objects) put(path, value string) {
	at := o.column(path)
	if at < 0 || value == "" {
		return
	}
	if len(o.fields[at]) > 0 {
		o.fields[at] = append(append(o.fields[at], string(listMark)...), value...)
		return
	}
	o.fields[at] = append([]byte(nil), value...)
}

// column finds a path's column, adding one for a path not met before.
func (o *objects) column(path string) int {
	if at, ok := o.index[path]; ok {
		return at
	}
	if len(o.header) >= maxColumns || len(path) > 512 {
		return -1
	}
	at := len(o.header)
	o.index[path] = at
	o.header = append(o.header, path)
	o.fields = append(o.fields, nil)
	o.changed = true
	return at
}
