package functions_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// mcpRequest is one request to /mcp, in the wire form of a revision.
func mcpRequest(revision, method, params string) request {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision}}
	if revision == "2026-07-28" {
		header.Set("Mcp-Method", method)
		if _, name, ok := strings.Cut(params, `"name":"`); ok {
			tool, _, _ := strings.Cut(name, `"`)
			header.Set("Mcp-Name", tool)
		}
		meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		if params != "{}" {
			meta += ","
		}
		params = meta + params[1:]
	}
	return request{http.MethodPost, "/mcp", header, `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`}
}

func TestMCPIsTheSameThroughBothDoors(t *testing.T) {
	tools := func() http.Handler {
		s := agenttest.New(t, agenttest.Profile)
		return mcptools.NewHandler(mcptools.Config{
			Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Loopback: true,
			Settings: agent.Settings{Now: agenttest.Now, Ticks: agenttest.Now, NewID: s.NewID},
		})
	}
	server := httptest.NewServer(tools())
	defer server.Close()
	function := cloud.REST(tools())
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		requests := []request{
			mcpRequest(revision, "tools/list", `{}`), mcpRequest(revision, "prompts/list", `{}`), mcpRequest(revision, "resources/list", `{}`),
			mcpRequest(revision, "tools/call", `{"name":"aap_inventory_search","arguments":{"pagination":{"limit":1}}}`),
			mcpRequest(revision, "tools/call", `{"name":"aap_inventory_vehicle","arguments":{"stock":"none"}}`),
			mcpRequest(revision, "tools/call", `{"name":"aap_unknown","arguments":{}}`),
			mcpRequest(revision, "fly", `{}`), mcpRequest(revision, "server/discover", `{}`), mcpRequest(revision, "ping", `{}`),
			mcpRequest(revision, "initialize", `{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`),
			{method: http.MethodGet, path: "/mcp", header: http.Header{}},
			{http.MethodPost, "/mcp", http.Header{"Content-Type": {"application/json"}, "Origin": {"https://evil.example"}}, `{}`},
		}
		for _, r := range requests {
			want := throughServer(t, server, r)
			event := restEvent(r)
			event.RequestContext.DomainName = "127.0.0.1"
			out, err := function(t.Context(), roundTrip(t, event))
			if err != nil {
				t.Fatal(err)
			}
			if got := throughEvent(t, roundTrip(t, out)); got != want {
				t.Errorf("%s %s:\n(-server +event)\n%s", revision, r.body, cmp.Diff(want, got))
			}
		}
	}
}

func TestAHostSearchesAndSendsALeadThroughTheMCPFunction(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	importer := lambdatest.Start(t, lambdatest.Build(t, "./feedimport"), s.env...)
	cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", []byte(lot))
	invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)

	tools := lambdatest.Start(t, lambdatest.Build(t, "./mcp"), s.env...)
	post := func(r request, host string) events.APIGatewayProxyResponse {
		event := restEvent(r)
		event.MultiValueHeaders["Host"] = []string{host}
		var out events.APIGatewayProxyResponse
		invoke(t, tools, event, &out)
		return out
	}
	lead := strings.Join(strings.Fields(fmt.Sprintf(submission, "key-1", "1FTFW1E50NFA10001")), " ")
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		for _, host := range []string{"agent.seabright.example", "abc123.execute-api.us-east-1.amazonaws.com"} {
			for _, c := range []struct{ method, params, want string }{
				{"tools/list", `{}`, `"aap_lead_submit"`},
				{"tools/call", `{"name":"aap_inventory_search","arguments":{"filters":{"make":["Ford"]}}}`, "1FTFW1E50NFA10001"},
				{"tools/call", `{"name":"aap_lead_submit","arguments":` + lead + `}`, `"lead_id"`},
			} {
				out := post(mcpRequest(revision, c.method, c.params), host)
				if out.StatusCode != 200 || !strings.Contains(out.Body, c.want) || strings.Contains(out.Body, `"isError":true`) || out.IsBase64Encoded {
					t.Fatalf("%s %s at %s: %d %s\n%s", revision, c.method, host, out.StatusCode, out.Body, tools.Log())
				}
			}
		}
		if out := post(mcpRequest(revision, "tools/list", `{}`), "evil.example"); out.StatusCode != 403 {
			t.Errorf("another's name: %d %s", out.StatusCode, out.Body)
		}
	}
	for _, personal := range []string{"Maxine", "Quillfeather", "maxine@example.com", "8315550188", "gate code"} {
		if strings.Contains(tools.Log(), personal) {
			t.Errorf("the log tells %q:\n%s", personal, tools.Log())
		}
	}
}
