package wire_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/schemas"
)

// disagreements compares a table of contracts, newest first, with the schema
// folders, the translations that are declared and the files they stand in.
func disagreements(table []aap.Version, folders []string, translated func(aap.Version) bool, files fs.FS) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	labels, uris, paths := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, v := range table {
		if labels[v.Label] || uris[v.ExtensionURI] || paths[v.Path()] {
			say("%s: the label, the extension URI or the path is another row's", v.Label)
		}
		labels[v.Label], uris[v.ExtensionURI], paths[v.Path()] = true, true, true
		if !strings.HasPrefix("v"+v.SemVer, v.Label+".") {
			say("%s: its full version is %q", v.Label, v.SemVer)
		}
		if !strings.HasSuffix(v.ExtensionURI, "/"+v.Label) {
			say("%s: its extension URI is %q", v.Label, v.ExtensionURI)
		}
		if !slices.Contains(folders, v.Label) {
			say("%s: no folder schemas/%s", v.Label, v.Label)
		}
		if i == 0 {
			continue
		}
		name := strings.ReplaceAll(v.Label, ".", "_") + ".go"
		if _, err := fs.Stat(files, name); err != nil {
			say("%s: no translation file pkg/aap/wire/%s", v.Label, name)
		}
		if !translated(v) {
			say("%s: no translation to the version above it", v.Label)
		}
	}
	for _, folder := range folders {
		if !labels[folder] {
			say("schemas/%s: no row for it", folder)
		}
	}
	return out
}

func folders(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("../../../schemas")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestTableSchemasAndTranslationsAgree(t *testing.T) {
	for _, fault := range disagreements(aap.Versions(), folders(t), wire.Has, os.DirFS(".")) {
		t.Error(fault)
	}
	for _, v := range aap.Versions() {
		files, err := schemas.Version(v.Label)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range aap.Skills() {
			for _, name := range []string{s.RequestSchema(), s.ResponseSchema()} {
				if _, err := fs.Stat(files, name); err != nil {
					t.Errorf("%s: %v", v.Label, err)
				}
			}
		}
		if _, err := fs.Stat(files, "agent-card.schema.json"); err != nil && v.Card != aap.CardNamed {
			t.Errorf("%s: %v", v.Label, err)
		}
		_, err = fs.Stat(files, "contract-manifest.schema.json")
		if manifest := !errors.Is(err, fs.ErrNotExist); manifest != (v.Contract == aap.ContractManifest) {
			t.Errorf("%s: manifest schema %v, trait %v", v.Label, manifest, v.Contract)
		}
	}
}

func TestARowWithoutItsFilesIsFound(t *testing.T) {
	next := aap.Version{Label: "v9.9", SemVer: "9.9.0", ExtensionURI: "https://autoagentprotocol.org/extensions/aap/v9.9"}
	table, last := append([]aap.Version{next}, aap.Versions()...), aap.Primary().Label
	// As wire.Has would be with that table: the primary one is primary no longer.
	translated := func(v aap.Version) bool { return v != aap.Primary() && wire.Has(v) }
	got := disagreements(table, folders(t), translated, os.DirFS("."))
	want := []string{
		"v9.9: no folder schemas/v9.9",
		last + ": no translation file pkg/aap/wire/" + strings.ReplaceAll(last, ".", "_") + ".go",
		last + ": no translation to the version above it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := disagreements(aap.Versions()[1:], folders(t), wire.Has, os.DirFS(".")); !slices.Equal(got, []string{"schemas/" + last + ": no row for it"}) {
		t.Errorf("a folder without a row: %q", got)
	}
}
