package adf_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

var elementDeclaration = regexp.MustCompile(`<!ELEMENT\s+(\w+)\s+\((.*)\)[*+?]?>`)

// contentModels reads the order of children out of the DTD itself.
func contentModels(t *testing.T) map[string][]string {
	dtd, err := os.ReadFile(aaptest.Reference(t, "cases", "adf", "adf-1.0-mended.dtd"))
	if err != nil {
		t.Fatal(err)
	}
	models := map[string][]string{}
	for _, m := range elementDeclaration.FindAllStringSubmatch(string(dtd), -1) {
		if names := regexp.MustCompile(`#?\w+`).FindAllString(m[2], -1); names[0] != "#PCDATA" {
			// A choice names a child twice; the later place is the order.
			for i, name := range names {
				if !slices.Contains(names[i+1:], name) {
					models[m[1]] = append(models[m[1]], name)
				}
			}
		}
	}
	return models
}

func TestChildrenStandInTheOrderOfTheDTD(t *testing.T) {
	models := contentModels(t)
	if len(models) < 9 {
		t.Fatalf("only %d content models found", len(models))
	}
	files, _ := filepath.Glob("testdata/*.xml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		type level struct {
			name  string
			place int
		}
		stack := []level{{}}
		dec := xml.NewDecoder(strings.NewReader(string(data)))
		for {
			token, err := dec.Token()
			if err != nil {
				break
			}
			switch e := token.(type) {
			case xml.StartElement:
				top := &stack[len(stack)-1]
				if model, known := models[top.name]; known {
					place := slices.Index(model, e.Name.Local)
					if place < top.place {
						t.Errorf("%s: %s in %s stands at %d after %d", file, e.Name.Local, top.name, place, top.place)
					}
					top.place = place
				}
				stack = append(stack, level{name: e.Name.Local})
			case xml.EndElement:
				stack = stack[:len(stack)-1]
			}
		}
	}
}
