package feed

import (
	"encoding/json"
	"strconv"
	"strings"
)

// attributes fills other_attributes; numbers and booleans keep their type, a
// number with a leading zero is a text.
func (b *builder) attributes() {
	l := &b.v.Listing
	for _, a := range b.m.attrs {
		if s := b.at(a.column); s != "" && !isAbsent(s) {
			b.attribute(a.name, s)
		}
	}
	for name, s := range b.profile.Feed.Constants {
		if name, ok := strings.CutPrefix(name, "other_attributes."); ok && l.OtherAttributes[name] == nil {
			b.attribute(name, s)
		}
	}
}

func (b *builder) attribute(name, s string) {
	var value any
	if strings.ContainsRune(s, listMark) {
		var list []string
		for part := range strings.SplitSeq(s, string(listMark)) {
			if part = line1(part); part != "" {
				list = append(list, part)
			}
		}
		value = list
	} else if s = line1(s); s == "" {
		return
	} else if v, ok := scalar(s); ok {
		value = v
	} else {
		value = s
	}
	if b.v.Listing.OtherAttributes == nil {
		b.v.Listing.OtherAttributes = map[string]any{}
	}
	b.v.Listing.OtherAttributes[name] = value
}

// scalar reads true, false and numbers as JSON writes them, so that a value is
// the same before and after it was stored.
func scalar(s string) (any, bool) {
	switch strings.ToLower(s) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	if !json.Valid([]byte(s)) || s[0] == '"' || s[0] == '[' || s[0] == '{' || len(s) > 15 {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
