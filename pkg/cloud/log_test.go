package cloud_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/lead"
)

const payload = `{"type":"lead.submit.request","customer":{"first_name":"Maxine","last_name":"Quillfeather","email":"maxine@example.com",
	"phone":"+18315550188","address":{"line1":"12 Pelican Row"}},"message":"The gate code is 4711."}`

var secrets = []string{"Maxine", "maxine", "Quillfeather", "example.com", "8315550188", "555-0188", "555) 01", "Pelican", "gate code"}

func TestAWholeLeadInTheLogTellsNothingPersonal(t *testing.T) {
	record := lead.Record{
		ID: "0196a3f0-0000-7000-8000-000000000001", DealerID: "seabright", ReceivedAt: time.Now(),
		Request: json.RawMessage(payload), Answer: lead.Answer{Message: "Thanks, Maxine."}, Listing: &aap.Vehicle{VIN: "1FTFW1E50NFA10001"},
	}
	var decoded map[string]any
	if err := json.Unmarshal([]byte(payload), &decoded); err != nil {
		t.Fatal(err)
	}
	type carrier struct{ Request any }
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		var out bytes.Buffer
		log := cloud.NewLogger(&out, slog.LevelDebug)
		for name, v := range map[string]any{
			"lead": record, "pointer": &record, "entry": lead.Entry{Record: record}, "raw": record.Request, "bytes": []byte(payload),
			"text": payload, "decoded": decoded, "nested": carrier{decoded}, "list": []any{record}, "answer": record.Answer,
			"error": fmt.Errorf("delivery of %s failed", payload), "short": errors.New("mailbox maxine@example.com is full"),
			"number": "call +1 (831) 555-0188 now", "plain": "8315550188", "dotted": "831.555.0188x12",
			"first_name": "Maxine", "Email": "maxine@example.com", "phone": 18315550188, "valuer": slog.GroupValue(slog.String("last_name", "Quillfeather")),
		} {
			log.Log(t.Context(), level, "event", name, v)
			log.With(name, v).WithGroup("g").Log(t.Context(), level, "mail to maxine@example.com, 831-555-0188", name, v, slog.Group("customer", name, v))
		}
		log.Log(t.Context(), level, payload)
		if out.Len() == 0 {
			t.Fatal("nothing was logged")
		}
		for _, s := range secrets {
			if strings.Contains(out.String(), s) {
				t.Errorf("%v: the log tells %q:\n%s", level, s, &out)
			}
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %s", line)
			}
		}
	}
}

func TestWhatOperatorsNeedStaysReadable(t *testing.T) {
	var out bytes.Buffer
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "0d3f6f1e-8a3b-4f0e-9c3e-000000000001"})
	cloud.NewLogger(&out, slog.LevelInfo).InfoContext(ctx, "lead was not handed over",
		"lead", "0196a3f0-0000-7000-8000-000000000001", "vin", "1FTFW1E50NFA10001", "status", 503, "took", time.Second, "ok", true,
		"feed", "s3://bucket-12/feeds/lot_20261130120000.csv", "error", errors.New("operation error DynamoDB: PutItem, StatusCode: 400, RequestID: ZXQQXH0SXQZYZ2RCC"),
		"at", "2026-11-30T12:00:00Z", "level_any", slog.LevelWarn)
	for _, want := range []string{
		`"aws_request_id":"0d3f6f1e-8a3b-4f0e-9c3e-000000000001"`, `"lead":"0196a3f0-0000-7000-8000-000000000001"`, `"vin":"1FTFW1E50NFA10001"`,
		`"status":503`, `"ok":true`, `"feed":"s3://bucket-12/feeds/lot_20261130120000.csv"`, `PutItem, StatusCode: 400, RequestID: ZXQQXH0SXQZYZ2RCC`,
		`"at":"2026-11-30T12:00:00Z"`, `"level":"INFO"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the line lacks %s:\n%s", want, &out)
		}
	}
}

func TestAFileNameStaysReadableAndForgesNothing(t *testing.T) {
	var out bytes.Buffer
	cloud.NewLogger(&out, slog.LevelInfo).InfoContext(t.Context(), "feed", "feed",
		cloud.ObjectName("s3://b/feeds/18315550188\x1b[2J\nlot\u202e\u2028\xff of maxine@example.com.csv"))
	if !strings.Contains(out.String(), `"feed":"s3://b/feeds/18315550188[2Jlot of [e-mail]"`) {
		t.Errorf("%s", &out)
	}
}

// TestWhatIsNotedStandsInEveryLaterLine: of its own request alone.
func TestWhatIsNotedStandsInEveryLaterLine(t *testing.T) {
	var out bytes.Buffer
	log := cloud.NewLogger(&out, slog.LevelInfo)
	one, other := cloud.Trailed(t.Context()), cloud.Trailed(t.Context())
	log.InfoContext(one, "first")
	cloud.Note(one, slog.Int64("index_generation", 6))
	cloud.Note(one, slog.Int64("index_generation", 7))
	cloud.Note(one, slog.String("mail", "maxine@example.com"))
	cloud.Note(one, slog.String("lead_id", "noted"))
	cloud.Note(t.Context(), slog.Int64("index_generation", 8))
	log.InfoContext(one, "second", "lead_id", "said")
	log.InfoContext(other, "third")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.Contains(lines[0]+lines[2], "index_generation") ||
		!strings.HasSuffix(lines[1], `"msg":"second","lead_id":"said","index_generation":7,"mail":"[e-mail]"}`) {
		t.Errorf("%s", &out)
	}
}
