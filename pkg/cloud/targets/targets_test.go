package targets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const payload = `{"type":"lead.submit.request","customer":{"first_name":"Wilhelmina","last_name":"Núñez","email":"wilhelmina@example.com"},
"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]},
"source_agent":{"name":"shopper"},"message":"Ümlaut"}`

// bench is a worker equipped with AWS at an endpoint, with one lead to deliver.
type bench struct {
	*crm.Worker
	store   *leadtest.Memory
	profile *dealer.Profile
	record  lead.Record
	log     bytes.Buffer
}

func newBench(t *testing.T, endpoint string, target dealer.Target) *bench {
	t.Helper()
	target.Name, target.Timeout = "crm", dealer.Duration(5*time.Second)
	b := &bench{store: leadtest.NewMemory(), profile: &dealer.Profile{
		ID: "lakeside", Name: "Lakeside", Delivery: []dealer.Target{target},
		Rooftops: []dealer.Rooftop{{Name: "North", Phones: []dealer.Contact{{Value: "+14155550100"}}}},
	}}
	b.record = lead.Record{
		ID: "L-1", DealerID: "lakeside", ReceivedAt: epoch, Version: "v1.3", Rooftop: "North",
		Request: json.RawMessage(payload), ExpiresAt: epoch.AddDate(2, 0, 0),
	}
	if err := b.store.Create(t.Context(), lead.Entry{Record: b.record}, epoch); err != nil {
		t.Fatal(err)
	}
	b.Worker = &crm.Worker{
		Leads: b.store, Profiles: dealer.Fixed(b.profile), Now: func() time.Time { return epoch },
		Log: slog.New(slog.NewJSONHandler(&b.log, nil)),
	}
	targets.Equip(b.Worker, cloudtest.Config(endpoint))
	return b
}

func (b *bench) want(t *testing.T, state string, begun bool, says string) lead.Delivery {
	t.Helper()
	all, err := b.store.Deliveries(t.Context(), "lakeside", "L-1")
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	d := all[0]
	if d.State != state || d.Begun != begun || !strings.Contains(d.LastError+d.Receipt, says) {
		t.Errorf("%+v, want %s with %q, may have arrived: %v", d, state, says, begun)
	}
	if log := b.log.String(); strings.Contains(log, "Wilhelmina") || strings.Contains(log, "wilhelmina") {
		t.Errorf("the buyer is in the log: %s", log)
	}
	return d
}

func TestALeadDropsIntoABucketOnce(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	objects := cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	b := newBench(t, endpoint, dealer.Target{Type: dealer.TargetS3, Bucket: bucket, Prefix: "leads/"})
	if err := b.Handle(t.Context(), "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, lead.HandedOver, false, "written to the bucket at 2026-05-01T12:00:00Z: leads/L-1.xml")
	got, err := objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("leads/L-1.xml")})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	want, renderErr := adf.Render(b.record, b.profile, adf.Options{})
	if err != nil || renderErr != nil || !bytes.Equal(body, want) || aws.ToString(got.ContentType) != "application/xml" {
		t.Errorf("the object is %q %s, want\n%s", aws.ToString(got.ContentType), body, want)
	}

	missing := newBench(t, endpoint, dealer.Target{Type: dealer.TargetS3, Bucket: "no-such-bucket"})
	if err := missing.Handle(t.Context(), "L-1"); err == nil {
		t.Error("a bucket that is not there takes leads")
	}
	missing.want(t, lead.Retrying, false, "S3 says NoSuchBucket")
}

