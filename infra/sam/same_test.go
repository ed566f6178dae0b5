package sam

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"log/slog"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// payloads are all skill requests that the tests of `dealer run` and of the
// packages behind it send: whatever stands there as JSON with such a type.
func payloads(t *testing.T) (found []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, pattern := range []string{"../dealer/machine", "../peers", "../../pkg/agent", "../../pkg/a2a"} {
		files, err := filepath.Glob(pattern + "/*_test.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests in %s: %v", pattern, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					var payload struct{ Type string }
					if json.Unmarshal([]byte(text), &payload) == nil && strings.HasSuffix(payload.Type, ".request") && !seen[text] {
						seen[text] = true
						found = append(found, text)
					}
				}
				return true
			})
		}
	}
	if len(found) < 40 {
		t.Fatalf("only %d payloads were found", len(found))
	}
	return found
}

// door is one place where the same dealer is served.
type door struct {
	client *http.Client
	url    string
	names  aliases
}

func TestTheWholeStackAnswersAsTheAgentAlone(t *testing.T) {
	crm := httptest.NewServer(&receiver{})
	defer crm.Close()
	s := deploy(t, nil)
	s.API().Unlimited() // refusals are the agent's own here
	t.Run("as dealer run does", func(t *testing.T) { likeDealerRun(t, s, crm.URL) })
	likeRecorded(t, s, crm.URL)
}

// likeDealerRun gives one dealer's profile and export to `dealer run` and to the
// stack, and asks both the same under every contract and as an MCP host.
func likeDealerRun(t *testing.T, s *samtest.Stack, crm string) {
	local, stack := sameDealer(t, s, crm)
	for n, payload := range payloads(t) {
		for _, v := range aap.Versions() {
			if v.Label != aap.V1_3.Label && n%2 != 0 {
				continue // half of them are enough to see that each contract is served
			}
			request := request{method: http.MethodPost, path: v.Path(), body: message(payload), header: []string{
				"Content-Type", "application/json", "A2A-Version", "1.0", "A2A-Extensions", v.ExtensionURI,
			}}
			compare(t, v.Label+" "+payload, request, local, stack)
			if v.REST && n%2 == 0 {
				request.path, request.body = v.Path()+"/message:send", `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":`+payload+`}]}}`
				compare(t, v.Label+" over HTTP+JSON "+payload, request, local, stack)
			}
		}
		compare(t, "MCP "+payload, toolCall(t, payload), local, stack)
	}
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "ping", "fly"} {
		compare(t, method, mcpCall(method, `{}`), local, stack)
	}
	initialize := mcpCall("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	compare(t, "initialize", initialize, local, stack)
}

// sameDealer opens the fixture dealer of `dealer run` twice.
func sameDealer(t *testing.T, s *samtest.Stack, crm string) (local, stack *door) {
	t.Helper()
	read := func(name string) string {
		t.Helper()
		body, err := os.ReadFile(filepath.Join("../dealer/machine/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	more := "\nurl: https://agent.example.com\naccess: {per_minute: 60000, leads_per_hour: 20000}\nversions: [" + strings.Join(labels, ", ") + "]\n"
	profile, feed := read("dealer.yaml")+more, read("feed.json")
	outside := strings.Replace(profile, "{name: outbox, type: file, folder: outbox}", `{name: crm, type: https, url: "`+crm+`/adf"}`, 1)
	upload(t, s, s.Resource("SiteBucket"), s.Parameters["ProfileKey"].(string), []byte(outside))
	upload(t, s, s.Resource("FeedBucket"), "feeds/feed.json", []byte(feed))
	dir := t.TempDir()
	for name, body := range map[string]string{"dealer.yaml": profile, "feed.json": feed} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: filepath.Join(dir, "feed.json"), Data: filepath.Join(dir, "data"),
		Outbox: filepath.Join(dir, "outbox"), Log: slog.New(slog.DiscardHandler),
	})
	return &door{client: http.DefaultClient, url: m.URL()}, &door{client: s.Client(), url: s.Address}
}

func compare(t *testing.T, what string, r request, local, stack *door) {
	t.Helper()
	want, got := local.names.plain(r.at(t, local.client, local.url)), stack.names.plain(r.at(t, stack.client, stack.url))
	if got != want {
		t.Errorf("%s:\nstack %s\ndealer run %s", what, got, want)
	}
}

func mcpCall(method, params string) request {
	return request{method: http.MethodPost, path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`, header: []string{
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18",
	}}
}

// toolCall is the payload as a call of its tool.
func toolCall(t *testing.T, payload string) request {
	t.Helper()
	var arguments map[string]json.RawMessage
	var kind struct{ Type string }
	if err := json.Unmarshal([]byte(payload), &arguments); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(payload), &kind); err != nil {
		t.Fatal(err)
	}
	delete(arguments, "type")
	params, err := json.Marshal(map[string]any{
		"name": "aap_" + strings.ReplaceAll(strings.TrimSuffix(kind.Type, ".request"), ".", "_"), "arguments": arguments,
	})
	if err != nil {
		t.Fatal(err)
	}
	return mcpCall("tools/call", string(params))
}
