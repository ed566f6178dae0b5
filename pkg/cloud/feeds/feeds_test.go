package feeds_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/feed"
)

// answers is an importer that reads the file and gives the error its text names.
type answers map[string]error

func (a answers) Import(_ context.Context, src feed.Source, _ bool) (feed.Report, error) {
	body, err := io.ReadAll(src.Body)
	if err != nil || src.Size != int64(len(body)) || src.Modified.IsZero() {
		return feed.Report{}, errors.New("the source is incomplete")
	}
	return feed.Report{File: src.Name, Rows: len(body)}, a[string(body)]
}

func TestEachObjectOfAnEventGetsItsOwnOutcome(t *testing.T) {
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	defer server.Close()
	client := cloudtest.Objects(server.URL)
	bucket := cloudtest.Bucket(t, client)
	for key, body := range map[string]string{
		"feeds/a b+c.csv": "good", "feeds/ü.csv": "refused", "feeds/down.csv": "failed", "reports/x.json": "never", "feeds/": "",
	} {
		cloudtest.Put(t, client, bucket, key, []byte(body))
	}
	var event events.S3Event
	for _, key := range []string{"feeds/down.csv", "feeds/a+b%2Bc.csv", "feeds/%C3%BC.csv", "reports/x.json", "feeds/", "feeds/gone.csv"} {
		var r events.S3EventRecord
		body := `{"s3":{"bucket":{"name":"` + bucket + `"},"object":{"key":"` + key + `"}}}`
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
		event.Records = append(event.Records, r)
	}
	var log bytes.Buffer
	e := &feeds.Events{
		Objects: client, ReportPrefix: "reports/", Log: slog.New(slog.NewJSONHandler(&log, nil)),
		Importer: answers{"refused": &feed.Refusal{Reason: "no identifying column"}, "failed": errors.New("table is busy at 10.0.0.7")},
	}
	err := e.Handle(t.Context(), event)
	if err == nil || !strings.Contains(err.Error(), "feeds/down.csv") || strings.Contains(err.Error(), "ü") {
		t.Errorf("the error is %v; want one for the failed file alone, so that Lambda repeats the event", err)
	}
	for key, want := range map[string]string{"feeds/a b+c.csv": "imported", "feeds/ü.csv": "refused", "feeds/down.csv": "failed"} {
		object, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("reports/" + key + ".json")})
		if err != nil {
			t.Fatal(err)
		}
		var out feeds.Outcome
		body, _ := io.ReadAll(object.Body)
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatal(err)
		}
		if out.Result != want || out.Feed != "s3://"+bucket+"/"+key || out.At.IsZero() || (out.Reason == "") != (want == "imported") {
			t.Errorf("%s: %s, want %s", key, body, want)
		}
		page, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("reports/" + key + ".html")})
		if err != nil || !strings.HasPrefix(aws.ToString(page.ContentType), "text/html") {
			t.Errorf("%s: no page for people: %v", key, err)
		}
		if strings.Contains(string(body), "10.0.0.7") {
			t.Errorf("the report tells an internal cause: %s", body)
		}
	}
	if _, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("reports/reports/x.json.json")}); err == nil {
		t.Error("a report was imported as a feed")
	}
	for _, want := range []string{feeds.LogImported, feeds.LogRefused, feeds.LogFailed, "gone before"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, &log)
		}
	}
}
