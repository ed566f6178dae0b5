package peers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// TestOfficialMCPPeersMeetTheFunction holds the compiled function against the
// conformance suite and the strictest client, each HTTP request as an event of
// API Gateway.
func TestOfficialMCPPeersMeetTheFunction(t *testing.T) {
	g := openGateway(t)
	tools := lambdatest.Start(t, lambdatest.Build(t, "../../functions/mcp"), g.environment...)
	g.invoke = tools.Invoke
	conform(t, g.url+"/mcp", "")
	cases := []toolCase{
		{tool: "aap_dealer_information", arguments: `{}`, want: "dealer.information.response"},
		{tool: "aap_unknown", arguments: `{}`, rpc: -32602},
	}
	seen := hostRun(t, npmInstall(t, mcpSDKAt), mcpSDK, door{url: g.url + "/mcp"}, "", cases)
	if len(seen.Tools) != 5 || len(seen.Answers[0].Result.Content) != 1 {
		t.Fatalf("%+v\n%s", seen, tools.Log())
	}
	cases[0].judge(t, false, seen.Answers[0].Result.StructuredContent, []byte(seen.Answers[0].Result.Content[0].Text), 0)
}

// TestOfficialMCPConformanceSuiteMeetsTheFunctionUnderTheEmulator runs the
// compiled function, without the suite's fixtures and with them, as AWS's
// runtime interface emulator starts it.
func TestOfficialMCPConformanceSuiteMeetsTheFunctionUnderTheEmulator(t *testing.T) {
	g := openGateway(t)
	for _, c := range []struct{ pkg, with string }{{"../../functions/mcp", ""}, {"./testdata/suite", "-fixtures"}} {
		t.Run(path.Base(c.pkg), func(t *testing.T) {
			g.invoke = lambdatest.Emulate(t, lambdatest.Build(t, c.pkg), g.environment...).Invoke
			conform(t, g.url+"/mcp", c.with)
		})
	}
}

// gateway is API Gateway before one function, and the stack behind it.
type gateway struct {
	url         string
	environment []string
	invoke      func(context.Context, []byte) ([]byte, error)
}

func openGateway(t *testing.T) *gateway {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a function and starts an emulator")
	}
	endpoint := cloudtest.Moto(t)
	tables, objects := cloudtest.DynamoDB(endpoint), cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	queue, _ := cloudtest.Queue(t, endpoint)
	g := &gateway{environment: append(cloudtest.Environment(endpoint),
		"DEALER_INVENTORY_TABLE="+cloudtest.Table(t, tables), "DEALER_LEADS_TABLE="+cloudtest.Table(t, tables),
		"DEALER_QUEUE_URL="+queue, "DEALER_PROFILE_BUCKET="+bucket, "DEALER_FORM_KEY="+strings.Repeat("k", 32))}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.proxy(t, w, r) }))
	t.Cleanup(server.Close)
	g.url = server.URL

	profile, err := os.ReadFile("../dealer/machine/testdata/dealer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	front := strings.Replace(string(profile), "{name: outbox, type: file, folder: outbox}", `{name: crm, type: https, url: "https://crm.example.com/adf"}`, 1)
	cloudtest.Put(t, objects, bucket, "dealer.yaml", []byte(front+"url: "+g.url+"\n"))
	return g
}

// proxy is API Gateway's proxy integration of a REST API.
func (g *gateway) proxy(t *testing.T, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	header := r.Header.Clone()
	header.Set("Host", r.Host)
	event := events.APIGatewayProxyRequest{
		Resource: "/mcp", Path: r.URL.Path, HTTPMethod: r.Method, MultiValueHeaders: header, Body: string(body),
		RequestContext: events.APIGatewayProxyRequestContext{Stage: "live", Identity: events.APIGatewayRequestIdentity{SourceIP: "127.0.0.1"}},
	}
	sent, _ := json.Marshal(event)
	out, err := g.invoke(r.Context(), sent)
	var answer events.APIGatewayProxyResponse
	if err != nil || json.Unmarshal(out, &answer) != nil {
		if r.Context().Err() == nil { // else the client hung up
			t.Errorf("%s %s: %v", r.Method, body, err)
		}
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	content := []byte(answer.Body)
	if answer.IsBase64Encoded {
		content, _ = base64.StdEncoding.DecodeString(answer.Body)
	}
	for name, values := range answer.MultiValueHeaders {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(content)
}
