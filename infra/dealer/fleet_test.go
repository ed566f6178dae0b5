package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// state is a template with what a rooftop keeps, which an emulator can make.
const state = `{"AWSTemplateFormatVersion":"2010-09-09",
"Parameters":{"ProfileKey":{"Type":"String","Default":"dealer.yaml"},"LogLevel":{"Type":"String","Default":"info","AllowedValues":["info","warn"]},"CodeBucket":{"Type":"String"},"CodePrefix":{"Type":"String"}},
"Resources":{"SiteBucket":{"Type":"AWS::S3::Bucket","DeletionPolicy":"Retain"},"InventoryTable":{"Type":"AWS::DynamoDB::Table","DeletionPolicy":"Retain","Properties":%[1]s},
"LeadsTable":{"Type":"AWS::DynamoDB::Table","DeletionPolicy":"Retain","Properties":%[1]s},"LeadQueue":{"Type":"AWS::SQS::Queue"}},
"Outputs":{"Address":{"Value":"https://agent.example"},"Code":{"Value":{"Fn::Sub":"${CodeBucket}/${CodePrefix}/agent-0123.zip"}}}}`

const tableOf = `{"BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}`

// fleetFolder holds a fleet of two rooftops, its release and its profiles.
func fleetFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	profile, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"fleet.yaml":                "fleet: nw\ncode_bucket: nw-code\ndefaults: {region: us-east-1, profile: \"{id}.yaml\", tags: {owner: nw}}\nrooftops:\n  - id: seabright\n  - {id: alder, parameters: {LogLevel: warn}}\n",
		"dist/dealer.template.json": fmt.Sprintf(state, tableOf), "dist/code/agent-0123.zip": "PK", "dist/code/stale-99.zip": "PK",
		"seabright.yaml": string(profile), "alder.yaml": string(profile),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// emulated is an emulator that is the command's AWS.
type emulated struct {
	endpoint string
	// ringing are names of alarms: the emulator does not speak CloudWatch's own protocol.
	ringing []string
	// executing is called before each execution of a change set; mu is held while
	// that is carried out.
	executing func()

	mu sync.Mutex
}

func (e *emulated) bucket(t *testing.T) *s3.Client {
	t.Helper()
	objects := s3.NewFromConfig(cloudtest.Config(e.endpoint), func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("nw-code")}); err != nil {
		t.Fatal(err)
	}
	return objects
}

func onMoto(t *testing.T) *emulated {
	t.Helper()
	e := &emulated{}
	moto, err := url.Parse(cloudtest.Moto(t))
	if err != nil {
		t.Fatal(err)
	}
	rest := httputil.NewSingleHostReverseProxy(moto)
	rest.ErrorLog = log.New(io.Discard, "", 0) // callers get killed
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/operation/DescribeAlarms") {
			e.pass(rest, w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		asked, err := cbor.Decode(body)
		if m, ok := asked.(cbor.Map); err != nil || !ok || m["StateValue"] != cbor.String("ALARM") {
			t.Errorf("asked for alarms with %v: %v", asked, err)
		}
		list := cbor.List{}
		for _, name := range e.ringing {
			list = append(list, cbor.Map{"AlarmName": cbor.String(name)})
		}
		w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
		w.Header().Set("Content-Type", "application/cbor")
		_, _ = w.Write(cbor.Encode(cbor.Map{"MetricAlarms": list}))
	}))
	t.Cleanup(front.Close)
	e.endpoint = front.URL
	for _, pair := range cloudtest.Environment(e.endpoint) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	return e
}

func (e *emulated) pass(moto http.Handler, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if e.executing != nil && bytes.Contains(body, []byte("Action=ExecuteChangeSet")) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.executing()
		// What has arrived is carried out, whoever hangs up. Without a way to
		// cancel the proxy would look at the connection itself.
		ctx, done := context.WithCancel(context.WithoutCancel(r.Context()))
		defer done()
		r = r.WithContext(ctx)
	}
	moto.ServeHTTP(w, r)
}

