// Package rawjson looks into JSON that is known to be valid without decoding
// it: one pass over the bytes, no copy, no allocation. It exists because a
// hostile request of the longest length must cost next to nothing before it
// is refused, and because what is passed on must stay byte for byte as it came.
//
// On invalid JSON the functions stop early or yield nonsense, but never panic.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members yields the members of an object in order, duplicates included, with
// their names unescaped. A name is valid only until the next step. Of
// anything but an object there are none.
func Members(doc []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		at := blanks(doc, 0)
		if at >= len(doc) || doc[at] != '{' {
			return
		}
		for at = blanks(doc, at+1); at < len(doc) && doc[at] == '"'; at = blanks(doc, at+1) {
			end := text(doc, at)
			name := unescape(doc[at:end])
			start := blanks(doc, blanks(doc, end)+1) // past the colon
			if start >= len(doc) {
				return
			}
			at = skip(doc, start)
			if !yield(name, json.RawMessage(doc[start:at])) {
				return
			}
			if at = blanks(doc, at); at >= len(doc) || doc[at] != ',' {
				return
			}
		}
	}
}

// Elements yields the elements of an array; of anything else there are none.
func Elements(doc []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		at := blanks(doc, 0)
		if at >= len(doc) || doc[at] != '[' {
			return
		}
		for at = blanks(doc, at+1); at < len(doc) && doc[at] != ']'; at = blanks(doc, at+1) {
			start := at
			at = skip(doc, start)
			if at == start || !yield(json.RawMessage(doc[start:at])) {
				return
			}
			if at = blanks(doc, at); at >= len(doc) || doc[at] != ',' {
				return
			}
		}
	}
}

// skip returns where the value that begins at at ends.
func skip(doc []byte, at int) int {
	switch doc[at] {
	case '"':
		return text(doc, at)
	case '{', '[':
		for depth := 0; at < len(doc); at++ {
			switch doc[at] {
			case '"':
				at = text(doc, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
		return len(doc)
	}
	for at < len(doc) && bytes.IndexByte([]byte(" \t\r\n,]}"), doc[at]) < 0 {
		at++
	}
	return at
}

// text returns where the string that begins at at ends.
func text(doc []byte, at int) int {
	for at++; at < len(doc); at++ {
		switch doc[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(doc)
}

func blanks(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\t' || doc[at] == '\r' || doc[at] == '\n') {
		at++
	}
	return at
}

// unescape gives the text of a quoted name.
func unescape(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) == nil {
			return []byte(s)
		}
	}
	if len(quoted) < 2 {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}
