package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replaced is the text with parts replaced, given in pairs.
func replaced(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("nothing to replace: %s", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func TestContractManifestOfV0_1(t *testing.T) {
	const manifest = `{"contract":{"name":"P","version":"0.1.1","uri":"https://autoagentprotocol.org/v0.1/"},
		"dealer":{"dealer_id":"d","name":"D","hotline":"extra members are welcome"},
		"a2a":{"endpoint":"https://dealer.example/a2a/v0.1","protocol_binding":"JSONRPC","skills":[{"id":"lead.submit",
			"request_schema":"https://a.example/q","response_schema":"https://a.example/r","anonymous_allowed":false,"consent_required":true,"adf_compatible":true}]},
		"auth_type":null,"llm":{"guide_url":"https://dealer.example/guide.md","rules":["Search before you submit."]}}`
	set := setOf(t, "v0.1")
	for _, c := range []struct {
		name    string
		pairs   []string
		want    []string
		telling string // a part of the first sentence
	}{
		{"complete", nil, []string{}, ""},
		{"with a token", []string{`"auth_type":null`, `"auth_type":"bearer"`}, []string{}, ""},
		{"without advice", []string{`,"llm":{"guide_url":"https://dealer.example/guide.md","rules":["Search before you submit."]}`, ``}, []string{}, ""},
		{"without the way to authenticate", []string{`"auth_type":null,`, ``}, []string{"/auth_type required"}, "null, bearer"},
		{"with another way to authenticate", []string{`"auth_type":null`, `"auth_type":"basic"`}, []string{"/auth_type enum"}, "null, bearer"},
		{"with a skill of its own", []string{`"lead.submit"`, `"finance.quote"`}, []string{"/a2a/skills/0/id enum"}, "lead.submit"},
		{"without skills", []string{`"skills":[`, `"skills":[],"more":[`}, []string{"/a2a/more additionalProperties", "/a2a/skills minItems"}, ""},
		{"without a flag", []string{`"consent_required":true,`, ``}, []string{"/a2a/skills/0/consent_required required"}, "true or false"},
		{"with a schema by file name", []string{`"https://a.example/q"`, `"q.schema.json"`}, []string{"/a2a/skills/0/request_schema format"}, "https://"},
		{"over a binding of another kind", []string{`"JSONRPC"`, `"GRPC"`}, []string{"/a2a/protocol_binding enum"}, "JSONRPC, HTTP+JSON"},
		{"with more about the contract", []string{`"version":"0.1.1"`, `"version":"0.1.1","since":2026`}, []string{"/contract/since additionalProperties"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := set.Check("contract-manifest.schema.json", []byte(replaced(t, manifest, c.pairs...)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, places(found)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if c.telling != "" && !strings.Contains(found[0].Error, c.telling) {
				t.Errorf("told as %q", found[0].Error)
			}
		})
	}
}

func TestCardsAreOfTheirVersion(t *testing.T) {
	const snake = `{"name":"A","description":"d","version":"1","supported_interfaces":[{"url":"https://d.example","protocol_binding":"HTTP+JSON"}],
		"capabilities":{"extensions":[{"uri":"https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.1"}]},"skills":[{"id":"lead.submit","name":"L","description":"d"}]}`
	const camel = `{"name":"A","description":"d","version":"1","supportedInterfaces":[{"url":"https://d.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
		"capabilities":{"extensions":[{"uri":"URI"}]},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}`
	uris := map[string]string{
		"v1.0": "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v1.0",
		"v1.1": "https://autoagentprotocol.org/extensions/aap/v1.1",
		"v1.2": "https://autoagentprotocol.org/extensions/aap/v1.2",
		"v1.3": "https://autoagentprotocol.org/extensions/aap/v1.3",
	}
	for of, uri := range uris {
		card := replaced(t, camel, "URI", uri)
		for label := range uris {
			found, err := setOf(t, label).Check("agent-card.schema.json", []byte(card))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			if label != of {
				want = []string{"/capabilities/extensions contains"}
			}
			if diff := cmp.Diff(want, places(found)); diff != "" {
				t.Errorf("a card of %s by %s (-want +got):\n%s", of, label, diff)
			}
		}
	}
	for name, c := range map[string]struct {
		card string
		want []string
	}{
		"in snake_case": {snake, []string{}},
		"over a binding of another kind": {replaced(t, snake, "HTTP+JSON", "GRPC"),
			[]string{"/supported_interfaces/0/protocol_binding enum"}},
		"with names in camelCase inside": {replaced(t, snake, `"protocol_binding"`, `"protocolBinding"`),
			[]string{"/supported_interfaces/0/protocolBinding additionalProperties", "/supported_interfaces/0/protocol_binding required"}},
		"in camelCase": {camel, []string{"/capabilities/extensions contains", "/capabilities/extensions/0/uri format", "/supported_interfaces required"}},
	} {
		found, err := setOf(t, "v0.1").Check("agent-card.schema.json", []byte(c.card))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, places(found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
