package functions_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// named starts a function under a name of its own, as CloudWatch tells them apart.
func (s *stack) named(t *testing.T, name string, env ...string) *lambdatest.Function {
	t.Helper()
	return lambdatest.Start(t, lambdatest.Build(t, "./"+name), append(append(slices.Clone(s.env), "AWS_LAMBDA_FUNCTION_NAME="+name), env...)...)
}

// TestEveryFunctionTellsItsNumbersAndNothingPersonal reads what the functions
// wrote as CloudWatch would, after a day in the life of a dealer.
func TestEveryFunctionTellsItsNumbersAndNothingPersonal(t *testing.T) {
	receiver := newCRM(t)
	s := deploy(t, receiver.URL+"/adf")
	importer := s.named(t, "feedimport")
	cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", []byte(lot))
	invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)
	cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", []byte("Colour,Weather\nmaxine@example.com,fine\n"))
	invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)

	agent := s.named(t, "agent")
	call(t, agent, `{"type":"inventory.search.request","filters":{"make":["Maxine Quillfeather"]}}`)
	call(t, agent, `{"type":"inventory.facets.request"}`)
	lead := fmt.Sprintf(submission, "key-1", "1FTFW1E50NFA10001")
	call(t, agent, lead)
	call(t, agent, lead)
	call(t, agent, fmt.Sprintf(submission, "key-2", "1FTFW1E50NFA10001"))
	var answer events.APIGatewayProxyResponse
	invoke(t, agent, post(`{"type":"maxine.quillfeather.request"}`), &answer)

	tools := s.named(t, "mcp")
	for _, body := range []string{
		`{"name":"aap_inventory_vehicle","arguments":{"stock":"F1001"}}`, `{"name":"aap_inventory_vehicle","arguments":{"stock":"Maxine"}}`, `{"name":"aap_maxine","arguments":{}}`,
	} {
		invoke(t, tools, mcpEvent(body), &answer)
	}

	worker := s.named(t, "leadworker")
	s.poll(t, worker)
	receiver.mu.Lock()
	receiver.down = false
	receiver.mu.Unlock()
	s.poll(t, worker)
	sweeper := s.named(t, "sweeper")
	invoke(t, sweeper, []byte(`{"source":"aws.events"}`), nil)
	publisher := s.named(t, "publish", "DEALER_URL="+frontDoor)
	invoke(t, publisher, []byte(`{"source":"aws.s3"}`), nil)

	counted := map[string]float64{}
	for _, f := range []*lambdatest.Function{importer, agent, tools, worker, sweeper, publisher} {
		f.Stop() // all it wrote is there
		points, lines := cloudtest.Points(t, f.Log())
		for _, p := range points {
			if p.Namespace != "DealerAgent" {
				t.Errorf("%+v", p)
			}
			if key := p.Name + " " + p.Dimensions; p.Unit == "Count" {
				counted[key] += p.Value
			} else {
				counted[key] = max(counted[key], p.Value)
			}
		}
		for _, text := range append(lines, f.Log()) {
			for _, personal := range []string{"axine", "uillfeather", "8315550188", "gate code"} {
				if strings.Contains(text, personal) {
					t.Errorf("%q is told in %s", personal, text)
				}
			}
		}
	}
	for key, want := range map[string]float64{
		"Requests Function=agent Result=ok Skill=inventory.search": 1, "Requests Function=agent Result=ok Skill=lead.submit": 3,
		"Requests Function=agent Result=UNSUPPORTED_SKILL Skill=none":            1,
		"Requests Function=mcp Result=ok Skill=inventory.vehicle":                1,
		"Requests Function=mcp Result=VEHICLE_NOT_FOUND Skill=inventory.vehicle": 1,
		"Leads Function=agent State=received":                                    1, "Leads Function=agent State=repeated": 1, "Leads Function=agent State=duplicate": 1,
		"Leads Function=leadworker State=retrying": 1, "Leads Function=leadworker State=handed_over": 1,
		"IndexVehicles Function=agent":              3,
		"Feeds Function=feedimport Result=imported": 1, "Feeds Function=feedimport Result=refused": 1, "FeedRefused Function=feedimport": 1,
		"FeedListed Function=feedimport": 2, "FeedGone Function=feedimport": 0,
		"UndeliveredLeadAge Function=sweeper":            0,
		"Publications Function=publish Result=published": 1,
	} {
		if got, told := counted[key]; !told || got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	for _, key := range []string{
		"Latency Function=agent Skill=lead.submit", "Latency Function=mcp Skill=inventory.vehicle", "IndexAge Function=agent", "IndexSize Function=agent",
		"IndexLoad Function=agent", "UndeliveredLeadAge Function=leadworker", "FeedDuration Function=feedimport", "PublishDuration Function=publish",
	} {
		if counted[key] <= 0 {
			t.Errorf("%s is %v", key, counted[key])
		}
	}
	if t.Failed() {
		t.Log(counted)
	}
}

// mcpEvent is the event of a tool call.
func mcpEvent(params string) events.APIGatewayProxyRequest {
	event := restEvent(mcpRequest("2025-06-18", "tools/call", params))
	event.MultiValueHeaders["Host"] = []string{"agent.seabright.example"}
	return event
}

