package schema_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// FuzzCheck holds the check of any bytes to three things: it agrees with
// encoding/json about what is JSON, it agrees with the schema library about
// what is valid, and what it accepts can be decoded.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(lead))
	f.Add([]byte(leadPlus(`"trade_in":{"VIN":1,"own":[1e400,{"a":1,"a":2}],"fees":[{"name":" ","amount":1.0}],"other_attributes":{"a":[true]}}`)))
	f.Add([]byte(search(`"filters":{"make":["\ud83d\ude97","\ud800"],"year_min":20.2e2},"sort":{"field":"price"}`)))
	f.Add([]byte(`{"type":"inventory.vehicle.request","x":"\\\""}`))
	f.Add([]byte("[[[\"\xff\",-0.0e-0]]]"))
	set := newSet(f)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, format := range schema.Formats() {
		compiler.RegisterFormat(format)
	}
	for file, doc := range ownFiles(f, aap.V1_3.Label) {
		if err := compiler.AddResource(aap.V1_3.SchemaBaseURL()+file, doc); err != nil {
			f.Fatal(err)
		}
	}
	files := []string{leadFile, searchFile, detailFile, "vehicle-detail-response.schema.json"}
	compiled := map[string]*jsonschema.Schema{}
	for _, file := range files {
		s, err := compiler.Compile(aap.V1_3.SchemaBaseURL() + file)
		if err != nil {
			f.Fatal(err)
		}
		compiled[file] = s
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, file := range files {
			found, err := set.Check(file, payload)
			if err != nil {
				t.Fatal(err)
			}
			told := len(found) == 1 && found[0].InstanceLocation == ""
			if broken := told && found[0].Keyword == "syntax"; broken && json.Valid(payload) {
				t.Fatal("JSON is taken for broken")
			} else if !broken && !json.Valid(payload) && !(told && found[0].Keyword == "maxDepth") {
				t.Fatalf("broken JSON gets %v", found)
			}
			for i := 1; i < len(found); i++ {
				a, b := found[i-1], found[i]
				if a.InstanceLocation > b.InstanceLocation || a.InstanceLocation == b.InstanceLocation && a.Keyword >= b.Keyword {
					t.Fatalf("out of order: %v, %v", a, b)
				}
			}
			if slices.ContainsFunc(found, func(v aap.Violation) bool { return slices.Contains(beyond, v.Keyword) }) {
				continue
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
			if err != nil {
				t.Fatal(err)
			}
			if want := compiled[file].Validate(doc); (want == nil) != (len(found) == 0) {
				t.Fatalf("%s\nlibrary: %v\nown: %v", payload, want, found)
			}
			if len(found) > 0 {
				continue
			}
			into := map[string]any{leadFile: &aap.LeadRequest{}, searchFile: &aap.SearchRequest{}, detailFile: &aap.VehicleRequest{}}[file]
			if into != nil {
				if err := json.Unmarshal(payload, into); err != nil {
					t.Fatalf("valid and not decodable: %v\n%s", err, payload)
				}
			}
		}
	})
}
