package adf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
)

// again reads a document, writes the first prospect and reads that.
func again(t *testing.T, file string) (doc []byte, before, after adf.Prospect) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := adf.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	doc = first[0].XML()
	second, _, err := adf.Read(bytes.NewReader(doc))
	if err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	return doc, first[0], second[0]
}

func TestProspectWrittenAgainIsTheSameAndValid(t *testing.T) {
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, aaptest.Reference(t, "cases", "adf", "good-full.xml"), aaptest.Reference(t, "cases", "adf", "good-minimal.xml"))
	dir := t.TempDir()
	var written []string
	for _, file := range files {
		doc, before, after := again(t, file)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		out := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(out, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		written = append(written, out)
	}
	validate(t, written...)
}

func TestBrokenProspectsAreMendedByWriting(t *testing.T) {
	dir := t.TempDir()
	var written []string
	for _, name := range []string{
		"sendadf-basic-oneline.xml", "aap-mapping-v1.1.xml", "fetch-auto-expected.xml", "launchlabs-sample.xml", "wikipedia-valid-sample.xml", "adf-builder-readme.xml",
	} {
		doc, before, after := again(t, aaptest.Reference(t, "cases", "adf", name))
		equal(t, name+" customer", after.Customer.Full, before.Customer.Full)
		equal(t, name+" comments", after.Comments, before.Comments)
		out := filepath.Join(dir, name)
		if err := os.WriteFile(out, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		written = append(written, out)
	}
	validate(t, written...)
}

func TestProspectWithoutVehicleIsWrittenWithAnEmptyOne(t *testing.T) {
	r := record(t, request())
	first, _, err := adf.Read(bytes.NewReader([]byte(render(t, r, profile(t, "no_vehicle: omit"), adf.Options{}))))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "bare.xml")
	if err := os.WriteFile(out, first[0].XML(), 0o600); err != nil {
		t.Fatal(err)
	}
	validate(t, out)
}
