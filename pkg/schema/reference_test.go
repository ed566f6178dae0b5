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
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// version is a contract as far as schemas go: they know it by its label.
func version(label string) aap.Version { return aap.Version{Label: label} }

// eachVersion runs a test for every contract there is a folder for.
func eachVersion(t *testing.T, f func(t *testing.T, label string)) {
	for _, label := range schemas.Labels() {
		t.Run(label, func(t *testing.T) { f(t, label) })
	}
}

// newSet is the set most tests are about: our own files of v1.3.
func newSet(t testing.TB) *schema.Set { return setOf(t, aap.V1_3.Label) }

func setOf(t testing.TB, label string) *schema.Set {
	t.Helper()
	files, err := schemas.Version(label)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.New(version(label), files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ownFiles are our documents of a version by file name.
func ownFiles(t testing.TB, label string) map[string]any {
	t.Helper()
	files, err := schemas.Version(label)
	if err != nil {
		t.Fatal(err)
	}
	return documents(t, files)
}

// released is the folder that holds the released contracts by label.
func released(t testing.TB) string {
	t.Helper()
	return aaptest.Reference(t, "aap")
}

// releasedFiles are the released documents of a version by file name.
func releasedFiles(t testing.TB, label string) map[string]any {
	t.Helper()
	if label == "v1.2" {
		return withoutFees(t, releasedFiles(t, "v1.3"))
	}
	return documents(t, os.DirFS(filepath.Join(released(t), label, "schemas")))
}

// withoutFees makes the released v1.2 of the released v1.3. The two differ in
// nothing but the fees, their labels and the wording about prices.
func withoutFees(t testing.TB, files map[string]any) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, doc := range files {
		out[name] = relabelled(doc, "v1.3", "v1.2")
	}
	remove := func(from any, path ...string) {
		m := from.(map[string]any)
		for _, key := range path[:len(path)-1] {
			m = m[key].(map[string]any)
		}
		last := path[len(path)-1]
		if _, ok := m[last]; !ok {
			t.Fatalf("the released v1.3 has no %v", path)
		}
		delete(m, last)
	}
	remove(any(out), "_primitives/dealer-fee.schema.json")
	remove(out["vehicle.schema.json"], "properties", "fees")
	remove(out["dealer-information.schema.json"], "$defs", "rooftop", "properties", "fees")
	return out
}

// relabelled is a deep copy with one version's label replaced by another's in
// every address.
func relabelled(v any, from, to string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, kid := range v {
			out[key] = relabelled(kid, from, to)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, kid := range v {
			out[i] = relabelled(kid, from, to)
		}
		return out
	case string:
		return strings.ReplaceAll(v, "/"+from, "/"+to)
	}
	return v
}

func documents(t testing.TB, root fs.FS) map[string]any {
	t.Helper()
	out := map[string]any{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		out[path], err = jsonschema.UnmarshalJSON(bytes.NewReader(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// oracle is the released schemas of one version as the library itself judges
// by them.
type oracle struct {
	label    string
	files    map[string]any // released schema documents by file name
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func newOracle(t testing.TB, label string) *oracle {
	t.Helper()
	o := &oracle{label: label, files: releasedFiles(t, label), compiled: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	o.compiler.AssertFormat()
	for _, f := range schema.Formats() {
		o.compiler.RegisterFormat(f)
	}
	for file, doc := range o.files {
		if err := o.compiler.AddResource(version(label).SchemaBaseURL()+file, doc); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func (o *oracle) schema(t testing.TB, file string) *jsonschema.Schema {
	t.Helper()
	s, ok := o.compiled[file]
	if !ok {
		var err error
		if s, err = o.compiler.Compile(version(o.label).SchemaBaseURL() + file); err != nil {
			t.Fatal(err)
		}
		o.compiled[file] = s
	}
	return s
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
