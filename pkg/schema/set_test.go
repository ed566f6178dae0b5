package schema_test

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// watched remembers which files were opened.
type watched struct {
	fs.FS
	mu     sync.Mutex
	opened map[string]int
}

func (w *watched) Open(name string) (fs.File, error) {
	w.mu.Lock()
	w.opened[name]++
	w.mu.Unlock()
	return w.FS.Open(name)
}

func TestFilesAreReadOnFirstUseAndOnce(t *testing.T) {
	files, err := schemas.Version("v1.3")
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{FS: files, opened: map[string]int{}}
	set, err := schema.New(aap.V1_3, w)
	if err != nil {
		t.Fatal(err)
	}
	delete(w.opened, ".")
	if len(w.opened) > 0 {
		t.Errorf("New opens %v", w.opened)
	}
	for range 3 {
		if _, err := set.Check(facetsFile, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.opened) != 2 || w.opened[searchFile] != 1 {
		t.Errorf("a facets request opens %v, want its file and the one it refers to", w.opened)
	}
}

func TestManyCallersShareOneCompilation(t *testing.T) {
	for range 5 {
		set := newSet(t)
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				file, payload := leadFile, lead
				if i%2 == 1 {
					file, payload = searchFile, search("")
				}
				if found, err := set.Check(file, []byte(payload)); err != nil || len(found) > 0 {
					t.Errorf("%v %v", found, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestFilesThatAreNotThereAreUnknown(t *testing.T) {
	set := newSet(t)
	for _, file := range []string{"", ".", "_primitives", "nothing.schema.json", "../schemas.go", "/etc/passwd", "https://example.com/x.json", searchFile + "#"} {
		if _, err := set.Check(file, []byte(`{}`)); !errors.Is(err, schema.ErrUnknown) {
			t.Errorf("%q: %v", file, err)
		}
	}
	if _, err := schemas.Version("v9.9"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown version: %v", err)
	}
	for _, label := range []string{"", ".", "..", "../schemas"} {
		if _, err := schemas.Version(label); err == nil {
			t.Errorf("%q is taken for a version", label)
		}
	}
	if _, err := schema.New(aap.V1_3, fstest.MapFS{}); err == nil {
		t.Error("a folder without schemas is taken for a version")
	}
}

func TestEverySchemaOfEveryVersionCompiles(t *testing.T) {
	eachVersion(t, func(t *testing.T, label string) {
		set := setOf(t, label)
		for file := range ownFiles(t, label) {
			if err := set.Compile(file); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestNoVersionCostsMoreAtFirstUseThanTheNewest(t *testing.T) {
	cost := func(label string, s aap.Skill) float64 {
		return testing.AllocsPerRun(5, func() {
			if err := setOf(t, label).Compile(s.RequestSchema()); err != nil {
				t.Error(err)
			}
		})
	}
	for _, s := range aap.Skills() {
		newest := cost(aap.V1_3.Label, s)
		for _, label := range schemas.Labels() {
			// A few members more, such as the ZIP code of old vehicle requests, are allowed for.
			if n := cost(label, s); n > 1.15*newest {
				t.Errorf("%s of %s takes %.0f allocations, %s takes %.0f", s.ID, label, n, aap.V1_3.Label, newest)
			}
		}
	}
}

func TestSchemasThatCannotBeKeptToAreErrors(t *testing.T) {
	for name, body := range map[string]string{
		"the network":            `"$ref":"https://example.com/other.schema.json"`,
		"the disk":               `"$ref":"file:///etc/hostname"`,
		"a file outside":         `"$ref":"../../v1.2/schemas/x.schema.json"`,
		"a file that is missing": `"$ref":"./missing.schema.json"`,
		"a keyword not checked":  `"properties":{"a":{"not":{"type":"string"}}}`,
		"an older draft":         `"$schema":"http://json-schema.org/draft-07/schema#"`,
		"a broken schema":        `"type":"txt"`,
		"a schema without end":   `"allOf":[{"$ref":"#"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := schema.New(aap.V1_3, fstest.MapFS{"x.schema.json": {Data: []byte("{" + body + "}")}})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if found, err := set.Check("x.schema.json", []byte(`{"a":1}`)); err == nil {
					t.Errorf("accepted, with %v", found)
				}
			}
		})
	}
}

func TestASchemaMayReferToItselfForInnerValues(t *testing.T) {
	files := fstest.MapFS{"x.schema.json": {Data: []byte(`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#"}}}}}`)}}
	set, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	found, err := set.Check("x.schema.json", []byte(`{"next":{"next":{"next":1}}}`))
	if err != nil || len(found) != 1 || found[0].InstanceLocation != "/next/next/next" {
		t.Errorf("%v %v", found, err)
	}
}

func TestFormats(t *testing.T) {
	files := fstest.MapFS{"x.schema.json": {Data: []byte(`{"properties":{
		"date-time":{"format":"date-time"},"date":{"format":"date"},"email":{"format":"email"},"uri":{"format":"uri"}}}`)}}
	set, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	for format, values := range map[string]struct{ good, bad string }{
		"date-time": {
			"2026-05-03T18:00:00Z|2026-05-03T18:00:00-07:00|2026-05-03t18:00:00.123456789z|2024-02-29T00:00:00+14:00",
			"2026-05-03T18:00:00|2026-05-03 18:00:00Z|2026-05-03|2026-05-03T18:00Z|2026-02-29T00:00:00Z|2026-05-03T24:00:00Z|2026-05-03T18:00:60Z|" +
				"2026-05-03T18:00:00+0700|2026-05-03T18:00:00+7|2026-05-03T18:00:00,5Z|2026-05-03T8:00:00.0Z|2026-05-03T18:00:00.Z|20260503T180000Z| 2026-05-03T18:00:00Z|" +
				"2026-05-03T18:00:00Z\\n|2026-05-03T18:00:00+99:00|+2026-05-03T18:00:00Z",
		},
		"date":  {"2026-05-03|2024-02-29", "2026-02-29|2026-5-3|2026-05-03T00:00:00Z|26-05-03|05/03/2026|2026-13-01||2026-05-03\\n"},
		"email": {"a@b.example|a.b+c@sub.b.example|o'neil@b.example|a@localhost|ä@bücher.example|a@[192.0.2.1]", "|a|@b.example|a@|a b@c.example|A <a@b.example>|a@b.example, c@d.example|a@b..example|a@-b.example|a..b@c.example|a@b.example\\n|a@b_c.example|a@b.example(x)|" + strings.Repeat("a", 65) + "@b.example"},
		"uri":   {"https://a.example/b?c=d#e|mailto:a@b.example|urn:x:y|https://a.example/ä", "|a.example|/a|//a.example/b|https://a.example/b c|https://a.example/<b>|http://[::1|:x|https://a.example/\\u0000|https://a.example/\\n"},
	} {
		check := func(value string) []aap.Violation {
			found, err := set.Check("x.schema.json", []byte(`{"`+format+`":"`+value+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		for value := range strings.SplitSeq(values.good, "|") {
			if found := check(value); len(found) > 0 {
				t.Errorf("%s %q is refused: %v", format, value, found)
			}
		}
		for value := range strings.SplitSeq(values.bad, "|") {
			if found := check(value); len(found) != 1 || found[0].Keyword != "format" {
				t.Errorf("%s %q gets %v", format, value, found)
			}
		}
	}
}
