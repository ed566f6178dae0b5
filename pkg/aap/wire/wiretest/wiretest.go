// Package wiretest draws random valid payloads from the schemas of any contract
// version, for property tests.
package wiretest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// Contract draws random instances of one version's schemas.
type Contract struct {
	files map[string]map[string]any
	set   *schema.Set
}

// New reads the schemas of a version.
func New(t testing.TB, v aap.Version) *Contract {
	t.Helper()
	files, err := schemas.Version(v.Label)
	if err != nil {
		t.Fatal(err)
	}
	c := &Contract{files: map[string]map[string]any{}}
	if c.set, err = schema.New(v, files); err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		doc := map[string]any{}
		c.files[name] = doc
		return json.Unmarshal(text, &doc)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Faults lists what is wrong with a payload by a schema file.
func (c *Contract) Faults(t testing.TB, file string, payload []byte) []aap.Violation {
	t.Helper()
	faults, err := c.set.Check(file, payload)
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

// Draw makes a valid instance of a schema file. Members that other versions
// declare, and the schema does not, hold anything.
func (c *Contract) Draw(t *rapid.T, file string) []byte {
	doc, err := json.Marshal(c.value(t, node{c.files[file], file}))
	if err != nil {
		t.Fatal(err)
	}
	faults, err := c.set.Check(file, doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) > 0 {
		t.Skipf("%v", faults)
	}
	return doc
}

// node is a schema and the file it stands in.
type node struct {
	schema map[string]any
	file   string
}

// flat is a schema with what it refers to and combines put together.
type flat struct {
	kinds      []string
	words      []any
	fixed      any
	properties map[string][]node
	required   map[string]bool
	items      []node
	closed     bool
	others     []node
	limits     map[string]float64
	format     string
	pattern    string
}

func (c *Contract) flatten(t *rapid.T, n node, f *flat) {
	if ref, ok := n.schema["$ref"].(string); ok {
		name, at, _ := strings.Cut(ref, "#")
		file := n.file
		if name != "" {
			file = path.Join(path.Dir(n.file), name)
		}
		var target any = c.files[file]
		for step := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
			if step != "" {
				target = target.(map[string]any)[step]
			}
		}
		c.flatten(t, node{target.(map[string]any), file}, f)
	}
	for _, member := range list(n.schema["allOf"]) {
		if then, ok := member["then"].(map[string]any); ok {
			member = then
		}
		c.flatten(t, node{member, n.file}, f)
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if members := list(n.schema[choice]); len(members) > 0 {
			c.flatten(t, node{rapid.SampledFrom(members).Draw(t, choice), n.file}, f)
		}
	}
	switch kinds := n.schema["type"].(type) {
	case string:
		f.kinds = []string{kinds}
	case []any:
		f.kinds = nil
		for _, k := range kinds {
			f.kinds = append(f.kinds, k.(string))
		}
	}
	if v, ok := n.schema["const"]; ok {
		f.fixed = v
	}
	if words, ok := n.schema["enum"].([]any); ok {
		f.words = words
	}
	if properties, ok := n.schema["properties"].(map[string]any); ok {
		for name, s := range properties {
			if s, ok := s.(map[string]any); ok {
				f.properties[name] = append(f.properties[name], node{s, n.file})
			}
		}
	}
	if names, ok := n.schema["required"].([]any); ok {
		for _, name := range names {
			f.required[name.(string)] = true
		}
	}
	if items, ok := n.schema["items"].(map[string]any); ok {
		f.items = append(f.items, node{items, n.file})
	}
	switch others := n.schema["additionalProperties"].(type) {
	case bool:
		f.closed = f.closed || !others
	case map[string]any:
		f.closed, f.others = true, append(f.others, node{others, n.file})
	}
	for _, name := range []string{"minimum", "maximum", "maxLength", "minItems", "maxItems", "minLength"} {
		if v, ok := n.schema[name].(float64); ok {
			f.limits[name] = v
		}
	}
	if s, ok := n.schema["format"].(string); ok {
		f.format = s
	}
	if s, ok := n.schema["pattern"].(string); ok {
		f.pattern = s
	}
}

func list(v any) []map[string]any {
	var out []map[string]any
	items, _ := v.([]any)
	for _, item := range items {
		out = append(out, item.(map[string]any))
	}
	return out
}

func (c *Contract) value(t *rapid.T, nodes ...node) any {
	f := &flat{properties: map[string][]node{}, required: map[string]bool{}, limits: map[string]float64{}}
	for _, n := range nodes {
		c.flatten(t, n, f)
	}
	switch {
	case f.fixed != nil:
		return f.fixed
	case f.words != nil:
		return rapid.SampledFrom(f.words).Draw(t, "word")
	case len(f.kinds) == 0 && len(f.properties) > 0:
		f.kinds = []string{"object"}
	case len(f.kinds) == 0:
		return junk(t)
	}
	switch kind := rapid.SampledFrom(f.kinds).Draw(t, "kind"); kind {
	case "null":
		return nil
	case "boolean":
		return rapid.Bool().Draw(t, "yes")
	case "integer", "number":
		most, ok := f.limits["maximum"]
		if !ok {
			most = f.limits["minimum"] + 200_000
		}
		n := float64(rapid.Int64Range(int64(f.limits["minimum"]), int64(most)).Draw(t, "n"))
		if kind == "number" && rapid.Bool().Draw(t, "fraction") && n < most {
			n += 0.25
		}
		return n
	case "string":
		return c.text(t, f)
	case "array":
		least := int(f.limits["minItems"])
		most := least + 3
		if v, ok := f.limits["maxItems"]; ok {
			most = min(most, int(v))
		}
		out := []any{}
		for range rapid.IntRange(least, most).Draw(t, "items") {
			if item := c.value(t, f.items...); !slices.ContainsFunc(out, func(have any) bool { return fmt.Sprint(have) == fmt.Sprint(item) }) {
				out = append(out, item)
			}
		}
		return out
	}
	return c.object(t, f)
}

// hostile are the names that other versions declare: on an open object they
// hold anything.
var hostile = []string{
	"fees", "vehicle_type", "displacement_cc", "battery_kwh", "motor_power_hp", "dc_fast_charge", "charge_port", "other_attributes",
	"offered_price", "zip", "mpg", "last_verified_at", "status", "rooftop", "dealer_id", "driveline", "features", "photos", "vdp_url",
	"inventory_date", "updated_at", "city_mpg", "electric_range_mi", "equipment", "x y", "",
}

func (c *Contract) object(t *rapid.T, f *flat) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f.properties)) {
		if f.required[name] || rapid.Bool().Draw(t, "has "+name) {
			out[name] = c.value(t, f.properties[name]...)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "others") {
		name := rapid.SampledFrom(hostile).Draw(t, "name")
		switch _, declared := f.properties[name]; {
		case declared:
		case len(f.others) > 0:
			out[name] = c.value(t, f.others...)
		case !f.closed:
			out[name] = junk(t)
		}
	}
	return out
}

