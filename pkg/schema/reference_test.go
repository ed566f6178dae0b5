package schema_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// released is the folder of the released v1.3 contract. Without it the test is
// skipped, and fails where CI=true.
func released(t testing.TB) string {
	t.Helper()
	var candidates []string
	if dir := os.Getenv("AAP_REFERENCE"); dir != "" {
		candidates = append(candidates, dir, filepath.Join(dir, "aap"))
	}
	for dir, err := os.Getwd(); err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		candidates = append(candidates, filepath.Join(dir, "shared", "aap"))
	}
	for _, dir := range candidates {
		if info, err := os.Stat(filepath.Join(dir, "v1.3", "schemas")); err == nil && info.IsDir() {
			return filepath.Join(dir, "v1.3")
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the released contract is not here; set AAP_REFERENCE")
	}
	t.Skip("the released contract is not here; set AAP_REFERENCE")
	return ""
}

// oracle is the released schemas as the library itself judges by them.
type oracle struct {
	files    map[string]any // released schema documents by file name
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	o := &oracle{files: map[string]any{}, compiled: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	o.compiler.AssertFormat()
	for _, f := range schema.Formats() {
		o.compiler.RegisterFormat(f)
	}
	root := os.DirFS(filepath.Join(released(t), "schemas"))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		o.files[path] = doc
		return o.compiler.AddResource(aap.V1_3.SchemaBaseURL()+path, doc)
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *oracle) schema(t testing.TB, file string) *jsonschema.Schema {
	t.Helper()
	s, ok := o.compiled[file]
	if !ok {
		var err error
		if s, err = o.compiler.Compile(aap.V1_3.SchemaBaseURL() + file); err != nil {
			t.Fatal(err)
		}
		o.compiled[file] = s
	}
	return s
}

// newSet is the set under test: our own files of v1.3.
func newSet(t testing.TB) *schema.Set {
	t.Helper()
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// example is a released payload with the schema file it belongs to.
type example struct {
	name, file string
	payload    any
}

// examples collects the payloads of every released example, also those inside
// JSON-RPC envelopes.
func examples(t testing.TB) []example {
	t.Helper()
	var out []example
	root := released(t)
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
			name := filepath.Base(path)
			if strings.HasPrefix(name, "mcp-manifest") {
				continue // not a payload of the contract
			}
			if strings.HasPrefix(name, "agent-card") {
				out = append(out, example{name, "agent-card.schema.json", doc})
				continue
			}
			found := typed(doc)
			if len(found) == 0 {
				t.Fatalf("%s holds no typed payload", name)
			}
			for _, p := range found {
				out = append(out, example{name, fileOf(t, p["type"].(string)), any(p)})
			}
		}
	}
	if len(out) < 25 {
		t.Fatalf("only %d released payloads found", len(out))
	}
	return out
}

// typed finds the outermost objects that carry an AAP type.
func typed(v any) []map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if s, ok := v["type"].(string); ok && strings.Contains(s, ".") {
			return []map[string]any{v}
		}
		var out []map[string]any
		for _, kid := range v {
			out = append(out, typed(kid)...)
		}
		return out
	case []any:
		var out []map[string]any
		for _, kid := range v {
			out = append(out, typed(kid)...)
		}
		return out
	}
	return nil
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

func encode(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
