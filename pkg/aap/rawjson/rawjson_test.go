package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// members collects what a map decoder would: the last of equal names wins.
func members(doc []byte) map[string]string {
	out := map[string]string{}
	for name, value := range rawjson.Members(doc) {
		out[string(name)] = string(value)
	}
	return out
}

// FuzzAgreesWithDecoder holds the walk to encoding/json on every valid
// document, and to not panicking on any other.
func FuzzAgreesWithDecoder(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"a":1,"b":[{"c":"}"}],"a" : null }`, ` [ 1 , "x\"]" , {"y":[]} , true ] `, `{"\u0061":"\\"}`,
		`{"":{"":""}}`, `7`, `"x"`, `{"a"`, `[1,`, `{"a":}`, `{,}`, `["\`, `{"a":-1.5e3,"b":false}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		gotMembers := members(doc)
		gotElements := []string{}
		for v := range rawjson.Elements(doc) {
			gotElements = append(gotElements, string(v))
		}
		if !json.Valid(doc) {
			return
		}
		wantMembers := map[string]string{}
		var object map[string]json.RawMessage
		if json.Unmarshal(doc, &object) == nil {
			for name, value := range object {
				wantMembers[name] = string(value)
			}
		}
		wantElements := []string{}
		var array []json.RawMessage
		if json.Unmarshal(doc, &array) == nil {
			for _, v := range array {
				wantElements = append(wantElements, string(v))
			}
		}
		// A decoder replaces broken UTF-8 in names, the walk keeps it.
		if len(gotMembers) == len(wantMembers) && !utf8Only(gotMembers) {
			return
		}
		if d := cmp.Diff(wantMembers, gotMembers); d != "" {
			t.Errorf("members of %q (-decoder +walk):\n%s", doc, d)
		}
		if d := cmp.Diff(wantElements, gotElements); d != "" {
			t.Errorf("elements of %q (-decoder +walk):\n%s", doc, d)
		}
	})
}

func utf8Only(m map[string]string) bool {
	for name := range m {
		for _, r := range name {
			if r == '\uFFFD' {
				return false
			}
		}
	}
	return true
}

func TestMembersStopsWhenTold(t *testing.T) {
	n := 0
	for range rawjson.Members([]byte(`{"a":1,"b":2,"c":3}`)) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d members seen, want 2", n)
	}
}
