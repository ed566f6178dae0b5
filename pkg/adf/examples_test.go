package adf_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestReleasedExamplesRenderValid(t *testing.T) {
	dir := aaptest.Reference(t, "aap", "v1.3", "examples")
	examples, err := filepath.Glob(filepath.Join(dir, "lead-submit-request*.json"))
	if err != nil || len(examples) < 5 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	out := t.TempDir()
	var files []string
	for _, example := range examples {
		payload, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		r := record(t, request())
		r.Request = payload
		doc := render(t, r, profile(t, ""), adf.Options{})
		file := filepath.Join(out, filepath.Base(example)+".xml")
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	validate(t, files...)
}

func FuzzRender(f *testing.F) {
	for _, tw := range twists() {
		f.Add([]byte(tw.record(f).Request), "L-1", "North")
	}
	f.Add([]byte(`{"customer":{"email":"a@b.c"},"vehicle_of_interest":{"other_attributes":{"a":{"b":[1e400]}}}}`), "\x00", "\xff")
	p := profile(f, "consent: true")
	f.Fuzz(func(t *testing.T, payload []byte, id, rooftop string) {
		doc, err := adf.Render(lead.Record{ID: id, Request: json.RawMessage(payload), Rooftop: rooftop, ReceivedAt: received}, p, adf.Options{})
		if err != nil {
			if !errors.Is(err, adf.ErrUnrenderable) {
				t.Errorf("another error: %v", err)
			}
			return
		}
		dec := xml.NewDecoder(strings.NewReader(string(doc)))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("a strict parser refuses it: %v\n%s", err, doc)
			}
		}
	})
}
