package functions_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// TestAnyInstanceOfTheFunctionTakesTheAnswerToAForm: the form is shown by one
// instance, the answer comes to another with the same key, twice, and makes one
// lead. One with another key shows the form again.
func TestAnyInstanceOfTheFunctionTakesTheAnswerToAForm(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	bootstrap := lambdatest.Build(t, "./mcp")
	asks := lambdatest.Start(t, bootstrap, s.env...)
	takes := lambdatest.Start(t, bootstrap, s.env...)
	stranger := lambdatest.Start(t, bootstrap, append(s.env[:len(s.env):len(s.env)], "DEALER_FORM_KEY="+strings.Repeat("x", 32))...)
	type answer struct {
		Result struct {
			ResultType, RequestState string
			IsError                  bool
			StructuredContent        struct {
				Code string
				Data struct {
					LeadID string `json:"lead_id"`
				}
			}
		}
	}
	submit := func(f *lambdatest.Function, more string) (got answer) {
		t.Helper()
		r := mcpRequest("2026-07-28", "tools/call", `{"name":"aap_lead_submit","arguments":{"customer":{"first_name":"Maxine","last_name":"Quillfeather","email":"maxine@example.com"},"source_agent":{"name":"host"}}`+more+`}`)
		r.body = strings.Replace(r.body, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"form":{}}}`, 1)
		event := restEvent(r)
		event.MultiValueHeaders["Host"] = []string{"agent.seabright.example"}
		var out events.APIGatewayProxyResponse
		began := time.Now()
		invoke(t, f, event, &out)
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("the function was held for %v", took)
		}
		if err := json.Unmarshal([]byte(out.Body), &got); err != nil {
			t.Fatalf("%d %s\n%s", out.StatusCode, out.Body, f.Log())
		}
		return got
	}
	asked := submit(asks, "").Result
	if asked.ResultType != "input_required" || asked.RequestState == "" {
		t.Fatalf("%+v\n%s", asked, asks.Log())
	}
	yes := `,"inputResponses":{"form":{"action":"accept","content":{"email":true}}},"requestState":"` + asked.RequestState + `"`
	if got := submit(stranger, yes).Result; got.ResultType != "input_required" {
		t.Errorf("another key: %+v", got)
	}
	first := submit(takes, yes).Result
	if first.IsError || first.StructuredContent.Data.LeadID == "" {
		t.Fatalf("%+v\n%s", first, takes.Log())
	}
	time.Sleep(1100 * time.Millisecond) // so that the grant would bear another second
	if again := submit(asks, yes).Result; again.StructuredContent.Data.LeadID != first.StructuredContent.Data.LeadID {
		t.Errorf("the answer made another lead: %+v", again)
	}
	for _, f := range []*lambdatest.Function{asks, takes, stranger} {
		for _, secret := range []string{"Maxine", "Quillfeather", "maxine@", asked.RequestState, strings.Repeat("k", 32), strings.Repeat("x", 32)} {
			if strings.Contains(f.Log(), secret) {
				t.Errorf("the log tells %q:\n%s", secret, f.Log())
			}
		}
	}
}
