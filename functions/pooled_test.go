package functions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// pooledStack is a stack of many dealers behind *.agents.vendor.example.
type pooledStack struct {
	*stack
	publish *lambdatest.Function
}

func deployPooled(t *testing.T) pooledStack {
	s := deploy(t, "https://crm.seabright.example/adf")
	s.env = append(slices.Clone(s.env), "DEALER_PROFILE_KEY=dealers/", "DEALER_ROLE=arn:aws:iam::123456789012:role/one-dealer",
		"DEALER_URL=https://*.agents.vendor.example")
	return pooledStack{s, lambdatest.Start(t, lambdatest.Build(t, "./publish"), s.env...)}
}

// put uploads a dealer's profile and tells publish, as EventBridge does.
func (s pooledStack) put(t *testing.T, at, id, url string) {
	t.Helper()
	document := strings.Replace(fmt.Sprintf(profile, "https://crm.seabright.example/adf"), "id: seabright\nname: Seabright Motors\nurl: https://agent.seabright.example\n",
		"id: "+id+"\nname: Motors of "+id+"\n"+url, 1)
	cloudtest.Put(t, s.objects, s.bucket, "dealers/"+at+"/dealer.yaml", []byte(document))
	s.changed(t, "dealers/"+at+"/dealer.yaml", "Object Created")
}

func (s pooledStack) changed(t *testing.T, key, what string) {
	t.Helper()
	invoke(t, s.publish, fmt.Appendf(nil, `{"version":"0","id":"1","detail-type":%q,"source":"aws.s3","detail":{"bucket":{"name":%q},"object":{"key":%q}}}`, what, s.bucket, key), nil)
}

// read is an object's text, or "" where there is none.
func (s pooledStack) read(t *testing.T, key string) string {
	t.Helper()
	object, err := s.objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)})
	if _, gone := errors.AsType[*types.NoSuchKey](err); gone {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer object.Body.Close()
	body, err := io.ReadAll(object.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const cardFile = "/.well-known/agent-card.json"

func TestEachDealerOfManyHasItsFilesUnderItsOwnHost(t *testing.T) {
	s := deployPooled(t)
	s.put(t, "ash", "ash", "")
	s.put(t, "oak", "oak", "url: https://agent.oak.example\n")
	s.put(t, "fir", "fir", "url: https://www.fir.example/agent\n")
	for key, want := range map[string]string{
		"published/ash" + cardFile: "https://ash.agents.vendor.example/a2a", "hosts/ash.agents.vendor.example" + cardFile: "https://ash.agents.vendor.example/a2a",
		"published/oak" + cardFile: "https://agent.oak.example/a2a", "hosts/agent.oak.example" + cardFile: "https://agent.oak.example/a2a",
		"published/fir" + cardFile: "https://www.fir.example/agent/a2a",
	} {
		if card := s.read(t, key); !strings.Contains(card, `"`+want+`"`) {
			t.Errorf("%s names not %s: %s\n%s", key, want, card, s.publish.Log())
		}
	}
	if s.read(t, "hosts/www.fir.example"+cardFile) != "" {
		t.Error("a dealer below a path has the root of the host")
	}

	agent := lambdatest.Start(t, lambdatest.Build(t, "./agent"), s.env...)
	ask := func(domain, path string) (status int, body string) {
		t.Helper()
		event := post(`{"type":"dealer.information.request"}`)
		event.Path, event.RequestContext.DomainName = path, domain
		event.MultiValueHeaders["Host"], event.MultiValueHeaders["X-Forwarded-Host"] = []string{"agent.oak.example"}, []string{"agent.oak.example"}
		event.MultiValueHeaders["Dealer-Host"] = []string{"agent.oak.example"}
		var answer events.APIGatewayProxyResponse
		invoke(t, agent, event, &answer)
		return answer.StatusCode, answer.Body
	}
	for _, c := range []struct{ domain, path, who string }{
		{"ash.agents.vendor.example", "/a2a", "ash"}, {"ASH.agents.vendor.example", "/a2a", "ash"}, {"agent.oak.example", "/a2a/v1.3", "oak"},
		{"x.execute-api.us-east-1.amazonaws.com", "/dealers/fir/a2a", "fir"}, {"agent.oak.example", "/dealers/ash/a2a", "ash"},
		{"x.execute-api.us-east-1.amazonaws.com", "/a2a", ""}, {"elm.agents.vendor.example", "/a2a", ""}, {"", "/a2a", ""}, {"", "/dealers//a2a", ""}, {"-", "/a2a", ""},
	} {
		status, body := ask(c.domain, c.path)
		if c.who == "" && (status != 404 || !strings.Contains(body, `"UNSUPPORTED_SKILL"`)) || c.who != "" && (status != 200 || !strings.Contains(body, "Motors of "+c.who)) {
			t.Errorf("%s%s: %d %s, want the dealer %q\n%s", c.domain, c.path, status, body, c.who, agent.Log())
		}
	}

	// A profile changes nobody's files but its own dealer's, a deployment everybody's.
	gone := func(key string) {
		if _, err := s.objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)}); err != nil {
			t.Fatal(err)
		}
	}
	gone("published/ash" + cardFile)
	s.put(t, "oak", "oak", "url: https://new.oak.example\n")
	if s.read(t, "published/ash"+cardFile) != "" || s.read(t, "hosts/agent.oak.example"+cardFile) != "" || s.read(t, "hosts/new.oak.example"+cardFile) == "" {
		t.Error("want new files for one dealer, and none where it was before")
	}
	invoke(t, s.publish, []byte(`{"version":"0","id":"1","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`), nil)
	if s.read(t, "published/ash"+cardFile) == "" {
		t.Errorf("not every dealer is published\n%s", s.publish.Log())
	}

	// Nobody gets what is another's.
	for _, c := range []struct{ at, id, url string }{
		{"elm", "elm", "url: https://new.oak.example\n"}, {"elm", "elm", "url: https://ash.agents.vendor.example\n"}, {"elm", "ash", ""},
	} {
		before := s.read(t, "hosts/new.oak.example"+cardFile) + s.read(t, "hosts/ash.agents.vendor.example"+cardFile)
		s.put(t, c.at, c.id, c.url)
		if s.read(t, "published/elm"+cardFile) != "" || s.read(t, "hosts/new.oak.example"+cardFile)+s.read(t, "hosts/ash.agents.vendor.example"+cardFile) != before {
			t.Errorf("%v takes what is another's", c)
		}
	}
	if n := strings.Count(s.publish.Log(), `"msg":"`+cloud.LogProfile); n != 3 {
		t.Errorf("%d refusals that an alarm could match, want 3\n%s", n, s.publish.Log())
	}

	gone("dealers/oak/dealer.yaml")
	s.changed(t, "dealers/oak/dealer.yaml", "Object Deleted")
	if s.read(t, "published/oak"+cardFile) != "" || s.read(t, "hosts/new.oak.example"+cardFile) != "" {
		t.Error("a dealer without a profile is still published")
	}
}

