package inside_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

const profile = `
id: seabright
name: Seabright Motors
rooftops:
  - name: Seabright Harbor
    timezone: America/Los_Angeles
    phones: [{name: Sales, value: "+18315550100"}]
prices: {includes: all_mandatory_charges}
inventory: {max_age: 36h, hard_max_age: 96h}
delivery:
  - {name: crm, type: https, url: "https://crm.seabright.example/adf", auth: {type: bearer, secret: "ssm:/dealer/crm-token"}}
  - {name: store, type: https, url: "https://store.seabright.example/adf", auth: {type: bearer, secret: "secretsmanager:dealer/store#token"}}
  - {name: mail, type: ses, from: leads@seabright.example, to: [crm@crm.example]}
`

const lot = "VIN,Stock,Condition,Year,Make,Model,Price\n1FTFW1E50NFA10001,F1001,Used,2022,Ford,F-150,41500\n"

// What SES answers for an account and a domain that are set up, in the form of
// its API v2: the emulator has no GetAccount and keeps no MAIL FROM domain.
const (
	account = `{"DedicatedIpAutoWarmupEnabled":false,"EnforcementStatus":"HEALTHY","ProductionAccessEnabled":true,"SendQuota":{"Max24HourSend":50000.0,"MaxSendRate":14.0,"SentLast24Hours":12.0},"SendingEnabled":true}`
	domain  = `{"IdentityType":"DOMAIN","FeedbackForwardingStatus":true,"VerifiedForSendingStatus":true,"VerificationStatus":"SUCCESS",` +
		`"DkimAttributes":{"SigningEnabled":true,"Status":"SUCCESS","Tokens":["a","b","c"],"SigningAttributesOrigin":"AWS_SES"},` +
		`"MailFromAttributes":{"MailFromDomain":"bounce.seabright.example","MailFromDomainStatus":"SUCCESS","BehaviorOnMxFailure":"USE_DEFAULT_VALUE"},"Policies":{},"Tags":[]}`
)

// world is a stack in the emulator, and what stands between it and who asks.
type world struct {
	endpoint string
	config   aws.Config // past what stands between
	stack    *cloud.Stack
	deployed cloud.Deployed
	now      time.Time

	mu    sync.Mutex
	watch watch
	// denied actions are refused, recorded ones answered with these bodies.
	denied   map[string]bool
	recorded map[string]string
	asked    map[string]bool
}

// actionOf is the IAM action of a request.
func actionOf(r *http.Request, body []byte) string {
	service := map[string]string{
		"DynamoDB_20120810": "dynamodb", "AmazonSSM": "ssm", "secretsmanager": "secretsmanager", "CertificateManager": "acm", "Logs_20140328": "logs",
		"AmazonSQS": "sqs",
	}
	if target, operation, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		return service[target] + ":" + operation
	}
	if _, operation, ok := strings.Cut(r.URL.Path, "/operation/"); ok {
		return "cloudwatch:" + operation
	}
	if form, err := url.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
		return "sns:" + form.Get("Action")
	}
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/2015-03-31/functions/"):
		return "lambda:GetFunctionConfiguration"
	case path == "/v2/email/account":
		return "ses:GetAccount"
	case strings.HasPrefix(path, "/v2/email/identities/"):
		return "ses:GetEmailIdentity"
	case r.URL.Query().Has("publicAccessBlock"):
		return "s3:GetBucketPublicAccessBlock"
	case r.URL.Query().Has("list-type"):
		return "s3:ListBucket"
	}
	return "s3:GetObject"
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	action := actionOf(r, body)
	w.mu.Lock()
	w.asked[action] = true
	denied, recorded := w.denied[action], w.recorded[action]
	w.mu.Unlock()
	switch {
	case denied:
		out.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
		out.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(out, `{"__type":"AccessDeniedException","message":"User: arn:aws:iam::123456789012:user/maxine is not authorized"}`)
	case recorded == "" && strings.HasPrefix(action, "cloudwatch:"):
		w.watch.serve(out, action, body)
	case recorded != "":
		if strings.HasPrefix(recorded, "404 ") {
			out.Header().Set("X-Amzn-Errortype", "NotFoundException")
			out.WriteHeader(http.StatusNotFound)
			recorded = strings.TrimPrefix(recorded, "404 ")
		}
		_, _ = io.WriteString(out, recorded)
	default:
		target, _ := url.Parse(w.endpoint)
		r.Body = io.NopCloser(bytes.NewReader(body))
		httputil.NewSingleHostReverseProxy(target).ServeHTTP(out, r)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newWorld makes a stack in which everything is well.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		endpoint: cloudtest.Moto(t), now: time.Now(), denied: map[string]bool{}, asked: map[string]bool{},
		recorded: map[string]string{"ses:GetAccount": account, "ses:GetEmailIdentity": domain},
	}
	w.watch = watch{alarms: map[string]alarm{}, points: map[string][]point{}}
	w.config = cloudtest.Config(w.endpoint)
	between := httptest.NewServer(w)
	t.Cleanup(between.Close)

	tables, objects := cloudtest.DynamoDB(w.endpoint), cloudtest.Objects(w.endpoint)
	queue, dead := cloudtest.Queue(t, w.endpoint)
	resources := map[string]string{
		"InventoryTable": cloudtest.Table(t, tables), "LeadsTable": cloudtest.Table(t, tables),
		"SiteBucket": cloudtest.Bucket(t, objects), "FeedBucket": cloudtest.Bucket(t, objects), "LeadQueue": queue, "LeadDeadLetters": dead,
	}
	w.deployed = cloud.Deployed{
		Name: "seabright", Region: "us-east-1", Account: "123456789012", Status: "UPDATE_COMPLETE", Changed: w.now.Add(-time.Hour), Resources: resources,
		Parameters: map[string]string{"ProfileKey": "dealer.yaml", "SecretPrefix": "dealer", "SesIdentity": "seabright.example"},
		Outputs:    map[string]string{"Address": "https://agent.seabright.example"},
	}
	for _, name := range []string{"InventoryTable", "LeadsTable"} {
		w.recovery(t, name, true)
		w.protected(t, name, true)
		w.expires(t, name, true)
	}
	for _, name := range []string{"SiteBucket", "FeedBucket"} {
		w.closed(t, name, true)
	}
	w.makeFunctions(t)
	w.makeAlarms(t)
	w.certificate(t, 365*24*time.Hour)
	cloudtest.Parameter(t, w.endpoint, "/dealer/crm-token", "opensesame")
	must[any](t)(secretsmanager.NewFromConfig(w.config).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String("dealer/store"), SecretString: aws.String(`{"token":"opensesame"}`),
	}))
	settings := cloud.Settings{
		ProfileBucket: resources["SiteBucket"], ProfileKey: "dealer.yaml", InventoryTable: resources["InventoryTable"], LeadsTable: resources["LeadsTable"],
		QueueURL: queue, URL: w.deployed.Address(), ReportPrefix: "reports/",
	}
	w.stack = cloud.NewStack(settings, cloudtest.Config(between.URL))
	w.publish(t, profile)
	w.inventory(t, w.now.Add(-2*time.Hour))
	w.report(t, `{"feed":"s3://feeds/feeds/lot.csv","result":"imported"}`)
	clear(w.asked)
	return w
}

