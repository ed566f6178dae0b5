package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// example is a payload with the schema file it belongs to.
type example struct {
	name, file string
	payload    any
}

// untyped are the released documents that carry no type, by the beginning of
// their name.
var untyped = []struct{ prefix, file string }{
	{"agent-card", "agent-card.schema.json"},
	{"contract-manifest", "contract-manifest.schema.json"},
}

// examples collects the payloads of every released example of a version, also
// those inside envelopes.
func examples(t testing.TB, label string) []example {
	t.Helper()
	if label == "v1.2" {
		return examplesWithoutFees(t)
	}
	var out []example
	root := filepath.Join(released(t), label)
	for _, pattern := range []string{"examples/*.json", "doc-examples/*.json"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, payloads(t, label, filepath.Base(path), doc)...)
		}
	}
	if len(out) < 18 {
		t.Fatalf("only %d released payloads found", len(out))
	}
	return out
}

func payloads(t testing.TB, label, name string, doc any) []example {
	t.Helper()
	switch {
	case strings.HasPrefix(name, "mcp-manifest"):
		return nil // not a payload of the contract
	case strings.HasPrefix(name, "agent-card") && label == "v0.2":
		return nil // the one version whose cards have no schema
	}
	for _, u := range untyped {
		if strings.HasPrefix(name, u.prefix) {
			return []example{{name, u.file, doc}}
		}
	}
	var out []example
	for _, p := range typed(doc) {
		out = append(out, example{name, fileOf(t, p["type"].(string)), any(p)})
	}
	if len(out) == 0 {
		t.Fatalf("%s of %s holds no typed payload", name, label)
	}
	return out
}

// examplesWithoutFees stand in for those of v1.2: what v1.1 and v1.3 show, in
// so far as v1.2 has it.
func examplesWithoutFees(t testing.TB) []example {
	t.Helper()
	out := append(examples(t, "v1.1"), examples(t, "v1.3")...)
	for i, ex := range out {
		out[i].payload = pruned(relabelled(relabelled(ex.payload, "v1.1", "v1.2"), "v1.3", "v1.2"), "fees")
	}
	return out
}

// pruned removes members of that name, at any depth.
func pruned(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, name)
		for _, kid := range v {
			pruned(kid, name)
		}
	case []any:
		for _, kid := range v {
			pruned(kid, name)
		}
	}
	return v
}

// typed finds the outermost objects that carry an AAP type.
func typed(v any) []map[string]any {
	var out []map[string]any
	switch v := v.(type) {
	case map[string]any:
		if s, ok := v["type"].(string); ok && strings.Contains(s, ".") {
			return []map[string]any{v}
		}
		for _, kid := range v {
			out = append(out, typed(kid)...)
		}
	case []any:
		for _, kid := range v {
			out = append(out, typed(kid)...)
		}
	}
	return out
}

func fileOf(t testing.TB, typ string) string {
	t.Helper()
	switch typ {
	case "aap.error":
		return "error.schema.json"
	case "aap.event":
		return "event.schema.json"
	}
	for _, s := range aap.Skills() {
		switch typ {
		case s.RequestType():
			return s.RequestSchema()
		case s.ResponseType():
			return s.ResponseSchema()
		}
	}
	t.Fatalf("no schema for type %q", typ)
	return ""
}
