package schema_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

// annotations are the keywords that describe and do not constrain.
var annotations = []string{"title", "description", "examples", "$comment"}

// bare is a schema without its annotations. It knows where members are names
// and not keywords.
func bare(v any, names bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, kid := range v {
			if !names && slices.Contains(annotations, key) {
				continue
			}
			out[key] = bare(kid, !names && (key == "properties" || key == "$defs"))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, kid := range v {
			out[i] = bare(kid, false)
		}
		return out
	}
	return v
}

func TestOwnFilesConstrainExactlyWhatTheReleasedOnesDo(t *testing.T) {
	o, own := newOracle(t), ownFiles(t)
	for file := range o.files {
		if _, ok := own[file]; !ok {
			t.Errorf("%s is missing", file)
		}
	}
	for file, doc := range own {
		if diff := cmp.Diff(bare(o.files[file], false), bare(doc, false)); diff != "" {
			t.Errorf("%s (-released +own):\n%s", file, diff)
		}
	}
}

func TestOwnFilesAreInOwnWords(t *testing.T) {
	theirs := map[string]bool{}
	for _, doc := range newOracle(t).files {
		for _, s := range sentences(doc, false) {
			theirs[s] = true
		}
	}
	if len(theirs) < 100 {
		t.Fatalf("only %d released sentences found", len(theirs))
	}
	for file, doc := range ownFiles(t) {
		found := sentences(doc, false)
		if len(found) == 0 {
			t.Errorf("%s describes nothing", file)
		}
		for _, s := range found {
			if theirs[s] {
				t.Errorf("%s repeats %q", file, s)
			}
		}
	}
}

// sentences are the titles and the single sentences of the descriptions.
func sentences(v any, names bool) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for key, kid := range v {
			if text, ok := kid.(string); ok && !names && (key == "title" || key == "description") {
				for s := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ". "), ". ") {
					if s = strings.ToLower(strings.Trim(s, " .:")); s != "" {
						out = append(out, s)
					}
				}
				continue
			}
			out = append(out, sentences(kid, !names && (key == "properties" || key == "$defs"))...)
		}
	case []any:
		for _, kid := range v {
			out = append(out, sentences(kid, false)...)
		}
	}
	return out
}

func ownFiles(t testing.TB) map[string]any {
	t.Helper()
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := files.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		out[path], err = jsonschema.UnmarshalJSON(f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryFileCarriesItsOwnAddress(t *testing.T) {
	for file, doc := range ownFiles(t) {
		if got, want := doc.(map[string]any)["$id"], aap.V1_3.SchemaBaseURL()+file; got != want {
			t.Errorf("%s: $id %v, want %s", file, got, want)
		}
	}
}
