package a2a_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

// TestEveryRecordedAnswerFitsItsContract holds what the conversations record to
// the released schemas of the contract they were held under.
func TestEveryRecordedAnswerFitsItsContract(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	sets, held := map[string]*schema.Set{}, map[string]int{}
	for _, v := range aap.Versions() {
		sets[v.Label] = schematest.Released(t, v)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		version := ""
		for _, f := range archive.Files {
			text := string(f.Data)
			switch kind, _, _ := strings.Cut(f.Name, " "); kind {
			case "request":
				version = aap.Primary().Label
				for _, v := range aap.Versions() {
					if strings.Contains(strings.SplitN(text, "\n", 2)[0], v.VersionPath()) {
						version = v.Label
					}
				}
			case "response":
				_, body, _ := strings.Cut(text, "\n\n")
				if strings.Contains(body, `"result":{"tasks":`) {
					continue // of A2A alone
				}
				holdAnswer(t, sets[version], []byte(body))
				held[version]++
			}
		}
	}
	for label := range sets {
		if held[label] < 15 {
			t.Errorf("%d recorded answers of %s", held[label], label)
		}
	}
}

// TestEveryReleasedRequestIsAnsweredThroughEveryDoor plays each version's
// released requests, bare and in the envelopes they are released in, and holds
// the answers to its released schemas.
func TestEveryReleasedRequestIsAnsweredThroughEveryDoor(t *testing.T) {
	for _, v := range aap.Versions() {
		folder := v.Label
		if folder == "v1.2" {
			folder = "v1.1" // whose requests are all valid in v1.2
		}
		files, err := filepath.Glob(filepath.Join(aaptest.Reference(t, "aap", folder), "examples", "*-request*.example.json"))
		if err != nil || len(files) < 9 {
			t.Fatalf("%s: %d examples, %v", v.Label, len(files), err)
		}
		released := schematest.Released(t, v)
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ways := doors(v)
			as := func(path string) []door { return []door{{"as released", path, func(s string) string { return s }}} }
			switch {
			case strings.Contains(file, ".jsonrpc."):
				ways = as(v.Path())
			case strings.Contains(file, ".rest."):
				ways = as(v.Path() + "/message:send")
			}
			for _, way := range ways {
				t.Run(v.Label+"/"+strings.TrimSuffix(filepath.Base(file), ".example.json")+"/"+way.name, func(t *testing.T) {
					h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
					w := send(h, way.path, way.wrap(string(body)), "A2A-Extensions", v.ExtensionURI)
					if w.Header().Get("A2A-Extensions") != v.ExtensionURI {
						t.Errorf("echoed extensions %q", w.Header().Get("A2A-Extensions"))
					}
					// The examples' cars are not on this lot, and their consents
					// may have run out; anything else is our fault.
					switch code := holdAnswer(t, released, w.Body.Bytes()); aap.Code(code) {
					case "", aap.VehicleNotFound, aap.InvalidConsent:
					default:
						t.Errorf("refused: %s", w.Body)
					}
				})
			}
		}
	}
}

// TestReleasedEnvelopesAreOurs compares the answer to each released envelope
// with the released answer, member by member.
func TestReleasedEnvelopesAreOurs(t *testing.T) {
	for _, v := range aap.Versions() {
		if v.Label == "v1.2" {
			continue // not among the reference files
		}
		h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
		for form, path := range map[string]string{"jsonrpc": v.Path(), "rest": v.Path() + "/message:send"} {
			if form == "rest" && !v.REST {
				continue
			}
			folder := filepath.Join(aaptest.Reference(t, "aap", v.Label), "examples")
			request, err := os.ReadFile(filepath.Join(folder, "inventory-search-request."+form+".example.json"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := os.ReadFile(filepath.Join(folder, "inventory-search-response."+form+".example.json"))
			if err != nil {
				t.Fatal(err)
			}
			w := send(h, path, string(request))
			want, got := shape(t, answer), shape(t, w.Body.Bytes())
			want["contextId"] = true // A2A 1.0 wants it, the examples leave it out
			if !maps.Equal(want, got) {
				t.Errorf("%s over %s: members %v, want %v", v.Label, form, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}

// shape lists the members of an answer down to its payload.
func shape(t *testing.T, body []byte) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				found[name] = true
				if name != "data" {
					walk(member)
				}
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	walk(v)
	return found
}
