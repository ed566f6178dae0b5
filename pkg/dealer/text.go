package dealer

import (
	"fmt"
	"strconv"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// unprintable says which character may not stand in a profile's text: line
// ends could smuggle mail or HTTP headers.
func unprintable(s string, manyLines bool) string {
	for _, c := range s {
		switch {
		case manyLines && (c == '\n' || c == '\t'):
		case c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029':
			return "holds a line end"
		case unicode.IsControl(c) || c == unicode.ReplacementChar || c == '\uFEFF':
			return fmt.Sprintf("holds the control character U+%04X", c)
		}
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a group of members"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// quote cuts what a fault repeats to a readable length.
func quote(s string) string {
	return strconv.Quote(short(s, 40))
}

// short cuts a text behind its first runes.
func short(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}