func TestAFormOfOneDealerIsNoneOfAnothers(t *testing.T) {
	s := deployPooled(t)
	s.put(t, "ash", "ash", "")
	s.put(t, "oak", "oak", "")
	tools := lambdatest.Start(t, lambdatest.Build(t, "./mcp"), s.env...)
	submit := func(dealer, more string) (kind, state, lead string) {
		t.Helper()
		r := mcpRequest("2026-07-28", "tools/call", `{"name":"aap_lead_submit","arguments":{"customer":{"first_name":"Maxine","last_name":"Quillfeather","email":"maxine@example.com"},"source_agent":{"name":"host"}}`+more+`}`)
		r.body = strings.Replace(r.body, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"form":{}}}`, 1)
		event := restEvent(r)
		event.Path = "/dealers/" + dealer + "/mcp"
		event.MultiValueHeaders["Host"] = []string{"x.execute-api.us-east-1.amazonaws.com"}
		var out events.APIGatewayProxyResponse
		invoke(t, tools, event, &out)
		var got struct {
			Result struct {
				ResultType, RequestState string
				StructuredContent        struct {
					Data struct {
						LeadID string `json:"lead_id"`
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(out.Body), &got); err != nil {
			t.Fatalf("%d %s\n%s", out.StatusCode, out.Body, tools.Log())
		}
		return got.Result.ResultType, got.Result.RequestState, got.Result.StructuredContent.Data.LeadID
	}
	kind, state, _ := submit("ash", "")
	if kind != "input_required" || state == "" {
		t.Fatalf("%q\n%s", kind, tools.Log())
	}
	yes := `,"inputResponses":{"form":{"action":"accept","content":{"email":true}}},"requestState":"` + state + `"`
	if kind, again, lead := submit("oak", yes); kind != "input_required" || again == state || lead != "" {
		t.Errorf("the consent for one dealer made a lead %q of another: %s", lead, kind)
	}
	if _, _, lead := submit("ash", yes); lead == "" {
		t.Errorf("the dealer does not know its own form\n%s", tools.Log())
	}
}

func TestADealerThatLeavesTakesNobodysFilesAway(t *testing.T) {
	s := deployPooled(t)
	s.put(t, "oak", "oak", "url: https://agent.oak.example\n")
	s.put(t, "pine", "pine", "")
	// Both were noted at the same time, as two uploads side by side do.
	cloudtest.Put(t, s.objects, s.bucket, cloud.RosterKey("pine", "agent.oak.example"), nil)
	if _, err := s.objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(s.bucket), Key: aws.String("dealers/pine/dealer.yaml")}); err != nil {
		t.Fatal(err)
	}
	s.changed(t, "dealers/pine/dealer.yaml", "Object Deleted")
	if s.read(t, "published/pine"+cardFile) != "" || s.read(t, "hosts/pine.agents.vendor.example"+cardFile) != "" {
		t.Error("the dealer that left is still published")
	}
	if s.read(t, "hosts/agent.oak.example"+cardFile) == "" {
		t.Errorf("another dealer's files went with it\n%s", s.publish.Log())
	}
}

// TestTheStacksOwnHostIsNoDealers: what answers at the root of the front door
// answers to everybody who asks the stack itself.
func TestTheStacksOwnHostIsNoDealers(t *testing.T) {
	s := deployPooled(t)
	for _, url := range []string{"https://agents.vendor.example", "https://abc123.execute-api.us-east-1.amazonaws.com"} {
		s.put(t, "ash", "ash", "url: "+url+"\n")
		host := strings.TrimPrefix(url, "https://")
		if s.read(t, "hosts/"+host+cardFile) != "" || s.read(t, "published/ash"+cardFile) != "" {
			t.Errorf("a dealer has the root of %s", host)
		}
	}
	if n := strings.Count(s.publish.Log(), `"msg":"`+cloud.LogProfile); n != 2 {
		t.Errorf("%d refusals that an alarm could match, want 2\n%s", n, s.publish.Log())
	}
}
