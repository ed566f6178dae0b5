package inside_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
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
