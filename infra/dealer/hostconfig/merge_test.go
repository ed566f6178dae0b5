package hostconfig_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/dealer-agent/dealer/infra/dealer/hostconfig"
)

var entry = hostconfig.Entry{Command: "/opt/dealer", Args: []string{"mcp", "--agent", "https://a.example/?x=1&y=<2>"}}

const spelt = `{
      "command": "/opt/dealer",
      "args": [
        "mcp",
        "--agent",
        "https://a.example/?x=1&y=<2>"
      ]
    }`

func none(hostconfig.Entry) bool { return false }
func any(hostconfig.Entry) bool  { return true }

// TestOnlyTheEntryIsAdded compares bytes: what stood there stands there.
func TestOnlyTheEntryIsAdded(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"nothing", "", "{\n  \"mcpServers\": {\n    \"dealer\": " + spelt + "\n  }\n}\n"},
		{"blank", " \n", "{\n  \"mcpServers\": {\n    \"dealer\": " + spelt + "\n  }\n}\n"},
		{"an empty object", "{}\n", "{\n  \"mcpServers\": {\n    \"dealer\": " + spelt + "\n  }\n}\n"},
		{"an empty list of servers", "{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    \"dealer\": " + spelt + "\n  }\n}"},
		{"other servers",
			"{\n  \"mcpServers\": {\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"\\u00e9\"}}\n  },\n  \"globalShortcut\": \"Ctrl+Space\",\n  \"n\": 1.50\n}\n",
			"{\n  \"mcpServers\": {\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"\\u00e9\"}},\n    \"dealer\": " + spelt + "\n  },\n  \"globalShortcut\": \"Ctrl+Space\",\n  \"n\": 1.50\n}\n"},
		{"settings without servers", "{\n  \"theme\": \"dark\"\n}\n", "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"dealer\": " + spelt + "\n  }\n}\n"},
		{"comments and a trailing comma",
			"// mine\n{\n  /* all */ \"mcpServers\": {\n    // the files\n    \"files\": {\"command\": \"npx\"}, // keep\n    // \"old\": {}\n  }, // end\n}\n// bye\n",
			"// mine\n{\n  /* all */ \"mcpServers\": {\n    // the files\n    \"files\": {\"command\": \"npx\"}, // keep\n    // \"old\": {}\n    \"dealer\": " + spelt + "\n  }, // end\n}\n// bye\n"},
		{"a comment behind the last server",
			"{\n  \"mcpServers\": {\n    \"files\": {} // } {\n  }\n}", "{\n  \"mcpServers\": {\n    \"files\": {}, // } {\n    \"dealer\": " + spelt + "\n  }\n}"},
		{"one line", `{"mcpServers":{"files":{"command":"npx"}},"a":[1, 2]}`,
			"{\"mcpServers\":{\"files\":{\"command\":\"npx\"},\n  \"dealer\": " + strings.ReplaceAll(spelt, "\n    ", "\n  ") + "\n},\"a\":[1, 2]}"},
		{"tabs and carriage returns", "\xef\xbb\xbf{\r\n\t\"mcpServers\": {\r\n\t\t\"files\": {}\r\n\t}\r\n}\r\n",
			"\xef\xbb\xbf{\r\n\t\"mcpServers\": {\r\n\t\t\"files\": {},\r\n\t\t\"dealer\": " + strings.NewReplacer("\n", "\r\n", "      ", "\t\t\t", "    }", "\t\t}", "  \"", "\t\"").Replace(strings.ReplaceAll(spelt, "        \"", "\t\t\t\t\"")) + "\r\n\t}\r\n}\r\n"},
	} {
		got, err := hostconfig.Merge([]byte(c.before), "mcpServers", "dealer", entry, none)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.after)
			continue
		}
		again, err := hostconfig.Merge(got, "mcpServers", "dealer", entry, any)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: a second time: %v %q", c.name, err, again)
		}
	}
}

func TestAnOlderEntryOfOursIsReplacedAndNoOther(t *testing.T) {
	const before = "{\n  // one\n  \"mcpServers\": {\n    \"dealer\": {\"command\": \"/old/dealer\", \"args\": [\"mcp\"]}, // two\n    \"z\": {}\n  }\n}\n"
	got, err := hostconfig.Merge([]byte(before), "mcpServers", "dealer", entry, any)
	if want := strings.Replace(before, `{"command": "/old/dealer", "args": ["mcp"]}`, spelt, 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := hostconfig.Merge([]byte(before), "mcpServers", "dealer", entry, none); !errors.Is(err, hostconfig.ErrTaken) {
		t.Errorf("another's entry: %v", err)
	}
	with := strings.Replace(before, `["mcp"]}`, `["mcp"], "env": {"DEALER_TOKEN": "t"}}`, 1)
	if _, err := hostconfig.Merge([]byte(with), "mcpServers", "dealer", entry, any); !errors.Is(err, hostconfig.ErrTaken) {
		t.Errorf("an entry with an environment: %v", err)
	}
	same := hostconfig.Entry{Command: "/old/dealer", Args: []string{"mcp"}}
	if got, err := hostconfig.Merge([]byte(with), "mcpServers", "dealer", same, any); err != nil || string(got) != with {
		t.Errorf("the same entry with an environment: %v %s", err, got)
	}
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	for _, document := range []string{
		"{", "[]", "7", "null", `{"mcpServers": []}`, `{"mcpServers": null}`, `{"mcpServers": {}, "mcpServers": {}}`, `{"mcpServers": {"dealer": {}, "dealer": {}}}`,
		`{"a" 1}`, `{a: 1}`, `{'a': 1}`, "{} {}", "mcpServers: {}", "\xff{}", "{\"a\":1,,}",
	} {
		if got, err := hostconfig.Merge([]byte(document), "mcpServers", "dealer", entry, any); !errors.Is(err, hostconfig.ErrShape) {
			t.Errorf("%q: %v %s", document, err, got)
		}
	}
}

// FuzzMerge: whatever is understood is the same document with the entry more.
func FuzzMerge(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers":{"a":{}}}`, "{ // x\n \"mcpServers\" : { /* y */ } , }", "{\"mcpServers\":{\"dealer\":{\"command\":\"dealer\",\"args\":[]}}}", "{\"mcpServers\":{\"a\":1,//}\n}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		got, err := hostconfig.Merge(bytes.Clone(document), "mcpServers", "dealer", entry, none)
		if err != nil {
			return
		}
		before, after := members(t, document), members(t, got)
		list, _ := after["mcpServers"].(map[string]interface{})
		if list["dealer"] == nil {
			t.Fatalf("%q became %q", document, got)
		}
		delete(list, "dealer")
		if before["mcpServers"] == nil && len(list) == 0 {
			delete(after, "mcpServers")
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if !bytes.Equal(a, b) {
			t.Errorf("%q became %q", document, got)
		}
	})
}

func members(t *testing.T, document []byte) map[string]interface{} {
	t.Helper()
	document = bytes.TrimPrefix(document, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(document)) == 0 {
		return map[string]interface{}{}
	}
	plain, err := hujson.Standardize(bytes.Clone(document))
	if err != nil {
		t.Fatalf("%q: %v", document, err)
	}
	m := map[string]interface{}{}
	if err := json.Unmarshal(plain, &m); err != nil {
		t.Fatalf("%q: %v", document, err)
	}
	return m
}
