package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cloudformationtypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// poolBucket has the profiles of the stack of many.
const poolBucket = "larkspur-sitebucket-1kq0x"

// poolOf has profiles of so many dealers in a stack of many: d00, d01, …
func poolOf(t *testing.T, dealers int) (endpoint string, stack *cloud.Stack) {
	t.Helper()
	endpoint = larkspurStack(t, cloudformationtypes.Parameter{ParameterKey: aws.String("Dealers"), ParameterValue: aws.String("many")})
	profile, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	for n := range dealers {
		id := fmt.Sprintf("d%02d", n)
		cloudtest.Put(t, cloudtest.Objects(endpoint), poolBucket, "dealers/"+id+"/dealer.yaml", bytes.Replace(profile, []byte("id: demo-group"), []byte("id: "+id), 1))
	}
	d, err := cloud.ReadDeployed(t.Context(), cloudformation.NewFromConfig(cloudtest.Config(endpoint)), "larkspur")
	if err != nil {
		t.Fatal(err)
	}
	return endpoint, d.Open(cloudtest.Config(endpoint))
}

// takenLead is a lead of the dealer as the agent files one.
func takenLead(t *testing.T, store lead.Store, dealer, id string) {
	t.Helper()
	now := time.Now()
	e := lead.Entry{Record: lead.Record{
		ID: id, DealerID: dealer, ReceivedAt: now, Version: "v1.3", Rooftop: "North",
		Request: []byte(`{"type":"lead.submit.request","customer":{"first_name":"Pat","last_name":"Sample","email":"pat@example.com","phone":"+13035550140"},
"consent":{"granted_at":"2026-01-01T00:00:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},"source_agent":{"name":"a"}}`),
		Answer: lead.Answer{Data: json.RawMessage(`{"lead_id":"x","status":"received"}`)}, ExpiresAt: now.AddDate(1, 0, 0),
	}, Key: &lead.Key{Value: id, Digest: "x", LeadID: id, ExpiresAt: now.AddDate(1, 0, 0)}}
	if err := store.Create(t.Context(), e, now); err != nil {
		t.Fatal(err)
	}
	if _, err := store.UpdateDelivery(t.Context(), dealer, id, lead.Delivery{Target: "crm", State: lead.HandedOver, Attempts: 1, UpdatedAt: now}); err != nil {
		t.Fatal(err)
	}
}

const poolLead = "0196a3f0-0000-7000-8000-000000000001"

