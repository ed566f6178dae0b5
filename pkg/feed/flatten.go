package feed

import (
	"bytes"
	"encoding/json"
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
	o.blank()
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
