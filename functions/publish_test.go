package functions_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

const frontDoor = "https://d111111abcdef8.cloudfront.net"

// publishing is the publish function over a bucket without a profile.
type publishing struct {
	objects  *s3.Client
	bucket   string
	function *lambdatest.Function
	// answers is what CloudFormation was told, by PUT to the URL it gave.
	answers chan cfn.Response
	url     string
}

func newPublishing(t *testing.T) *publishing {
	t.Helper()
	endpoint := cloudtest.Moto(t)
	p := &publishing{objects: cloudtest.Objects(endpoint), answers: make(chan cfn.Response, 10)}
	p.bucket = cloudtest.Bucket(t, p.objects)
	p.function = p.over(t, endpoint, p.bucket)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer cfn.Response
		// A pre-signed URL takes no other header than was signed.
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.Method != http.MethodPut || r.Header.Get("Content-Type") != "" {
			t.Errorf("CloudFormation was told by %s %v: %v", r.Method, r.Header, err)
		}
		p.answers <- answer
	}))
	t.Cleanup(server.Close)
	p.url = server.URL + "/signed?X=1"
	return p
}

func (p *publishing) over(t *testing.T, endpoint, bucket string) *lambdatest.Function {
	return lambdatest.Start(t, lambdatest.Build(t, "./publish"), append(cloudtest.Environment(endpoint),
		"DEALER_PROFILE_BUCKET="+bucket, "DEALER_PROFILE_KEY=dealer.yaml", "DEALER_URL="+frontDoor)...)
}

// deployed plays CloudFormation and returns what it was told.
func (p *publishing) deployed(t *testing.T, f *lambdatest.Function, kind cfn.RequestType) cfn.Response {
	t.Helper()
	request := cfn.Event{
		RequestType: kind, RequestID: "r-1", ResponseURL: p.url, ResourceType: "Custom::PublishedFiles", LogicalResourceID: "PublishedFiles",
		StackID: "arn:aws:cloudformation:us-east-1:123456789012:stack/seabright/1",
		ResourceProperties: map[string]any{
			"ServiceToken": "arn", "DealerName": `Seabright & "Sons": Motors`, "DealerPhone": "+18315550100", "DealerTimezone": "America/Los_Angeles",
		},
	}
	if kind != cfn.RequestCreate {
		request.PhysicalResourceID = "s3://" + p.bucket + "/.well-known"
	}
	invoke(t, f, request, nil)
	select {
	case answer := <-p.answers:
		if answer.RequestID != request.RequestID || answer.StackID != request.StackID || answer.LogicalResourceID != request.LogicalResourceID || answer.PhysicalResourceID == "" {
			t.Errorf("CloudFormation does not know what is meant by %+v", answer)
		}
		return answer
	default:
		t.Fatalf("CloudFormation still waits\n%s", f.Log())
		return cfn.Response{}
	}
}

// changed plays EventBridge after an upload.
func (p *publishing) changed(t *testing.T) {
	t.Helper()
	invoke(t, p.function, fmt.Appendf(nil, `{"version":"0","id":"1","detail-type":"Object Created","source":"aws.s3","account":"123456789012",
		"time":"2026-11-30T12:00:00Z","region":"us-east-1","resources":["arn:aws:s3:::%s"],
		"detail":{"version":"0","bucket":{"name":%q},"object":{"key":"dealer.yaml","size":10},"reason":"PutObject"}}`, p.bucket, p.bucket), nil)
}

func (p *publishing) read(t *testing.T, path string) (body string, object *s3.GetObjectOutput) {
	t.Helper()
	object, err := p.objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(p.bucket), Key: aws.String(strings.TrimPrefix(path, "/"))})
	if err != nil {
		return "", nil
	}
	defer object.Body.Close()
	raw, err := io.ReadAll(object.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), object
}

// asPublished compares the bucket with what `dealer publish` makes of the profile there.
func (p *publishing) asPublished(t *testing.T) {
	t.Helper()
	document, object := p.read(t, "dealer.yaml")
	profile, err := dealer.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if profile.Modified = aws.ToTime(object.LastModified); profile.URL == "" {
		profile.URL = frontDoor
	}
	files, err := wellknown.Files(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, about := p.read(t, f.Path)
		if about == nil || got != string(f.Body) || aws.ToString(about.ContentType) != f.ContentType || aws.ToString(about.CacheControl) != f.CacheControl {
			t.Errorf("%s is %q, want %q", f.Path, got, f.Body)
		}
	}
}

