package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

const top = "../../.."

func TestCodeIsPackedToTheSameBytesAndNamedByThem(t *testing.T) {
	binary := bytes.Repeat([]byte("dealer"), 5000)
	one, err := pack(binary)
	if err != nil {
		t.Fatal(err)
	}
	two, err := pack(binary)
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("packed twice: %d and %d bytes, %v", len(one), len(two), err)
	}
	files, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil || len(files.File) != 1 || files.File[0].Name != "bootstrap" || files.File[0].Mode() != 0o755 || !files.File[0].Modified.Equal(firstDay) {
		t.Fatalf("%v: %+v", err, files)
	}
	inside, err := files.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(inside); err != nil || !bytes.Equal(got, binary) {
		t.Errorf("%d bytes come out, %d went in: %v", len(got), len(binary), err)
	}
	other, err := pack(binary[1:])
	if err != nil || nameOf("AgentFunction", one) == nameOf("AgentFunction", other) || !strings.HasPrefix(nameOf("AgentFunction", one), "agent-") {
		t.Errorf("%s and %s: %v", nameOf("AgentFunction", one), nameOf("AgentFunction", other), err)
	}
}

func TestTheReleaseIsPlainCloudFormationThatAFleetDeploys(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every function")
	}
	if exec.Command("python3", "-c", "import samtranslator").Run() != nil {
		aaptest.Missing(t, "aws-sam-translator (pip install aws-sam-translator)")
	}
	dist := t.TempDir()
	var said bytes.Buffer
	if err := run(t.Context(), top, dist, &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	name := filepath.Join(dist, "dealer.template.json")
	release, err := fleet.OpenRelease(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(release.Code); n != 6 {
		t.Errorf("the template names %d of the files beside it", n)
	}
	again, err := build(t.Context(), top, "SweeperFunction")
	if err != nil || release.Code[nameOf("SweeperFunction", again)] == "" {
		t.Errorf("the same source makes another sweeper: %v", err)
	}
	if !strings.Contains(said.String(), "CloudFormation reads it from S3") {
		t.Errorf("nothing tells of the limit:\n%s", said.String())
	}

	// The emulator knows no stage, no custom resource and no distribution.
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]map[string]any
	if err := json.Unmarshal([]byte(`{"t":`+string(body)+`}`), &tree); err != nil {
		t.Fatal(err)
	}
	for id, r := range tree["t"]["Resources"].(map[string]any) {
		switch kind := r.(map[string]any)["Type"].(string); {
		case kind == "AWS::ApiGateway::Deployment", kind == "AWS::ApiGateway::Stage", kind == "AWS::ApiGateway::BasePathMapping", kind == "AWS::WAFv2::WebACLAssociation", strings.HasPrefix(kind, "Custom::"):
			delete(tree["t"]["Resources"].(map[string]any), id)
		}
	}
	delete(tree["t"]["Outputs"].(map[string]any), "Step1PointName")
	if body, err = json.Marshal(tree["t"]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o600); err != nil {
		t.Fatal(err)
	}
	if release, err = fleet.OpenRelease(name); err != nil {
		t.Fatal(err)
	}

	endpoint := cloudtest.Moto(t)
	objects := s3.NewFromConfig(cloudtest.Config(endpoint), func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("nw-code-us-east-1")}); err != nil {
		t.Fatal(err)
	}
	const file = `fleet: nw
code_bucket: nw-code-{region}
defaults:
  region: us-east-1
  parameters: {AlarmEmail: ops@example.com, CertificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/1"}
rooftops:
  - {id: seabright, parameters: {DomainName: seabright.example}}
  - {id: alder, parameters: {DomainName: alder.example, LogLevel: warn}}
`
	f, err := fleet.Read("fleet.yaml", []byte(file), release.Template, fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	accounts := stacks.NewAccounts(cloudtest.Config(endpoint))
	runner := &fleet.Runner{Fleet: f, Release: release, At: func(p stacks.Place) fleet.Account { return accounts.At(p) }, Clock: fleet.Wall{},
		Random: rand.Float64, Parallel: 2, Patience: time.Minute}
	if report := runner.Apply(t.Context(), f.Rooftops, 1); !report.Good() || report.Count(fleet.Created) != 2 {
		t.Fatalf("%+v", report)
	}
	s, err := accounts.At(stacks.Place{Region: "us-east-1"}).Find(t.Context(), "nw-alder")
	if err != nil || s.Parameters["DomainName"] != "alder.example" || s.Parameters["LogLevel"] != "warn" || s.Parameters[fleet.CodeBucket] != "nw-code-us-east-1" {
		t.Errorf("%v: %+v", err, s)
	}
	if got := functionsOf(t, endpoint); got != 12 {
		t.Errorf("%d functions run, want 12", got)
	}
	if again := runner.Apply(t.Context(), f.Rooftops, 0); again.Count(fleet.Kept) != 2 {
		t.Errorf("%+v", again)
	}
}

// functionsOf counts the functions that the emulator made of the uploaded code.
func functionsOf(t *testing.T, endpoint string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint+"/2015-03-31/functions/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=x")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list struct{ Functions []struct{ CodeSize int } }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	real := 0
	for _, function := range list.Functions {
		if function.CodeSize > 1<<20 {
			real++
		}
	}
	return real
}