func (w *world) findings(t *testing.T) []inside.Finding {
	t.Helper()
	return inside.Examine(t.Context(), w.stack, w.deployed, func() time.Time { return w.now })
}

func (w *world) dynamo() *dynamodb.Client { return cloudtest.DynamoDB(w.endpoint) }

func (w *world) recovery(t *testing.T, table string, on bool) {
	must[any](t)(w.dynamo().UpdateContinuousBackups(t.Context(), &dynamodb.UpdateContinuousBackupsInput{
		TableName: aws.String(w.deployed.Resources[table]), PointInTimeRecoverySpecification: &dynamotypes.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(on)},
	}))
}

func (w *world) protected(t *testing.T, table string, on bool) {
	must[any](t)(w.dynamo().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String(w.deployed.Resources[table]), DeletionProtectionEnabled: aws.Bool(on)}))
}

func (w *world) expires(t *testing.T, table string, on bool) {
	must[any](t)(w.dynamo().UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(w.deployed.Resources[table]), TimeToLiveSpecification: &dynamotypes.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(on)},
	}))
}

func (w *world) closed(t *testing.T, bucket string, whole bool) {
	must[any](t)(cloudtest.Objects(w.endpoint).PutPublicAccessBlock(t.Context(), &s3.PutPublicAccessBlockInput{
		Bucket: aws.String(w.deployed.Resources[bucket]), PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
			BlockPublicAcls: aws.Bool(true), IgnorePublicAcls: aws.Bool(true), BlockPublicPolicy: aws.Bool(whole), RestrictPublicBuckets: aws.Bool(true),
		},
	}))
}

func (w *world) function(t *testing.T, logical string, architecture lambdatypes.Architecture) {
	client, name := lambda.NewFromConfig(w.config), "seabright-"+logical
	_, _ = client.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: aws.String(name)}) // the first time there is none
	must[any](t)(client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: aws.String(name), Role: aws.String("arn:aws:iam::123456789012:role/seabright"), Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Architectures: []lambdatypes.Architecture{architecture}, Code: &lambdatypes.FunctionCode{ZipFile: append([]byte("PK\x05\x06"), make([]byte, 18)...)},
	}))
	w.deployed.Resources[logical] = name
}

// role makes the role that the emulator wants functions to have.
func (w *world) role(t *testing.T) {
	form := url.Values{"Action": {"CreateRole"}, "Version": {"2010-05-08"}, "RoleName": {"seabright"}, "AssumeRolePolicyDocument": {
		`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"sts:AssumeRole"}]}`,
	}}
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodPost, w.endpoint, strings.NewReader(form.Encode())))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261130/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0")
	answer := must[*http.Response](t)(http.DefaultClient.Do(r))
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("no role: HTTP %d", answer.StatusCode)
	}
}