func TestAFreshStackServesACardThatNamesItsFrontDoorAtOnce(t *testing.T) {
	p := newPublishing(t)
	made := p.deployed(t, p.function, cfn.RequestCreate)
	if made.Status != cfn.StatusSuccess {
		t.Fatalf("%+v\n%s", made, p.function.Log())
	}
	card, _ := p.read(t, wellknown.CardPath)
	if !strings.Contains(card, frontDoor+"/a2a") || !strings.Contains(card, `Seabright & \"Sons\": Motors`) || strings.Contains(card, "lead.submit") {
		t.Errorf("the card is %s", card)
	}
	p.asPublished(t)

	// The dealer's own profile is published when it is put there, and no deployment replaces it.
	own := fmt.Sprintf(profile, "https://crm.example.com/adf")
	cloudtest.Put(t, p.objects, p.bucket, "dealer.yaml", []byte(own+"versions: [v1.3, v1.0, v0.1]\n"))
	p.changed(t)
	p.asPublished(t)
	if again := p.deployed(t, p.function, cfn.RequestUpdate); again.Status != cfn.StatusSuccess || again.PhysicalResourceID != made.PhysicalResourceID {
		t.Errorf("%+v, made %+v", again, made)
	}
	if got, _ := p.read(t, "dealer.yaml"); !strings.HasPrefix(got, own) {
		t.Errorf("the profile became %s", got)
	}
	if card, _ := p.read(t, wellknown.CardPath); !strings.Contains(card, "https://agent.seabright.example/a2a") || !strings.Contains(card, "lead.submit") {
		t.Errorf("the card is %s", card)
	}

	// A contract that is served no more has no card.
	old := "/.well-known/agent-card-v1.0.json"
	if _, there := p.read(t, old); there == nil {
		t.Error("v1.0 has no card")
	}
	cloudtest.Put(t, p.objects, p.bucket, "dealer.yaml", []byte(own))
	p.changed(t)
	p.asPublished(t)
	for _, gone := range []string{old, "/.well-known/auto-agent-contract.json", "/.well-known/auto-agent-llm-guide.md"} {
		if _, there := p.read(t, gone); there != nil {
			t.Errorf("%s is still there", gone)
		}
	}

	// A profile at fault stops neither buyers nor deployments, and alarms.
	cloudtest.Put(t, p.objects, p.bucket, "dealer.yaml", []byte("id: Not An Id\n"))
	card, _ = p.read(t, wellknown.CardPath)
	p.changed(t)
	if got := p.deployed(t, p.function, cfn.RequestUpdate); got.Status != cfn.StatusSuccess {
		t.Errorf("a profile at fault holds up the deployment: %+v", got)
	}
	if kept, _ := p.read(t, wellknown.CardPath); kept != card {
		t.Errorf("the card became %s", kept)
	}
	if !strings.Contains(p.function.Log(), `"msg":"dealer profile refused"`) {
		t.Errorf("nobody hears of the fault:\n%s", p.function.Log())
	}

	if gone := p.deployed(t, p.function, cfn.RequestDelete); gone.Status != cfn.StatusSuccess || gone.PhysicalResourceID != made.PhysicalResourceID {
		t.Errorf("%+v", gone)
	}
	if kept, _ := p.read(t, wellknown.CardPath); kept != card {
		t.Error("the files went with the stack, before the bucket did")
	}
}

func TestCloudFormationIsToldOfAFailureToo(t *testing.T) {
	p := newPublishing(t)
	lost := p.over(t, cloudtest.Moto(t), "no-such-bucket")
	for _, kind := range []cfn.RequestType{cfn.RequestCreate, cfn.RequestUpdate} {
		if got := p.deployed(t, lost, kind); got.Status != cfn.StatusFailed || !strings.Contains(got.Reason, "first profile") || len(got.Reason) > 1000 {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	if got := p.deployed(t, lost, cfn.RequestDelete); got.Status != cfn.StatusSuccess {
		t.Errorf("a stack that failed cannot be deleted: %+v", got)
	}
}
