package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cloudformationtypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// awsUser gives the commands the variables of an AWS user.
func awsUser(t *testing.T, endpoint string) {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	for _, pair := range cloudtest.Environment(endpoint) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

const larkspurAddress = "https://d111.cloudfront.example"

// larkspurStack is a stack with what the commands look for in one, for one
// dealer unless a parameter says otherwise.
func larkspurStack(t *testing.T, parameters ...cloudformationtypes.Parameter) (endpoint string) {
	t.Helper()
	endpoint = cloudtest.Moto(t)
	awsUser(t, endpoint)
	_, err := cloudformation.NewFromConfig(cloudtest.Config(endpoint)).CreateStack(t.Context(), &cloudformation.CreateStackInput{
		StackName: aws.String("larkspur"), Parameters: parameters, TemplateBody: aws.String(`{
			"Parameters": {"ProfileKey": {"Type": "String", "Default": "dealer.yaml"}, "Dealers": {"Type": "String", "Default": "one"}},
			"Resources": {
				"LeadsTable": {"Type": "AWS::DynamoDB::Table", "Properties": {"BillingMode": "PAY_PER_REQUEST",
					"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
					"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}},
				"InventoryTable": {"Type": "AWS::DynamoDB::Table", "Properties": {"BillingMode": "PAY_PER_REQUEST",
					"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
					"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}},
				"LeadQueue": {"Type": "AWS::SQS::Queue"},
				"SiteBucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "larkspur-sitebucket-1kq0x"}},
				"FeedBucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "dealer-feeds-0b1c2d3e4f50", "VersioningConfiguration": {"Status": "Enabled"}}}
			},
			"Outputs": {"Address": {"Value": "` + larkspurAddress + `"}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	// Which moto does not take from the template.
	_, err = cloudtest.Objects(endpoint).PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
		Bucket: aws.String("dealer-feeds-0b1c2d3e4f50"), VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// object reads one object, whose headers count too.
func object(t *testing.T, client *s3.Client, bucket, key string) (*s3.GetObjectOutput, string) {
	t.Helper()
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	body, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(body)
}

func TestPublishPutsProfileAndFilesIntoTheStack(t *testing.T) {
	client := cloudtest.Objects(larkspurStack(t))
	profile := writeProfile(t, "\nversions: [v1.3, v1.0]\n")
	if r := dealerCommand(t, "", "publish", "--stack", "larkspur"); r.code != 1 || !strings.Contains(r.err, "has no profile yet") {
		t.Errorf("before there is a profile: exit code %d: %s", r.code, r.err)
	}
	if r := dealerCommand(t, "", "leads", "list", "--stack", "larkspur"); r.code != 1 ||
		r.err != "dealer: the stack larkspur has no profile yet; give it one with `dealer publish`, or say whose leads with --dealer ID\n" {
		t.Errorf("before there is a profile: exit code %d: %s", r.code, r.err)
	}
	r := dealerCommand(t, "", "publish", "--profile", profile, "--stack", "larkspur")
	if r.code != 0 || !strings.HasSuffix(r.out, "Buyers reach the agent at "+larkspurAddress+"\n") || !strings.Contains(r.err, "target outbox is of type file") {
		t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	mine, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	there, uploaded := object(t, client, "larkspur-sitebucket-1kq0x", "dealer.yaml")
	if diff := cmp.Diff(string(mine), uploaded); diff != "" {
		t.Errorf("the profile (-mine +uploaded):\n%s", diff)
	}
	p, err := dealer.Parse(mine)
	if err != nil {
		t.Fatal(err)
	}
	p.URL, p.Modified = larkspurAddress, aws.ToTime(there.LastModified)
	files, err := wellknown.Files(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		out, body := object(t, client, "larkspur-sitebucket-1kq0x", strings.TrimPrefix(f.Path, "/"))
		if body != string(f.Body) || aws.ToString(out.ContentType) != f.ContentType || aws.ToString(out.CacheControl) != f.CacheControl {
			t.Errorf("%s is served as %s, %s:\n%s", f.Path, aws.ToString(out.ContentType), aws.ToString(out.CacheControl), cmp.Diff(string(f.Body), body))
		}
	}
	// Made anew of the profile that is there, without what it has no more.
	cloudtest.Put(t, client, "larkspur-sitebucket-1kq0x", "dealer.yaml", []byte(strings.Replace(string(mine), "versions: [v1.3, v1.0]", "", 1)))
	r = dealerCommand(t, "", "publish", "--stack", "larkspur")
	if _, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String("larkspur-sitebucket-1kq0x"), Key: aws.String(".well-known/agent-card-v1.0.json")}); r.code != 0 || err == nil {
		t.Errorf("the card of v1.0 is still there: %d %s%s", r.code, r.out, r.err)
	}
	// The stack's own profile says whose leads are meant.
	for _, args := range [][]string{{"leads", "list"}, {"appointments", "list"}} {
		if r := dealerCommand(t, "", append(args, "--stack", "larkspur")...); r.code != 0 {
			t.Errorf("%v: exit code %d: %s%s", args, r.code, r.out, r.err)
		}
	}
	if r := dealerCommand(t, "", "leads", "erase", "--email", "nobody@example.com", "--stack", "larkspur", "--yes"); r.code != 0 || !strings.Contains(r.out, "Erased no lead") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	for _, args := range [][]string{{"leads", "list"}, {"vehicle", "sold", "X"}, {"publish"}, {"feed", "pull"}, {"import", "--feed", fixtureFeed}, {"doctor"}} {
		r := dealerCommand(t, "", append(args, "--stack", "larkspur", "--dealer", "alder")...)
		if r.code != 2 || r.err != "dealer: the stack larkspur serves the dealer larkspur-ridge alone, and not \"alder\"; leave --dealer out\n" {
			t.Errorf("%v: exit code %d: %s", args, r.code, r.err)
		}
	}
	if r := dealerCommand(t, "", "leads", "list", "--stack", "larkspur", "--dealer", "larkspur-ridge"); r.code != 0 {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	if r := dealerCommand(t, "", "leads", "list", "--stack", "larkspur-2"); r.code != 1 || !strings.Contains(r.err, "there is no such stack: larkspur-2 in us-east-1") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	t.Run("and files into a bucket of one's own", func(t *testing.T) { checkOwnBucket(t, client) })
}

func checkOwnBucket(t *testing.T, client *s3.Client) {
	bucket := cloudtest.Bucket(t, client)
	r := dealerCommand(t, "", "publish", "--profile", writeProfile(t, "\nurl: "+frontDoor+"\n"), "--bucket", bucket)
	if r.code != 0 || !strings.Contains(r.out, "s3://"+bucket+"/.well-known/agent-card.json") {
		t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	if out, body := object(t, client, bucket, ".well-known/agent-card.json"); !strings.Contains(body, frontDoor) || !strings.HasPrefix(aws.ToString(out.CacheControl), "public") {
		t.Errorf("%s\n%s", aws.ToString(out.CacheControl), body)
	}
	list, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		if !strings.HasPrefix(aws.ToString(o.Key), ".well-known/") {
			t.Errorf("the bucket got %s too", aws.ToString(o.Key))
		}
	}
	for _, c := range [][]string{{"--dir", "x", "--bucket", "y"}, {"--stack", "larkspur", "--bucket", "y"}, nil} {
		if r := dealerCommand(t, "", append([]string{"publish", "--profile", "x"}, c...)...); r.code != 2 || !strings.Contains(r.err, "needs one of --dir, --stack and --bucket") {
			t.Errorf("%v: exit code %d: %s", c, r.code, r.err)
		}
	}
}

// importFunction does what S3 and the function do: each new version below
// feeds/ is imported, until the test ends.
func importFunction(t *testing.T, client *s3.Client, by string) {
	t.Helper()
	db, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	profile, err := loadProfile(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	function := &feeds.Events{
		Objects: client, ReportPrefix: "reports/", Log: slog.New(slog.DiscardHandler),
		Importer: &feed.Importer{Store: db.Inventory(), Profiles: dealer.Fixed(profile), Now: time.Now},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	t.Cleanup(func() { stop(); <-ended; db.Close() })
	go func() {
		defer close(ended)
		seen := map[string]bool{}
		for ctx.Err() == nil {
			list, err := client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: aws.String("dealer-feeds-0b1c2d3e4f50"), Prefix: aws.String("feeds/")})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
				return
			}
			for i := 0; err == nil && i < len(list.Versions); i++ {
				v := list.Versions[i]
				if id := aws.ToString(v.VersionId); !seen[id] {
					seen[id] = true
					var record events.S3EventRecord
					record.S3.Bucket.Name, record.S3.Object.URLDecodedKey = "dealer-feeds-0b1c2d3e4f50", aws.ToString(v.Key)
					if err := function.Handle(ctx, events.S3Event{Records: []events.S3EventRecord{record}}); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
}

// asOf is when a file was last changed, which an upload does.
var asOf = regexp.MustCompile(`as of \S+`)

func TestAnImportByTheStackEndsWithItsReport(t *testing.T) {
	client := cloudtest.Objects(larkspurStack(t))
	bad, page := filepath.Join(t.TempDir(), "bad +ü.csv"), filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(bad, []byte("Colour,Weather\nred,fine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "import", "--stack", "larkspur", "--feed", bad, "--wait", "100ms")
	if r.code != 1 || !strings.Contains(r.err, "no report on the import has come: s3://dealer-feeds-0b1c2d3e4f50/reports/feeds/bad +ü.csv.json after 100ms; the log") {
		t.Errorf("nobody imports: exit code %d: %s", r.code, r.err)
	}
	importFunction(t, client, fixtureProfile)
	here := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", fixtureFeed, "--data", t.TempDir())
	there := dealerCommand(t, "", "import", "--stack", "larkspur", "--feed", fixtureFeed, "--wait", "20s")
	if here.code != 0 || there.code != 0 || !strings.Contains(there.err, "s3://dealer-feeds-0b1c2d3e4f50/feeds/feed.json") {
		t.Fatalf("exit codes %d, %d\n%s%s", here.code, there.code, here.err, there.err)
	}
	steady := func(report string) string { return asOf.ReplaceAllString(report, "") }
	if diff := cmp.Diff(steady(here.out), steady(there.out)); diff != "" {
		t.Errorf("(-on this machine +by the stack):\n%s", diff)
	}
	again := dealerCommand(t, "", "import", "s3://dealer-feeds-0b1c2d3e4f50/feeds/feed.json", "--json", "--wait", "20s")
	if again.code != 0 || !strings.Contains(again.out, `"result": "imported"`) || !strings.Contains(again.out, `"unchanged": 6`) {
		t.Errorf("the same again: exit code %d\n%s%s", again.code, again.out, again.err)
	}
	refused := dealerCommand(t, "", "import", "--stack", "larkspur", "--feed", bad, "--report-html", page, "--wait", "20s")
	if refused.code != 1 || !strings.Contains(refused.out, "REFUSED: ") || !strings.HasSuffix(refused.err, "dealer: the feed was refused; the report says why\n") {
		t.Errorf("exit code %d\n%s%s", refused.code, refused.out, refused.err)
	}
	if body, err := os.ReadFile(page); err != nil || !strings.Contains(string(body), "<html") {
		t.Errorf("the page: %v\n%s", err, body)
	}
	missing := dealerCommand(t, "", "import", "s3://dealer-feeds-0b1c2d3e4f50/feeds/none.csv")
	if missing.code != 1 || !strings.Contains(missing.err, "there is no such file: s3://dealer-feeds-0b1c2d3e4f50/feeds/none.csv") {
		t.Errorf("exit code %d: %s", missing.code, missing.err)
	}
}

func TestCommandsForAWSSayWhatIsWrongBeforeTheyBegin(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"import", "--stack", "larkspur", "--feed", fixtureFeed}, 3, "dealer: no access to AWS: no region is set; give one, such as --region us-east-1"},
		{[]string{"import", "--stack", "larkspur", "--feed", fixtureFeed, "--region", "us-east-1"}, 3, "dealer: no access to AWS: there are no credentials that are valid"},
		{[]string{"publish", "--stack", "larkspur", "--region", "us-east-1"}, 3, "dealer: no access to AWS: there are no credentials that are valid"},
		{[]string{"import", "--stack", "larkspur"}, 2, "needs --feed"},
		{[]string{"import", "--stack", "larkspur", "--feed", "x", "--data", "y"}, 2, "--data is for an import on this machine"},
		{[]string{"import", "s3://bucket/other/x.csv"}, 2, "is not s3://BUCKET/feeds/NAME"},
		{[]string{"import", "s3://bucket/feeds/"}, 2, "is not s3://BUCKET/feeds/NAME"},
		{[]string{"import", "inventory.csv"}, 2, "is not s3://BUCKET/feeds/NAME"},
		{[]string{"import", "s3://bucket/feeds/x.csv", "--stack", "larkspur", "--feed", "x"}, 2, "either --stack or"},
	} {
		if r := dealerCommand(t, "", c.args...); r.code != c.code || !strings.Contains(r.err, c.says) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, r.code, c.code, r.err)
		}
	}
}
