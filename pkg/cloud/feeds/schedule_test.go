package feeds_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/outbound"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// tick is the event that EventBridge sends at each turn.
const tick = `{"version":"0","id":"53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa","detail-type":"Scheduled Event","source":"aws.events","account":"123456789012",
"time":"2026-05-01T12:00:00Z","region":"us-east-1","resources":["arn:aws:events:us-east-1:123456789012:rule/pickup"],"detail":{}}`

// TestTheScheduleFetchesWhatIsDueIntoTheFeedBucket: the secret lies in Secrets
// Manager, the state in the table, file and reports in the bucket.
func TestTheScheduleFetchesWhatIsDueIntoTheFeedBucket(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	objects, tables := cloudtest.Objects(endpoint), cloudtest.DynamoDB(endpoint)
	bucket, table := cloudtest.Bucket(t, objects), cloudtest.Table(t, tables)
	if _, err := secretsmanager.NewFromConfig(cloudtest.Config(endpoint)).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String("dealer/" + bucket), SecretString: aws.String(`{"export":"hunter2"}`),
	}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked, body := 0, "vin,stock,year,make,model\n2HGFC2F59KH000001,H1,2019,Honda,Civic\n"
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if r.Header.Get("Authorization") != "Bearer hunter2" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	p, err := dealer.Parse(fmt.Appendf(nil, `
id: demo
name: Demo
rooftops: [{name: North, timezone: America/Denver, phones: [{value: "+14155550100"}]}]
delivery: [{name: outbox, type: file, folder: outbox}]
feed: {sources: [{name: export, url: "%s/lot.csv", auth: {type: bearer, secret: "secretsmanager:dealer/%s#export"}}]}
`, site.URL, bucket))
	if err != nil {
		t.Fatal(err)
	}
	p.Modified = time.Now().Add(-time.Hour)
	now := time.Now()
	var log bytes.Buffer
	logger := cloud.NewLogger(&log, slog.LevelInfo)
	store := cloud.NewInventory(tables, table)
	imports := &feeds.Events{
		Objects: objects, ReportPrefix: "reports/", Log: logger,
		Importer: &feed.Importer{Store: store, Profiles: dealer.Fixed(p), Now: func() time.Time { return now }},
	}
	handle := feeds.Handler(imports, (&pickup.Picker{
		Profiles: dealer.Fixed(p), States: cloud.NewPickups(tables, table), Depot: feeds.Shelf{Events: imports, Bucket: bucket},
		Secrets: targets.NewDirect(cloudtest.Config(endpoint)), Now: func() time.Time { return now }, Log: logger,
		Route: func(host string) outbound.Route { return outbound.Route{Named: host, RootCAs: roots} },
	}).Turn)
	turn := func() {
		t.Helper()
		if err := handle(t.Context(), json.RawMessage(tick)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(key string) string {
		t.Helper()
		object, err := objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
		if err != nil {
			t.Fatalf("%s: %v\n%s", key, err, &log)
		}
		text, _ := io.ReadAll(object.Body)
		return string(text)
	}
	// Instances whose turns overlap.
	var group sync.WaitGroup
	for range 4 {
		group.Go(turn)
	}
	group.Wait()
	if asked != 1 || read("pickups/demo/export.csv") != body {
		t.Fatalf("asked %d times, kept %q\n%s", asked, read("pickups/demo/export.csv"), &log)
	}
	var out feeds.Outcome
	if err := json.Unmarshal([]byte(read("reports/pickups/demo/export.csv.json")), &out); err != nil || out.Result != "imported" || out.Report.Accepted != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	head, err := store.Head(t.Context(), "demo")
	if err != nil || head.Listed != 1 {
		t.Errorf("%+v, %v", head, err)
	}
	// A refused file is reported there too, and the last good inventory stays.
	now, body = now.Add(time.Hour), "a;b\n1;2\n"
	turn()
	if err := json.Unmarshal([]byte(read("reports/pickups/demo/export.csv.json")), &out); err != nil || out.Result != "refused" {
		t.Errorf("%+v, %v", out, err)
	}
	if after, err := store.Head(t.Context(), "demo"); err != nil || after.Revision != head.Revision {
		t.Errorf("%+v, %v", after, err)
	}
	p.Feed.Sources[0].Auth.Secret = "env:AWS_SECRET_ACCESS_KEY"
	now = now.Add(time.Hour)
	turn()
	if asked != 2 || !strings.Contains(log.String(), "the secret env:AWS_SECRET_ACCESS_KEY cannot be read") {
		t.Errorf("the function's own rights were read for a source:\n%s", &log)
	}
	for _, line := range []string{feeds.LogImported, feeds.LogRefused, pickup.LogFailed} {
		if !strings.Contains(log.String(), `"msg":"`+line+`"`) {
			t.Errorf("the log lacks %q", line)
		}
	}
	if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), site.URL) {
		t.Errorf("the log tells a secret or an address:\n%s", &log)
	}
	if err := handle(context.Background(), json.RawMessage(`[]`)); err == nil {
		t.Error("an event that is none is taken")
	}
}
