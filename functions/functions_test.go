// Package functions_test runs the compiled Lambda functions as AWS does: each
// bootstrap under a Runtime API, with real event JSON, on emulated DynamoDB,
// SQS and S3.
package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// profile is a dealer whose CRM is at the address put in for %s.
const profile = `
id: seabright
name: Seabright Motors
url: https://agent.seabright.example
rooftops:
  - name: Seabright Harbor
    timezone: America/Los_Angeles
    phones: [{name: Sales, value: "+18315550100"}]
prices: {includes: all_mandatory_charges}
delivery:
  - {name: crm, type: https, url: "%s"}
`

const lot = `VIN,Stock,Condition,Year,Make,Model,Trim,Mileage,Price,Status
1FTFW1E50NFA10001,F1001,Used,2022,Ford,F-150,Lariat,21000,41500,Available
4T1G11AK8NU710002,T1002,Used,2022,Toyota,Camry,SE,18000,25900,Available
5YJ3E1EA7KF310003,E1003,Used,2019,Tesla,Model 3,,30500,23800,Sold
`

func invoke(t *testing.T, f *lambdatest.Function, event, answer any) {
	t.Helper()
	body, ok := event.([]byte)
	if !ok {
		var err error
		if body, err = json.Marshal(event); err != nil {
			t.Fatal(err)
		}
	}
	out, err := f.Invoke(t.Context(), body)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Log())
	}
	if answer != nil {
		if err := json.Unmarshal(out, answer); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
}

// post is the event of a POST to /a2a through a REST API's proxy integration.
func post(payload string) events.APIGatewayProxyRequest {
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
	header := map[string][]string{
		"Content-Type": {"application/json"}, "A2A-Version": {"1.0"}, "Host": {"agent.seabright.example"},
		"A2A-Extensions": {"https://autoagentprotocol.org/extensions/aap/v1.3"}, "X-Forwarded-For": {"203.0.113.7"},
	}
	return events.APIGatewayProxyRequest{
		Resource: "/a2a", Path: "/a2a", HTTPMethod: http.MethodPost, MultiValueHeaders: header, Body: body,
		RequestContext: events.APIGatewayProxyRequestContext{
			Stage: "live", ResourcePath: "/a2a", HTTPMethod: http.MethodPost, Path: "/live/a2a",
			Identity: events.APIGatewayRequestIdentity{SourceIP: "203.0.113.7"},
		},
	}
}

