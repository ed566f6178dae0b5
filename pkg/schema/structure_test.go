package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	eachVersion(t, func(t *testing.T, label string) {
		theirs, own := releasedFiles(t, label), ownFiles(t, label)
		for file := range theirs {
			if _, ok := own[file]; !ok {
				t.Errorf("%s is missing", file)
			}
		}
		for file, doc := range own {
			if diff := cmp.Diff(bare(theirs[file], false), bare(doc, false)); diff != "" {
				t.Errorf("%s (-released +own):\n%s", file, diff)
			}
		}
	})
}

func TestEveryReleasedContractHasItsFolder(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(released(t), "v*", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"v1.2"} // made of v1.3
	for _, dir := range found {
		want = append(want, filepath.Base(filepath.Dir(dir)))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, schemas.Labels()); diff != "" {
		t.Errorf("(-released +own):\n%s", diff)
	}
}

func TestEveryVersionOfTheAgentHasItsFolder(t *testing.T) {
	var want []string
	for _, v := range aap.Versions() {
		want = append(want, v.Label)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, schemas.Labels()); diff != "" {
		t.Errorf("(-agent +folders):\n%s", diff)
	}
}

func TestEveryFolderSaysWhatItsVersionIs(t *testing.T) {
	labels := schemas.Labels()
	for i, label := range labels {
		text, err := os.ReadFile(filepath.Join("..", "..", "schemas", label, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		v, ok := aap.VersionByLabel(label)
		if !ok {
			t.Errorf("%s is no version of the agent", label)
		}
		want := []string{"# AAP " + label + "\n", "Extension URI: `" + v.ExtensionURI + "`."}
		if i > 0 {
			want = append(want, "since ["+labels[i-1]+"](../"+labels[i-1]+")")
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s does not say %q", label, w)
			}
		}
	}
}

// retold are files that constrain the same as in the version before and yet
// mean something else.
var retold = map[string][]string{
	"v1.2": {"appointment.schema.json"},                                    // a test drive may be a ride
	"v1.3": {"facets.schema.json", "inventory-search-request.schema.json"}, // the meaning of price
}

func TestWhatDidNotChangeReadsTheSameInTheNextVersion(t *testing.T) {
	labels := schemas.Labels()
	for i := 1; i < len(labels); i++ {
		before, after := ownFiles(t, labels[i-1]), ownFiles(t, labels[i])
		same := 0
		for file, doc := range after {
			old := relabelled(before[file], labels[i-1], labels[i])
			if old == nil || slices.Contains(retold[labels[i]], file) || cmp.Diff(bare(old, false), bare(doc, false)) != "" {
				continue
			}
			same++
			// A description may name its own version.
			if was := strings.ReplaceAll(string(encode(t, old)), "AAP "+labels[i-1], "AAP "+labels[i]); was != string(encode(t, doc)) {
				t.Errorf("%s of %s tells otherwise than %s:\n%s", file, labels[i], labels[i-1], cmp.Diff(old, doc))
			}
		}
		if same < 5 {
			t.Errorf("%s shares only %d files with %s", labels[i], same, labels[i-1])
		}
	}
}

func TestOwnFilesAreInOwnWords(t *testing.T) {
	theirs := map[string]bool{}
	for _, label := range schemas.Labels() {
		for _, doc := range releasedFiles(t, label) {
			for _, s := range sentences(doc, false) {
				theirs[s] = true
			}
		}
	}
	if len(theirs) < 300 {
		t.Fatalf("only %d released sentences found", len(theirs))
	}
	eachVersion(t, func(t *testing.T, label string) {
		for file, doc := range ownFiles(t, label) {
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
	})
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

func TestEveryFileCarriesItsOwnAddress(t *testing.T) {
	eachVersion(t, func(t *testing.T, label string) {
		for file, doc := range ownFiles(t, label) {
			if got, want := doc.(map[string]any)["$id"], version(label).SchemaBaseURL()+file; got != want {
				t.Errorf("%s: $id %v, want %s", file, got, want)
			}
		}
	})
}
