package cloud_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// environment gives the process the variables of an AWS user.
func environment(t *testing.T, endpoint string) {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	for _, pair := range cloudtest.Environment(endpoint) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

const smallStack = `{
	"Parameters": {"ProfileKey": {"Type": "String", "Default": "dealer.yaml"}},
	"Resources": {
		"SiteBucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "site-of-seabright"}},
		"FeedBucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "feeds-of-seabright"}},
		"LeadQueue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "seabright-leads"}}
	},
	"Outputs": {"Address": {"Value": "https://agent.seabright.example"}}
}`

func TestADeployedStackIsReadByItsName(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	environment(t, endpoint)
	api := cloudformation.NewFromConfig(cloudtest.Config(endpoint))
	_, err := api.CreateStack(t.Context(), &cloudformation.CreateStackInput{
		StackName: aws.String("seabright"), TemplateBody: aws.String(smallStack),
		Parameters: []types.Parameter{{ParameterKey: aws.String("ProfileKey"), ParameterValue: aws.String("profiles/seabright.yaml")}},
		Tags:       []types.Tag{{Key: aws.String("group"), Value: aws.String("north")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stack, d, err := cloud.OpenDeployed(t.Context(), "seabright", "")
	if err != nil {
		t.Fatal(err)
	}
	if d.Changed.IsZero() || !strings.HasPrefix(d.ID, "arn:aws:cloudformation:us-east-1:123456789012:stack/seabright/") || !strings.HasSuffix(d.Resources["LeadQueue"], "/seabright-leads") {
		t.Errorf("%+v", d)
	}
	want := cloud.Deployed{
		Name: "seabright", Region: "us-east-1", Account: "123456789012", ID: d.ID, Changed: d.Changed, Status: "CREATE_COMPLETE",
		Parameters: map[string]string{"ProfileKey": "profiles/seabright.yaml"},
		Outputs:    map[string]string{"Address": "https://agent.seabright.example"},
		Tags:       map[string]string{"group": "north"},
		Resources:  map[string]string{"SiteBucket": "site-of-seabright", "FeedBucket": "feeds-of-seabright", "LeadQueue": d.Resources["LeadQueue"]},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := stack.Settings; s.ProfileBucket != "site-of-seabright" || s.ProfileKey != "profiles/seabright.yaml" || s.QueueURL != d.Resources["LeadQueue"] || s.URL != d.Address() {
		t.Errorf("settings %+v", s)
	}
	byID, err := cloud.ReadDeployed(t.Context(), api, d.ID)
	if err != nil || byID.Name != "seabright" {
		t.Errorf("by its ARN: %+v, %v", byID, err)
	}
	if _, _, err := cloud.OpenDeployed(t.Context(), "larkspur", ""); !errors.Is(err, cloud.ErrNoStack) || !strings.Contains(err.Error(), "larkspur in us-east-1") {
		t.Errorf("a stack that is not there: %v", err)
	}
}

func TestWithoutAccessToAWSAPersonIsToldWhatToDo(t *testing.T) {
	refusal := func(status int, code string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`<ErrorResponse><Error><Type>Sender</Type><Code>` + code + `</Code><Message>about ` + code + `</Message></Error></ErrorResponse>`))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	for _, c := range []struct {
		name, endpoint string
		set            map[string]string
		says           string
	}{
		{"no region", "http://127.0.0.1:1", map[string]string{"AWS_REGION": ""}, "--region us-east-1"},
		{"no credentials", "http://127.0.0.1:1", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "`aws sso login`"},
		{"a profile that is not there", "http://127.0.0.1:1", map[string]string{"AWS_PROFILE": "nobody"}, "nobody"},
		{"an endpoint that does not answer", "http://127.0.0.1:1", map[string]string{"AWS_MAX_ATTEMPTS": "1"}, "cannot be reached"},
		{"credentials that have ended", refusal(403, "ExpiredToken"), nil, "renew them"},
		{"a right that is missing", refusal(403, "AccessDenied"), nil, "about AccessDenied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t, c.endpoint)
			for name, value := range c.set {
				t.Setenv(name, value)
			}
			_, _, err := cloud.OpenDeployed(t.Context(), "seabright", "")
			if !errors.Is(err, cloud.ErrNoAccess) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v; want one sentence that says %q", err, c.says)
			}
		})
	}
}
