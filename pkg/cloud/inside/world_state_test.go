package inside_test

import (
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
	"net/url"
	"strings"
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
	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

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