func TestEveryCommandOnAStackOfManySaysWhoseWorkItIs(t *testing.T) {
	endpoint, stack := poolOf(t, 12)
	commands := [][]string{
		{"leads", "list"}, {"leads", "show", poolLead}, {"leads", "resend", poolLead}, {"leads", "revoke", "--lead", poolLead, "--channel", "email"}, {"leads", "export"},
		{"leads", "erase", "--lead", poolLead, "--dry-run"}, {"leads", "stats"}, {"leads", "audit"},
		{"appointments", "list"}, {"appointments", "cancel", poolLead}, {"appointments", "move", poolLead, "--to", "2027-05-03T11:00"},
		{"inventory", "log"}, {"vehicle", "sold", "X1"}, {"vehicle", "hold", "X1"}, {"vehicle", "release", "X1"}, {"vehicle", "price", "X1", "20000"},
		{"import", "--feed", fixtureFeed}, {"publish"}, {"feed", "pull"}, {"doctor"},
	}
	for _, args := range commands {
		r := dealerCommand(t, "", append(args, "--stack", "larkspur")...)
		if r.code != 2 || r.err != "dealer: the stack larkspur serves many dealers; choose one with --dealer: d00, d01, d02, d03, d04, d05, d06, d07, d08, d09 and 2 more\n" {
			t.Errorf("%v: exit code %d: %s%s", args, r.code, r.out, r.err)
		}
		r = dealerCommand(t, "", append(args, "--stack", "larkspur", "--dealer", "d0")...)
		if r.code != 2 || !strings.HasPrefix(r.err, "dealer: the stack larkspur has no profile of a dealer d0; it serves: d00, ") || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v of nobody: exit code %d: %s%s", args, r.code, r.out, r.err)
		}
		if r = dealerCommand(t, "", append(args, "--stack", "larkspur", "--dealer", "D00/../d01")...); r.code != 2 || !strings.Contains(r.err, "is no id of a dealer") {
			t.Errorf("%v: exit code %d: %s%s", args, r.code, r.out, r.err)
		}
	}

	of := func(wantCode int, want string, args ...string) {
		t.Helper()
		r := dealerCommand(t, "", append(args, "--stack", "larkspur")...)
		if r.code != wantCode || !strings.Contains(r.out+r.err, want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, r.code, wantCode, want, r.out, r.err)
		}
	}
	takenLead(t, stack.Leads(), "d01", poolLead)
	of(0, poolLead, "leads", "list", "--dealer", "d01")
	if r := dealerCommand(t, "", "leads", "list", "--dealer", "d00", "--stack", "larkspur"); r.code != 0 || strings.Contains(r.out, poolLead) {
		t.Errorf("another dealer's list: %d %s%s", r.code, r.out, r.err)
	}
	of(1, "", "leads", "show", poolLead, "--dealer", "d00")
	of(0, "Queued once more for crm", "leads", "resend", poolLead, "--dealer", "d01")
	queued, err := sqs.NewFromConfig(cloudtest.Config(endpoint)).ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(stack.Settings.QueueURL), MessageAttributeNames: []string{"All"},
	})
	if err != nil || len(queued.Messages) != 1 || aws.ToString(queued.Messages[0].MessageAttributes["dealer"].StringValue) != "d01" {
		t.Errorf("the worker is not told whose lead it is: %+v, %v", queued, err)
	}
	of(1, "no vehicle has the VIN or stock number X1", "vehicle", "sold", "X1", "--dealer", "d01")
	of(1, "the profile has no feed.sources", "feed", "pull", "--dealer", "d01")
	of(3, "that of dealer d01", "doctor", "http://127.0.0.1:1", "--dealer", "d01")

	// A dealer who was withdrawn has leads, which somebody may have to erase.
	if _, err := stack.Objects().DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(poolBucket), Key: aws.String("dealers/d01/dealer.yaml")}); err != nil {
		t.Fatal(err)
	}
	of(0, "Erased 1 lead", "leads", "erase", "--lead", poolLead, "--yes", "--dealer", "d01")
	of(2, "has no profile of a dealer d01; it serves: d00, d02", "leads", "list", "--dealer", "d01")
	t.Run("an import goes to the dealer's folder and waits for its report", func(t *testing.T) { importsOfOneOfMany(t, stack.Objects()) })
}

func importsOfOneOfMany(t *testing.T, client *s3.Client) {
	importFunction(t, client, fixtureProfile)
	r := dealerCommand(t, "", "import", "--stack", "larkspur", "--dealer", "d02", "--feed", fixtureFeed, "--wait", "20s")
	if r.code != 0 || !strings.Contains(r.err, "s3://dealer-feeds-0b1c2d3e4f50/feeds/d02/feed.json is there") {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	if _, report := object(t, client, "dealer-feeds-0b1c2d3e4f50", "reports/feeds/d02/feed.json.json"); !strings.Contains(report, `"imported"`) {
		t.Errorf("the dealer's own report is %s", report)
	}
	for _, args := range [][]string{
		{"import", "s3://dealer-feeds-0b1c2d3e4f50/feeds/d02/feed.json", "--dealer", "d01"},
		{"import", "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", t.TempDir(), "--dealer", "d01"},
		{"publish", "--profile", fixtureProfile, "--dir", t.TempDir(), "--dealer", "d01"},
		{"doctor", "http://127.0.0.1:1", "--dealer", "d01"},
	} {
		if r := dealerCommand(t, "", args...); r.code != 2 || !strings.Contains(r.err, "--dealer goes with --stack") {
			t.Errorf("%v: exit code %d: %s", args, r.code, r.err)
		}
	}
}
