package adf

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// attributes lists other_attributes by name; arrays are joined by commas.
func attributes(v *aap.Vehicle) []string {
	if len(v.OtherAttributes) == 0 {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.OtherAttributes)) {
		if text := plain(v.OtherAttributes[name]); text != "" {
			out = append(out, name+": "+text)
		}
	}
	return out
}

// plain writes a JSON value as a person would.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			if text := plain(item); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, ", ")
	default:
		text, _ := json.Marshal(v)
		return string(text)
	}
}
