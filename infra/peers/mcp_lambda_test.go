package peers

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
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
	if testing.Short() {
		t.Skip("builds a function and starts an emulator")
	}
	endpoint := cloudtest.Moto(t)
	tables, objects := cloudtest.DynamoDB(endpoint), cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	queue, _ := cloudtest.Queue(t, endpoint)
	var tools *lambdatest.Function
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { proxy(t, tools, w, r) }))
	defer gateway.Close()

	profile, err := os.ReadFile("../dealer/machine/testdata/dealer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	front := strings.Replace(string(profile), "{name: outbox, type: file, folder: outbox}", `{name: crm, type: https, url: "https://crm.example.com/adf"}`, 1)
	cloudtest.Put(t, objects, bucket, "dealer.yaml", []byte(front+"url: "+gateway.URL+"\n"))
	tools = lambdatest.Start(t, lambdatest.Build(t, "../../functions/mcp"), append(cloudtest.Environment(endpoint),
		"DEALER_INVENTORY_TABLE="+cloudtest.Table(t, tables), "DEALER_LEADS_TABLE="+cloudtest.Table(t, tables),
		"DEALER_QUEUE_URL="+queue, "DEALER_PROFILE_BUCKET="+bucket)...)

	conform(t, gateway.URL+"/mcp")
	cases := []toolCase{
		{tool: "aap_dealer_information", arguments: `{}`, want: "dealer.information.response"},
		{tool: "aap_unknown", arguments: `{}`, rpc: -32602},
	}
	seen := hostRun(t, npmInstall(t, mcpSDKAt), mcpSDK, gateway.URL+"/mcp", "", cases)
	if len(seen.Tools) != 5 || len(seen.Answers[0].Result.Content) != 1 {
		t.Fatalf("%+v\n%s", seen, tools.Log())
	}
	cases[0].judge(t, false, seen.Answers[0].Result.StructuredContent, []byte(seen.Answers[0].Result.Content[0].Text), 0)
}

// proxy is API Gateway's proxy integration of a REST API.
func proxy(t *testing.T, f *lambdatest.Function, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	header := r.Header.Clone()
	header.Set("Host", r.Host)
	event := events.APIGatewayProxyRequest{
		Resource: "/mcp", Path: r.URL.Path, HTTPMethod: r.Method, MultiValueHeaders: header, Body: string(body),
		RequestContext: events.APIGatewayProxyRequestContext{Stage: "live", Identity: events.APIGatewayRequestIdentity{SourceIP: "127.0.0.1"}},
	}
	sent, _ := json.Marshal(event)
	out, err := f.Invoke(r.Context(), sent)
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