// lineWith is the one line of the log that has the member msg and the text.
func lineWith(t *testing.T, f *lambdatest.Function, msg, text string) string {
	t.Helper()
	f.Stop() // all it wrote is there
	log := f.Log()
	var found []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"msg":"`+msg+`"`) && strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines %q with %s:\n%s", len(found), msg, text, log)
	}
	return found[0]
}

// TestABuyersErrorIDLeadsToTheCause: all that a dealer is told by an unhappy
// buyer is the error_id of an answer.
func TestABuyersErrorIDLeadsToTheCause(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	for door, request := range map[string]events.APIGatewayProxyRequest{
		"agent": post(`{"type":"inventory.search.request","filters":{"make":["Quillfeather"]}}`),
		"mcp":   mcpEvent(`{"name":"aap_inventory_search","arguments":{"filters":{"make":["Quillfeather"]}}}`),
	} {
		t.Run(door, func(t *testing.T) {
			f := s.named(t, door, "DEALER_INVENTORY_TABLE=gone-1")
			request.RequestContext.RequestID = "11112222-aaaa-bbbb-cccc-ddddeeeeffff"
			var answer events.APIGatewayProxyResponse
			invoke(t, f, request, &answer)
			_, rest, ok := strings.Cut(strings.ReplaceAll(answer.Body, `\"`, `"`), `"error_id":"`)
			if !ok || answer.StatusCode != http.StatusOK || strings.Contains(answer.Body, "gone-1") || strings.Contains(answer.Body, "Dynamo") {
				t.Fatalf("%d %s", answer.StatusCode, answer.Body)
			}
			id, _, _ := strings.Cut(rest, `"`)
			cause := lineWith(t, f, "internal error", id)
			line := lineWith(t, f, map[string]string{"agent": "a2a", "mcp": "mcp"}[door], id)
			for text, line := range map[string]string{
				"ResourceNotFoundException": cause, `"aws_request_id":"`: cause, `"api_request_id":"11112222-aaaa-bbbb-cccc-ddddeeeeffff"`: cause,
				`"skill":"inventory.search"`: line, `"version":"v1.3"`: line, `"result":"INTERNAL_ERROR"`: line, `"duration":`: line, `"trace_id":"1-`: line,
			} {
				if !strings.Contains(line, text) {
					t.Errorf("no %s in %s", text, line)
				}
			}
			if strings.Contains(f.Log(), "Quillfeather") || strings.Contains(f.Log(), "203.0.113.7") {
				t.Errorf("the log tells the buyer's words or address:\n%s", f.Log())
			}
		})
	}
}

// TestOneLineTellsAllOfARequest: which lead it was about, which generation of
// the inventory the answer was made of; and the worker's lines name the lead too.
func TestOneLineTellsAllOfARequest(t *testing.T) {
	s := deploy(t, "https://127.0.0.1:9/adf")
	importer := s.named(t, "feedimport")
	cloudtest.Put(t, s.objects, s.bucket, "feeds/20261130120000.csv", []byte(lot))
	invoke(t, importer, s.uploaded("feeds/20261130120000.csv"), nil)
	invoke(t, importer, s.uploaded("feeds/lot%E2%80%AEforged.csv"), nil)
	lineWith(t, importer, "feed imported", `"feed":"s3://`+s.bucket+`/feeds/20261130120000.csv"`)
	lineWith(t, importer, "feed is gone before it was imported", `/feeds/lotforged.csv"`)

	agent := s.named(t, "agent")
	call(t, agent, `{"type":"inventory.search.request"}`)
	call(t, agent, fmt.Sprintf(submission, "key-1", "1FTFW1E50NFA10001"))
	id, _ := call(t, agent, fmt.Sprintf(submission, "key-2", "4T1G11AK8NU710002"))["lead_id"].(string)
	lineWith(t, agent, "a2a", `"index_generation":1`)
	line := lineWith(t, agent, "a2a", `"lead_id":"`+id+`"`)
	if id == "" || !strings.Contains(line, `"skill":"lead.submit"`) || !strings.Contains(line, `"result":"ok"`) || strings.Contains(line, "index_generation") {
		t.Errorf("%s", line)
	}
	worker := s.named(t, "leadworker")
	s.poll(t, worker)
	lineWith(t, worker, "lead delivery will be tried again", `"lead_id":"`+id+`"`)
	lineWith(t, worker, "lead was not handed over and comes back", `"lead_id":"`+id+`"`)

	publisher := s.named(t, "publish", "DEALER_URL="+frontDoor)
	invoke(t, publisher, []byte(`{"source":"aws.s3"}`), nil)
	lineWith(t, publisher, "files published", `"profile":"s3://`+s.bucket+`/config/dealer.yaml"`)

	tools := s.named(t, "mcp")
	var answer events.APIGatewayProxyResponse
	invoke(t, tools, mcpEvent(`{"name":"aap_inventory_search","arguments":{}}`), &answer)
	if line := lineWith(t, tools, "mcp", `"index_generation":1`); !strings.Contains(line, `"skill":"inventory.search"`) || !strings.Contains(line, `"version":"v1.3"`) {
		t.Errorf("%s", line)
	}
}