// call sends one skill and returns the answer's data member.
func call(t *testing.T, agent *lambdatest.Function, payload string) (data map[string]any) {
	t.Helper()
	var answer events.APIGatewayProxyResponse
	invoke(t, agent, post(payload), &answer)
	var rpc struct {
		Result struct {
			Message struct {
				Parts []struct {
					Data struct {
						Type string         `json:"type"`
						Data map[string]any `json:"data"`
					} `json:"data"`
				} `json:"parts"`
			} `json:"message"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal([]byte(answer.Body), &rpc); err != nil || answer.StatusCode != 200 || rpc.Error != nil || len(rpc.Result.Message.Parts) != 1 {
		t.Fatalf("%s\nHTTP %d %s\n%s", payload, answer.StatusCode, answer.Body, agent.Log())
	}
	if answer.IsBase64Encoded {
		t.Error("JSON travels as base64")
	}
	return rpc.Result.Message.Parts[0].Data.Data
}

func TestAFeedFromS3IsSoldThroughTheAgentAndTheLeadReachesTheCRM(t *testing.T) {
	receiver := newCRM(t)
	s := deploy(t, receiver.URL+"/adf")

	importer := lambdatest.Start(t, lambdatest.Build(t, "./feedimport"), s.env...)
	cloudtest.Put(t, s.objects, s.bucket, "feeds/spring lot+1.csv", []byte(lot))
	invoke(t, importer, s.uploaded("feeds/spring+lot%2B1.csv"), nil)
	if out := s.report(t, "reports/feeds/spring lot+1.csv.json"); out.Result != "imported" || out.Report.Accepted != 3 || out.Report.Visible != 2 {
		t.Fatalf("report %+v\n%s", out, importer.Log())
	}

	agent := lambdatest.Start(t, lambdatest.Build(t, "./agent"), s.env...)
	if data := call(t, agent, `{"type":"dealer.information.request"}`); !strings.Contains(fmt.Sprint(data), "Seabright") {
		t.Errorf("dealer.information: %v", data)
	}
	if data := call(t, agent, `{"type":"inventory.facets.request"}`); !strings.Contains(fmt.Sprint(data), "Toyota") {
		t.Errorf("inventory.facets: %v", data)
	}
	if data := call(t, agent, `{"type":"inventory.search.request","filters":{"make":["Ford"]}}`); !strings.Contains(fmt.Sprint(data), "1FTFW1E50NFA10001") || strings.Contains(fmt.Sprint(data), "Toyota") {
		t.Errorf("inventory.search: %v", data)
	}
	if data := call(t, agent, `{"type":"inventory.vehicle.request","stock":"f-1001"}`); !strings.Contains(fmt.Sprint(data), "1FTFW1E50NFA10001") {
		t.Errorf("inventory.vehicle: %v", data)
	}

	for _, counted := range []string{
		`"CloudWatchMetrics":[{"Namespace":"DealerAgent","Dimensions":[["Function","Skill","Result"]],"Metrics":[{"Name":"Requests","Unit":"Count"}]}`,
		`"Function":"test"`, `"Result":"ok","Skill":"inventory.search"`,
	} {
		if !strings.Contains(agent.Log(), counted) {
			t.Errorf("CloudWatch is not told %s in\n%s", counted, agent.Log())
		}
	}

	lead := fmt.Sprintf(submission, "key-1", "1FTFW1E50NFA10001")
	first := call(t, agent, lead)
	id, _ := first["lead_id"].(string)
	if id == "" {
		t.Fatalf("lead.submit: %v", first)
	}
	if again := call(t, agent, lead); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the retry was answered %v, the first time %v", again, first)
	}

	worker := lambdatest.Start(t, lambdatest.Build(t, "./leadworker"), s.env...)
	bodies, failed := s.poll(t, worker)
	if len(bodies) != 1 || bodies[0] != id || failed != 1 {
		t.Fatalf("the queue held %q, %d came back; want only the id %s, and back it comes while the CRM is down\n%s", bodies, failed, id, worker.Log())
	}

	// The CRM is up again; a message that is no lead must not hold up the rest.
	receiver.mu.Lock()
	receiver.down = false
	receiver.mu.Unlock()
	if _, err := s.messages.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(s.queue), MessageBody: aws.String("not a lead id")}); err != nil {
		t.Fatal(err)
	}
	if bodies, failed = s.poll(t, worker); len(bodies) != 2 || failed != 1 {
		t.Fatalf("%q in the batch, %d came back; want two and one\n%s", bodies, failed, worker.Log())
	}
	if len(receiver.got) != 1 {
		t.Fatalf("the CRM got %d documents, want 1\n%s", len(receiver.got), worker.Log())
	}
	for _, want := range []string{"<adf>", id, "1FTFW1E50NFA10001", "Maxine", "maxine@example.com"} {
		if !strings.Contains(receiver.got[0], want) {
			t.Errorf("the document lacks %s:\n%s", want, receiver.got[0])
		}
	}
	for name, f := range map[string]*lambdatest.Function{"agent": agent, "leadworker": worker, "feedimport": importer} {
		for _, personal := range []string{"Maxine", "Quillfeather", "maxine@example.com", "8315550188", "gate code"} {
			if strings.Contains(f.Log(), personal) {
				t.Errorf("the log of %s tells %q:\n%s", name, personal, f.Log())
			}
		}
	}
}

func TestALeadThatMissedTheQueueIsSweptAndReachesTheCRMWithItsSecret(t *testing.T) {
	receiver := newCRM(t)
	receiver.down = false
	s := deploy(t, receiver.URL+"/adf")
	secret := `, auth: {type: bearer, secret: "ssm:/dealer/crm-token"}}`
	cloudtest.Put(t, s.objects, s.bucket, "config/dealer.yaml", []byte(strings.Replace(fmt.Sprintf(profile, receiver.URL+"/adf"), `/adf"}`, `/adf"`+secret, 1)))
	cloudtest.Parameter(t, s.endpoint, "/dealer/crm-token", "opensesame")

	// The agent cannot reach the queue; the buyer is answered all the same.
	agent := lambdatest.Start(t, lambdatest.Build(t, "./agent"), append(slices.Clone(s.env), "DEALER_QUEUE_URL=http://127.0.0.1:9/nowhere")...)
	id, _ := call(t, agent, fmt.Sprintf(submission, "key-9", "1FTFW1E50NFA10001"))["lead_id"].(string)
	worker := lambdatest.Start(t, lambdatest.Build(t, "./leadworker"), s.env...)
	if bodies, _ := s.poll(t, worker); len(bodies) != 0 || id == "" {
		t.Fatalf("lead %q, and the queue holds %v", id, bodies)
	}

	sweeper := lambdatest.Start(t, lambdatest.Build(t, "./sweeper"), s.env...)
	scheduled := []byte(`{"version":"0","id":"1","detail-type":"Scheduled Event","source":"aws.events","time":"2026-11-30T12:00:00Z","resources":["arn:aws:events:us-east-1:123456789012:rule/sweep"],"detail":{}}`)
	invoke(t, sweeper, scheduled, nil)
	invoke(t, sweeper, scheduled, nil)
	if bodies, failed := s.poll(t, worker); len(bodies) != 1 || bodies[0] != id || failed != 0 {
		t.Fatalf("swept %v, %d came back\n%s\n%s", bodies, failed, sweeper.Log(), worker.Log())
	}
	if len(receiver.got) != 1 || receiver.authorization != "Bearer opensesame" {
		t.Errorf("the CRM got %d documents with %q", len(receiver.got), receiver.authorization)
	}
	if strings.Contains(worker.Log(), "opensesame") {
		t.Error("the secret is in the log")
	}
}

const submission = `{"type":"lead.submit.request","idempotency_key":%q,
	"customer":{"first_name":"Maxine","last_name":"Quillfeather","email":"maxine@example.com","phone":"+18315550188"},
	"consent":{"granted_at":"2026-01-01T15:04:05Z","allowed_channels":["email","phone"],"consent_text":"I agree to be contacted.","scope":["lead_submission"]},
	"source_agent":{"name":"test-buyer"},"vehicle_of_interest":{"vin":%q},"message":"The gate code is 4711."}`

func TestARefusedFeedLeavesTheLastGoodOne(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	importer := lambdatest.Start(t, lambdatest.Build(t, "./feedimport"), s.env...)
	cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", []byte(lot))
	invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)
	cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", []byte("Colour,Weather\nred,fine\n"))
	invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)
	if out := s.report(t, "reports/feeds/lot.csv.json"); out.Result != "refused" || out.Reason == "" {
		t.Errorf("report %+v", out)
	}
	if !strings.Contains(importer.Log(), `"level":"ERROR","msg":"`+feeds.LogRefused) {
		t.Errorf("no line that an alarm could match:\n%s", importer.Log())
	}
	invoke(t, importer, s.uploaded("reports/feeds/lot.csv.json"), nil)
	invoke(t, importer, s.uploaded("feeds/never-there.csv"), nil)

	agent := lambdatest.Start(t, lambdatest.Build(t, "./agent"), s.env...)
	if data := call(t, agent, `{"type":"inventory.search.request"}`); !strings.Contains(fmt.Sprint(data), "Camry") {
		t.Errorf("the last good inventory is gone: %v", data)
	}
}

func TestAFunctionWithoutSettingsSaysAllThatIsMissing(t *testing.T) {
	bootstrap := lambdatest.Build(t, "./agent")
	out := runAlone(t, bootstrap)
	for _, name := range []string{"DEALER_INVENTORY_TABLE", "DEALER_LEADS_TABLE", "DEALER_QUEUE_URL", "DEALER_PROFILE_BUCKET"} {
		if !bytes.Contains(out, []byte(name)) {
			t.Errorf("%s is not named in: %s", name, out)
		}
	}
}