func TestAFleetIsPlannedAppliedWatchedAndDestroyed(t *testing.T) {
	e := onMoto(t)
	endpoint := e.endpoint
	dir := fleetFolder(t)
	in := func(stdin string, wantCode int, args ...string) result {
		t.Helper()
		line := append([]string{"fleet", args[0], filepath.Join(dir, "fleet.yaml"), "--template", filepath.Join(dir, "dist", "dealer.template.json")}, args[1:]...)
		r := dealerCommand(t, stdin, line...)
		if r.code != wantCode {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, r.code, wantCode, r.out, r.err)
		}
		return r
	}
	says := func(r result, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(r.out+r.err, want) {
				t.Errorf("nothing says %q:\n%s%s", want, r.out, r.err)
			}
		}
	}
	says(in("", 4, "plan"), "seabright", "nw-seabright", "create", "2 create; version ", "USD a month, fixed costs only",
		"Mend this in the profile of alder, or leads wait: target outbox is of type file, and AWS has no folder")
	says(in("", 1, "apply"), "the bucket nw-code is not there; make it with `aws s3 mb s3://nw-code --region us-east-1`")
	objects := e.bucket(t)

	// Two applies never run at once.
	lock := &s3.PutObjectInput{Bucket: aws.String("nw-code"), Key: aws.String("dealer/fleets/nw.lock"), Body: strings.NewReader(fmt.Sprintf(
		`{"holder":"kim at depot (process 7)","since":"2026-05-04T10:00:00Z","until":%q}`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)))}
	if _, err := objects.PutObject(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	says(in("", 1, "apply"), "somebody is at work on this fleet: kim at depot (process 7) since 10:00:00 UTC; if that run was killed, the fleet is free at ")
	says(in("", 4, "plan"), "2 create")
	if _, err := objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: lock.Bucket, Key: lock.Key}); err != nil {
		t.Fatal(err)
	}
	says(in("", 0, "apply", "--canary", "1"), "1/2 seabright: created", "2/2 alder: created", "2 created")
	code, err := objects.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String("nw-code")})
	if err != nil {
		t.Fatal(err)
	}
	keys := ""
	for _, o := range code.Contents {
		keys += " " + aws.ToString(o.Key)
	}
	if keys != " dealer/agent-0123.zip dealer/fleets/nw.lock" {
		t.Errorf("uploaded:%s", keys)
	}
	if _, err := os.Stat(filepath.Join(dir, ".nw.fleet-journal")); !os.IsNotExist(err) {
		t.Errorf("the journal of a whole run stays: %v", err)
	}
	says(in("", 0, "plan"), "2 unchanged")
	says(in("", 0, "apply"), "2 unchanged")

	// A profile that changed is uploaded again, without touching the stack.
	changed, err := os.ReadFile(filepath.Join(dir, "alder.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "alder.yaml"), append(changed, "\n# new\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	says(in("", 4, "plan"), "1 upload, 1 unchanged", `profile "another" → "alder.yaml"`)
	says(in("", 0, "apply", "--only", "alder"), "1 updated")
	says(in("", 0, "plan"), "2 unchanged")

	// Status tells the import, today's leads and the alarms of the right stack.
	deployed, err := cloud.ReadDeployed(t.Context(), cloudformation.NewFromConfig(cloudtest.Config(endpoint)), "nw-alder")
	if err != nil {
		t.Fatal(err)
	}
	stack := deployed.Open(cloudtest.Config(endpoint))
	imported(t, stack, changed)
	e.ringing = []string{"nw-alder-FeedStaleAlarm-1ABC", "nw-alder-north-OldestLeadAlarm-2DEF", "nw-alderman-OldestLeadAlarm-4JKL"}
	var list []fleet.Status
	if err := json.Unmarshal([]byte(in("", 1, "status", "--json").out), &list); err != nil || len(list) != 2 {
		t.Fatalf("%v: %+v", err, list)
	}
	if s := list[0]; !s.Well() || s.State != "CREATE_COMPLETE" || s.Version == "" || s.LastImport != nil || s.LeadsToday == nil || *s.LeadsToday != 0 {
		t.Errorf("%+v", s)
	}
	if s := list[1]; s.Well() || s.LastImport == nil || time.Since(*s.LastImport) > time.Minute || fmt.Sprint(s.Alarms) != "[FeedStaleAlarm]" {
		t.Errorf("%+v", s)
	}
	says(in("", 1, "status"), "FeedStaleAlarm", "1 of 2 are well")

	// What is not in the file any more is told, and only destroy removes it.
	short := strings.Replace(readText(t, filepath.Join(dir, "fleet.yaml")), "  - {id: alder, parameters: {LogLevel: warn}}\n", "", 1)
	if err := os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(short), 0o600); err != nil {
		t.Fatal(err)
	}
	says(in("", 0, "plan"), "1 unchanged, 1 not in file", "`dealer fleet destroy alder` removes it")
	says(in("nw\n", 1, "destroy", "alder"), "stays: LeadsTable "+deployed.Resources["LeadsTable"], "Type alder to delete", "nothing was deleted")
	says(in("", 2, "destroy", "brook"), "no stack of the fleet nw is for brook")
	says(in("", 2, "destroy"), "needs the ids of rooftops, or --all")
	says(in("alder\n", 0, "destroy", "alder"), "1 removed")
	if _, err := dynamodb.NewFromConfig(cloudtest.Config(endpoint)).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(deployed.Resources["LeadsTable"])}); err != nil {
		t.Logf("this emulator deletes what is retained: %v", err)
	}
	says(in("", 0, "destroy", "--all", "--yes", "--json"), `"result": "removed"`)
	says(in("", 4, "plan"), "1 create")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFaultsOfAFleetAreToldBeforeAnythingIsAsked(t *testing.T) {
	dir := fleetFolder(t)
	template := filepath.Join(dir, "dist", "dealer.template.json")
	file := filepath.Join(dir, "fleet.yaml")
	if err := os.WriteFile(filepath.Join(dir, "alder.yaml"), []byte("id: alder\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fleet", "plan", "none.yaml", "--template", template}, "the fleet file cannot be read"},
		{[]string{"fleet", "plan", file, "--template", "none.json"}, "there is no none.json; `make release` writes one"},
		{[]string{"fleet", "plan", file, "--template", "../../template.yaml"}, "the template needs SAM"},
		{[]string{"fleet", "plan", file, "--template", template}, "profile of alder: alder.yaml:1: "},
		{[]string{"fleet", "apply", file, "--template", template, "--only", "brook"}, "the fleet file has no rooftop brook"},
		{[]string{"fleet", "status", file, "--parallel", "0"}, "--parallel wants a number from 1 to 64"},
		{[]string{"fleet", "plan"}, "usage: dealer fleet plan FILE"},
	} {
		if r := dealerCommand(t, "", c.args...); r.code != 2 || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit code %d, want %q: %s", c.args, r.code, c.want, r.err)
		}
	}
}
