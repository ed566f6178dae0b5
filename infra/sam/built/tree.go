package built

import (
	"encoding/json"
	"fmt"
	"strconv"
)

type tree = map[string]any

// At follows member names and list indexes; nil where there is nothing.
func At(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := value.(tree)
			value = m[step]
		case int:
			l, _ := value.([]any)
			if step >= len(l) {
				return nil
			}
			value = l[step]
		}
	}
	return value
}

// TreeAt is At for a mapping, empty where there is none.
func TreeAt(value any, path ...any) tree { m, _ := At(value, path...).(tree); return m }

// ListAt is At for a list.
func ListAt(value any, path ...any) []any { l, _ := At(value, path...).([]any); return l }

// TextAt is At as text.
func TextAt(value any, path ...any) string { return Text(At(value, path...)) }

// Text writes a scalar as CloudFormation does.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

// List takes one value for a list of one, as policies may.
func List(value any) []any {
	if l, ok := value.([]any); ok {
		return l
	}
	if value == nil {
		return nil
	}
	return []any{value}
}