func (w *world) makeFunctions(t *testing.T) {
	w.role(t)
	logs := cloudwatchlogs.NewFromConfig(w.config)
	for _, logical := range []string{"Agent", "Mcp", "LeadWorker", "Sweeper", "FeedImport", "Publish"} {
		w.function(t, logical+"Function", lambdatypes.ArchitectureArm64)
		group := "/dealer/seabright/" + strings.ToLower(logical)
		must[any](t)(logs.CreateLogGroup(t.Context(), &cloudwatchlogs.CreateLogGroupInput{LogGroupName: aws.String(group)}))
		w.deployed.Resources[logical+"LogGroup"] = group
		w.retention(t, group, 90)
	}
}

// retention sets the days; 0 keeps for ever.
func (w *world) retention(t *testing.T, group string, days int32) {
	logs := cloudwatchlogs.NewFromConfig(w.config)
	if days == 0 {
		must[any](t)(logs.DeleteRetentionPolicy(t.Context(), &cloudwatchlogs.DeleteRetentionPolicyInput{LogGroupName: aws.String(group)}))
		return
	}
	must[any](t)(logs.PutRetentionPolicy(t.Context(), &cloudwatchlogs.PutRetentionPolicyInput{LogGroupName: aws.String(group), RetentionInDays: aws.Int32(days)}))
}

func (w *world) alarm(logical, state string, acts bool) {
	w.deployed.Resources[logical] = "seabright-" + logical
	w.watch.alarms["seabright-"+logical] = alarm{state, acts}
}

func (w *world) makeAlarms(t *testing.T) {
	topics := sns.NewFromConfig(w.config)
	topic := must[*sns.CreateTopicOutput](t)(topics.CreateTopic(t.Context(), &sns.CreateTopicInput{Name: aws.String("alarms")}))
	w.deployed.Resources["AlarmTopic"] = aws.ToString(topic.TopicArn)
	must[any](t)(topics.Subscribe(t.Context(), &sns.SubscribeInput{TopicArn: topic.TopicArn, Protocol: aws.String("email"), Endpoint: aws.String("ops@seabright.example")}))
	w.alarm("AgentErrorsAlarm", "INSUFFICIENT_DATA", true)
	w.alarm("FeedStaleAlarm", "OK", true)
}

// waited has the worker tell how long a lead waits.
func (w *world) waited(age, ago time.Duration) {
	key := "UndeliveredLeadAge " + w.deployed.Resources["LeadWorkerFunction"]
	w.watch.points[key] = append(w.watch.points[key], point{age.Seconds(), w.now.Add(-ago)})
}

// certificate imports one that ends after that time.
func (w *world) certificate(t *testing.T, left time.Duration) {
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "agent.seabright.example"}, DNSNames: []string{"agent.seabright.example"},
		NotBefore: w.now.Add(-400 * 24 * time.Hour), NotAfter: w.now.Add(left),
	}
	raw := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	private := must[[]byte](t)(x509.MarshalPKCS8PrivateKey(key))
	out := must[*acm.ImportCertificateOutput](t)(acm.NewFromConfig(w.config).ImportCertificate(t.Context(), &acm.ImportCertificateInput{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), PrivateKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}))
	w.deployed.Parameters["CertificateArn"] = aws.ToString(out.CertificateArn)
}

// profile uploads a profile, and no files for it.
func (w *world) profile(t *testing.T, text string) {
	cloudtest.Put(t, cloudtest.Objects(w.endpoint), w.deployed.Resources["SiteBucket"], "dealer.yaml", []byte(text))
}

// publish does as the publish function.
func (w *world) publish(t *testing.T, text string) {
	t.Helper()
	w.profile(t, text)
	p := &site.Publisher{
		Objects: w.stack.Objects(), Bucket: w.deployed.Resources["SiteBucket"], ProfileKey: "dealer.yaml", URL: w.deployed.Address(),
		Log: cloud.NewLogger(io.Discard, nil),
	}
	if err := p.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// inventory imports a lot that the dealer's system wrote at that time.
func (w *world) inventory(t *testing.T, written time.Time) {
	t.Helper()
	w.inventoryOf(t, "seabright", written)
}

func (w *world) inventoryOf(t *testing.T, id string, written time.Time) {
	t.Helper()
	parsed := must[*dealer.Profile](t)(dealer.Parse([]byte(strings.Replace(profile, "seabright", id, 1))))
	im := &feed.Importer{Store: w.stack.Inventory(), Profiles: dealer.Fixed(parsed), Now: func() time.Time { return written }}
	must[any](t)(im.Import(t.Context(), feed.Source{Name: "lot.csv", Size: int64(len(lot)), Modified: written, Body: strings.NewReader(lot)}, false))
}

// report puts the newest report; its time is an hour ago.
func (w *world) report(t *testing.T, text string) {
	text = strings.Replace(text, "{", fmt.Sprintf(`{"at":%q,`, w.now.Add(-time.Hour).Format(time.RFC3339)), 1)
	cloudtest.Put(t, cloudtest.Objects(w.endpoint), w.deployed.Resources["FeedBucket"], "reports/feeds/lot.csv.json", []byte(text))
}