func (c *Contract) text(t *rapid.T, f *flat) string {
	switch f.format {
	case "date-time":
		return rapid.SampledFrom([]string{"2026-05-03T18:00:00Z", "2026-05-03t23:30:00.25-07:00", "2026-05-03T19:00:00+02:00"}).Draw(t, "time")
	case "date":
		return "2026-05-03"
	case "uri":
		return rapid.SampledFrom([]string{"https://example.com/a?b=c#d", "mailto:a@example.com", "https://example.com/ü"}).Draw(t, "uri")
	case "email":
		return rapid.SampledFrom([]string{"a@example.com", "a.b+c@ex-ample.co"}).Draw(t, "email")
	}
	if f.pattern != "" && f.pattern != `\S` {
		return rapid.StringMatching(f.pattern).Draw(t, "match")
	}
	if most, ok := f.limits["maxLength"]; ok && rapid.IntRange(0, 9).Draw(t, "long") == 0 {
		return strings.Repeat("ü", int(most))
	}
	return rapid.SampledFrom([]string{"x", "Honda & <Sons>", "\"\\\u2028é", "94103", "a@b.example", "+14155550100", "handover", "financing", "USD", "é\n"}).Draw(t, "text")
}

func junk(t *rapid.T) any {
	return rapid.SampledFrom([]any{
		nil, true, -1.0, 3.0, 3.5, 1e30, "x", "", "2026-05-03", "2026-05-03T18:00:00Z", "https://example.com/x", []any{}, []any{"a"}, []any{1.0, "a"},
		map[string]any{}, map[string]any{"city": 20.0, "highway": 30.5}, map[string]any{"amount": 30.6, "currency": "USD"},
		map[string]any{"amount": -5.0, "currency": "EUR"}, []any{map[string]any{"name": "Doc", "amount": 5.0}},
		[]any{map[string]any{"name": "Doc", "amount": 5.0}, map[string]any{"name": "Doc", "amount": 5.0}},
	}).Draw(t, "junk")
}