func TestALeadGoesThroughSESByteByByte(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	var mu sync.Mutex
	var sent [][]byte
	tap := tapped(t, endpoint, func(r *http.Request, body []byte) {
		var in struct {
			Content struct{ Raw struct{ Data []byte } }
		}
		if strings.HasSuffix(r.URL.Path, "/outbound-emails") && json.Unmarshal(body, &in) == nil {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, in.Content.Raw.Data)
		}
	})
	target := dealer.Target{Type: dealer.TargetSES, From: "agent@lakeside.example", To: []string{"leads@crm.example"}}
	admin := sesv2.NewFromConfig(cloudtest.Config(endpoint))
	if _, err := admin.CreateEmailIdentity(t.Context(), &sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("agent@lakeside.example")}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, tap, target)
	if err := b.Handle(t.Context(), "L-1"); err != nil {
		t.Fatal(err)
	}
	d := b.want(t, lead.HandedOver, false, "SES accepted at 2026-05-01T12:00:00Z: ")
	if _, id, _ := strings.Cut(d.Receipt, "Z: "); len(id) < 10 {
		t.Errorf("receipt %q has no message id", d.Receipt)
	}
	m, err := mail.ReadMessage(bytes.NewReader(sent[len(sent)-1]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	want, renderErr := adf.Render(b.record, b.profile, adf.Options{})
	if err != nil || renderErr != nil || !bytes.Equal(body, want) {
		t.Errorf("the mail holds\n%s, want\n%s", body, want)
	}
	if m.Header.Get("Subject") != "ADF lead for North" || m.Header.Get("To") != "leads@crm.example" {
		t.Errorf("headers %v", m.Header)
	}
}

// tapped is a proxy before endpoint that shows each request.
func tapped(t *testing.T, endpoint string, show func(*http.Request, []byte)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		show(r, body)
		on, err := http.NewRequestWithContext(r.Context(), r.Method, endpoint+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		on.Header = r.Header
		resp, err := http.DefaultClient.Do(on)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestWhatSESSaysDecidesWhatHappensNext(t *testing.T) {
	for _, tt := range []struct {
		status        int
		code, message string
		state         string
		resend        bool
		says          string
	}{
		{400, "MessageRejected", "Transaction failed: wilhelmina@example.com", lead.Failed, false, "SES says MessageRejected"},
		{400, "MessageRejected", "Email address is not verified. The following identities failed the check: wilhelmina@example.com", lead.Retrying, false, "not verified"},
		{400, "MailFromDomainNotVerifiedException", "no", lead.Retrying, false, "not verified"},
		{400, "BadRequestException", "Invalid content", lead.Failed, false, "SES says BadRequestException"},
		{400, "AccountSuspendedException", "no", lead.Retrying, false, "SES says AccountSuspendedException"},
		{400, "SendingPausedException", "no", lead.Retrying, false, "SES says SendingPausedException"},
		{404, "NotFoundException", "no configuration set", lead.Retrying, false, "SES says NotFoundException"},
		{429, "TooManyRequestsException", "Maximum sending rate exceeded", lead.Retrying, false, "SES says TooManyRequestsException"},
		{400, "LimitExceededException", "Daily message quota exceeded", lead.Retrying, false, "SES says LimitExceededException"},
		{403, "AccessDeniedException", "no", lead.Retrying, false, "SES says AccessDeniedException"},
		{500, "InternalServiceErrorException", "oops", lead.Retrying, true, "SES says InternalServiceErrorException"},
		{503, "ServiceUnavailable", "oops", lead.Retrying, true, "SES says ServiceUnavailable"},
		{0, "", "", lead.Retrying, true, "SES cannot be reached"},
	} {
		t.Run(tt.code+tt.message[:min(10, len(tt.message))], func(t *testing.T) {
			var calls atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				if tt.status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("X-Amzn-Errortype", tt.code)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				fmt.Fprintf(w, `{"message":%q}`, tt.message)
			}))
			defer server.Close()
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			b := newBench(t, server.URL, dealer.Target{Type: dealer.TargetSES, From: "agent@lakeside.example", To: []string{"leads@crm.example"}})
			if err := b.Handle(t.Context(), "L-1"); (err != nil) != (tt.state == lead.Retrying) || err != nil && strings.Contains(err.Error(), "wilhelmina") {
				t.Errorf("the queue is told %v", err)
			}
			b.want(t, tt.state, tt.resend, tt.says)
			if calls.Load() != 1 {
				t.Errorf("%d calls: a lost answer would send the mail twice", calls.Load())
			}
		})
	}
}

func TestSESThatCannotBeReachedWasNotReached(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	b := newBench(t, server.URL, dealer.Target{Type: dealer.TargetSES, From: "agent@lakeside.example", To: []string{"leads@crm.example"}})
	if err := b.Handle(t.Context(), "L-1"); err == nil {
		t.Fatal("done")
	}
	b.want(t, lead.Retrying, false, "SES cannot be reached")
}

func TestSecretsAreReadAtDeliveryFromWhereTheProfileSays(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	ctx := context.Background()
	cloudtest.Parameter(t, endpoint, "/dealer/crm-token", "ssm-value")
	vault := secretsmanager.NewFromConfig(cloudtest.Config(endpoint))
	for name, value := range map[string]string{"dealer/plain": "plain-value", "dealer/crm": `{"token":"member-value","port":1}`} {
		if _, err := vault.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String(name), SecretString: aws.String(value)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := vault.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String("dealer/binary"), SecretBinary: []byte{1}}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEALER_TEST_SECRET", "env-value")
	w := &crm.Worker{}
	targets.Equip(w, cloudtest.Config(endpoint))
	for ref, want := range map[string]string{
		"env:DEALER_TEST_SECRET": "env-value", "ssm:/dealer/crm-token": "ssm-value",
		"secretsmanager:dealer/plain": "plain-value", "secretsmanager:dealer/crm#token": "member-value",
	} {
		if got, err := w.Secrets.Read(ctx, ref); err != nil || got != want {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	for ref, want := range map[string]string{
		"ssm:/dealer/none": "ParameterNotFound", "secretsmanager:dealer/none": "ResourceNotFoundException",
		"secretsmanager:dealer/crm#port": "no text member port", "secretsmanager:dealer/crm#user": "no text member user",
		"secretsmanager:dealer/plain#x": "not a JSON object", "secretsmanager:dealer/binary": "binary",
	} {
		if got, err := w.Secrets.Read(ctx, ref); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "value") {
			t.Errorf("%s: %q, %v, want %s", ref, got, err, want)
		}
	}
}

func TestAMachineWithoutAWSIsNotEquipped(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	p := &dealer.Profile{Delivery: []dealer.Target{{Name: "crm", Type: dealer.TargetSES}}}
	w := &crm.Worker{}
	if err := targets.EquipHere(t.Context(), w); err != nil || w.Check(p) == nil {
		t.Errorf("%v, %v", err, w.Check(p))
	}
	t.Setenv("AWS_REGION", "us-east-1")
	if err := targets.EquipHere(t.Context(), w); err != nil || w.Check(p) != nil {
		t.Errorf("%v, %v", err, w.Check(p))
	}
}
