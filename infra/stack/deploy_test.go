package stack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// stackMade is what an emulator made of the template.
type stackMade struct {
	ID, Status, Reason string
	Resources, Outputs map[string]string
	Environments       map[string]map[string]string
	Policies           map[string][]tree
	Sources            []tree
}

// deploy translates the template and makes a stack of it in moto.
func deploy(t *testing.T) (endpoint string, made stackMade) {
	t.Helper()
	_, raw := translate(t, source(t))
	if err := exec.Command("python3", "-c", "import boto3").Run(); err != nil {
		aaptest.Missing(t, "boto3 (pip install boto3)")
	}
	endpoint = cloudtest.Moto(t)
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "python3", filepath.Join("testdata", "deploy.py"), endpoint)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(raw), &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	if err := json.Unmarshal(out.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	if made.Status != "CREATE_COMPLETE" {
		t.Fatalf("%s: %s", made.Status, made.Reason)
	}
	return endpoint, made
}

// open gives a function the stores and queues that its environment names.
func open(t *testing.T, endpoint string, made stackMade, id string) *cloud.Stack {
	t.Helper()
	settings, err := cloud.ReadSettings(cloud.Function(folderOf(id)), func(name string) (string, bool) {
		value, found := made.Environments[id][name]
		return value, found
	})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return cloud.NewStack(settings, cloudtest.Config(endpoint))
}

func TestADeployedStackIsWiredTogether(t *testing.T) {
	endpoint, made := deploy(t)
	checkReadBack(t, endpoint, made)

	// Reads and writes go to tables that are there, with the keys they need.
	agent, worker, importer := open(t, endpoint, made, "AgentFunction"), open(t, endpoint, made, "LeadWorkerFunction"), open(t, endpoint, made, "FeedImportFunction")
	for name, stack := range map[string]*cloud.Stack{"agent": agent, "importer": importer} {
		if _, err := stack.Inventory().Head(t.Context(), "seabright"); !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("the %s's inventory: %v, want an empty one", name, err)
		}
	}
	for name, stack := range map[string]*cloud.Stack{"agent": agent, "worker": worker} {
		if _, err := stack.Leads().Load(t.Context(), "seabright", "lead-1", time.Now()); !errors.Is(err, lead.ErrNotFound) {
			t.Errorf("the %s's leads: %v, want none", name, err)
		}
	}
	if agent.Settings.LeadsTable == agent.Settings.InventoryTable || agent.Settings.LeadsTable != worker.Settings.LeadsTable {
		t.Errorf("agent %+v, worker %+v", agent.Settings, worker.Settings)
	}

	// What the agent queues is what the worker is called with.
	if err := agent.Queue().Enqueue(t.Context(), "lead-1"); err != nil {
		t.Fatal(err)
	}
	messages := sqs.NewFromConfig(cloudtest.Config(endpoint))
	got, err := messages.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(made.Resources["LeadQueue"])})
	if err != nil || len(got.Messages) != 1 || aws.ToString(got.Messages[0].Body) != "lead-1" {
		t.Errorf("the queue holds %v: %v", got, err)
	}
	about := attributes(t, messages, made.Resources["LeadQueue"])
	dead := attributes(t, messages, made.Resources["LeadDeadLetters"])
	if !strings.Contains(about["RedrivePolicy"], dead["QueueArn"]) {
		t.Errorf("dead letters go by %s, want to %s", about["RedrivePolicy"], dead["QueueArn"])
	}
	if len(made.Sources) != 1 || textAt(made.Sources[0], "EventSourceArn") != about["QueueArn"] ||
		!strings.HasSuffix(textAt(made.Sources[0], "FunctionArn"), ":"+made.Resources["LeadWorkerFunction"]) {
		t.Errorf("event sources: %v", made.Sources)
	}

	// The names made of the stack's id agree, and S3 takes them.
	bucket := made.Resources["FeedBucket"]
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`).MatchString(bucket) {
		t.Errorf("S3 takes no bucket called %q", bucket)
	}
	for function, want := range map[string]string{
		"AgentFunction": "arn:aws:execute-api:us-east-1:123456789012:" + made.Resources["Api"] + "/live/*/a2a*",
		"McpFunction":   "arn:aws:execute-api:us-east-1:123456789012:" + made.Resources["Api"] + "/live/*/mcp",
	} {
		if p := made.Policies[function]; len(p) != 1 || textAt(p[0], "Condition", "ArnLike", "AWS:SourceArn") != want {
			t.Errorf("%s may be called by %v, want %s", function, p, want)
		}
	}
	if p := made.Policies["FeedImportFunction"]; len(p) != 2 || !strings.Contains(fmt.Sprint(p), "arn:aws:s3:::"+bucket) || !strings.Contains(fmt.Sprint(p), "events.amazonaws.com") {
		t.Errorf("the importer may be called by %v, want the feed bucket and the schedule", p)
	}
	if importer.Settings.FeedBucket != bucket {
		t.Errorf("what is fetched goes to %q, not to %q", importer.Settings.FeedBucket, bucket)
	}
	if p := made.Policies["SweeperFunction"]; len(p) != 1 || textAt(p[0], "Principal", "Service") != "events.amazonaws.com" {
		t.Errorf("the sweeper may be called by %v", p)
	}
	if p := made.Policies["PublishFunction"]; len(p) != 1 || textAt(p[0], "Principal", "Service") != "events.amazonaws.com" {
		t.Errorf("the publisher may be called by %v", p)
	}
	if len(made.Policies) != 5 {
		t.Errorf("functions that others may call: %v", made.Policies)
	}

	// The publisher writes where the profile lies, and names the front door.
	publisher := open(t, endpoint, made, "PublishFunction").Settings
	if publisher.ProfileBucket != made.Resources["SiteBucket"] || publisher.URL != "https://agent.seabright.example" || made.Outputs["Address"] != publisher.URL {
		t.Errorf("the publisher has %+v, buyers are told %s", publisher, made.Outputs["Address"])
	}

	// The next steps can be pasted.
	for name, text := range made.Outputs {
		if strings.ContainsAny(text, "{}$\n") || text == "" {
			t.Errorf("%s: %q", name, text)
		}
	}
	if got := made.Outputs["Step4UploadInventory"]; !strings.Contains(got, "s3://"+bucket+"/feeds/") {
		t.Errorf("the inventory goes by %q", got)
	}
}

func attributes(t *testing.T, client *sqs.Client, url string) map[string]string {
	t.Helper()
	got, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll},
	})
	if err != nil {
		t.Fatal(err)
	}
	return got.Attributes
}
