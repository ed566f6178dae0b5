package adf

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// attributes lists other_attributes by name, but for the doors, which have an
// element; arrays are joined by commas.
func attributes(v *aap.Vehicle) []string {
	if len(v.OtherAttributes) == 0 {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.OtherAttributes)) {
		if text := plain(v.OtherAttributes[name]); text != "" && name != "doors" {
			out = append(out, name+": "+text)
		}
	}
	return out
}

// extra lists the members that AAP does not declare, in the same way.
func extra(v *aap.Vehicle) []string {
	if len(v.Extra) == 0 {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.Extra)) {
		var value any
		if json.Unmarshal(v.Extra[name], &value) == nil {
			out = labelled(out, name, plain(value))
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
