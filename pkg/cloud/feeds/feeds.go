// Package feeds imports the files that a dealer's system puts into S3, and those
// that are fetched from it on a schedule.
package feeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// What the log says of a file; alarms match these words.
const (
	LogImported = "feed imported"
	LogRefused  = "feed refused"
	LogKept     = "rooftop kept its last good inventory"
	LogFailed   = "feed import failed"
)

// Importer is what handles the content; *feed.Importer is one.
type Importer interface {
	Import(ctx context.Context, src feed.Source, dryRun bool) (feed.Report, error)
}

// Events imports the objects that S3 events name. A report on each lies in
// the same bucket under ReportPrefix, the feed's key and ".json", and as a page for people under ".html".
type Events struct {
	Objects  *s3.Client
	Importer Importer
	// ReportPrefix ends in a slash; objects below it are never imported.
	ReportPrefix string
	// Dealer, when set, makes the context that of the dealer whose feed the key is.
	Dealer func(ctx context.Context, key string) (context.Context, error)
	Log    *slog.Logger
	// OnOutcome, when set, is told of each file that was looked at, and how long that took.
	OnOutcome func(Outcome, time.Duration)
}

// Outcome is the report that is written beside a feed.
type Outcome struct {
	Feed string `json:"feed"`
	// Result is imported, refused (nothing was changed, the file is at fault)
	// or failed (nothing was changed, the import is tried again).
	Result string    `json:"result"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
	// Version is which object was read: its version, or its ETag in a bucket without.
	Version string      `json:"version,omitempty"`
	Report  feed.Report `json:"report"`
}

// Counts are the outcome's numbers.
func (o Outcome) Counts(took time.Duration) cloud.Feed {
	f := cloud.Feed{Result: o.Result, Rows: o.Report.Rows, Listed: o.Report.Visible, Rejected: o.Report.Rejected, Took: took}
	if o.Report.Changes != nil {
		f.Gone = o.Report.Changes.Gone
	}
	return f
}

// Handle imports every object of the event. A file that is refused leaves the
// last good inventory, is logged as LogRefused and is no error: the same file
// would be refused again. An error makes Lambda repeat the event.
func (e *Events) Handle(ctx context.Context, event events.S3Event) error {
	var failures []error
	for _, record := range event.Records {
		key := record.S3.Object.URLDecodedKey
		if strings.HasSuffix(key, "/") || strings.HasPrefix(key, e.ReportPrefix) {
			continue
		}
		ctx, err := e.dealer(ctx, key)
		if errors.Is(err, cloud.ErrUnknownDealer) {
			// Nobody can be given a report on it.
			e.Log.ErrorContext(ctx, LogRefused, nameOf(record.S3.Bucket.Name, key), "reason", err.Error())
			continue
		}
		if err == nil {
			err = e.object(ctx, record.S3.Bucket.Name, key)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("feed %s: %w", cloud.ObjectName("s3://"+record.S3.Bucket.Name+"/"+key), err))
		}
	}
	return errors.Join(failures...)
}

func (e *Events) dealer(ctx context.Context, key string) (context.Context, error) {
	if e.Dealer == nil {
		return ctx, nil
	}
	of, err := e.Dealer(ctx, key)
	if err != nil {
		return ctx, err
	}
	return of, nil
}

func (e *Events) object(ctx context.Context, bucket, key string) error {
	name := nameOf(bucket, key)
	object, err := e.Objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if _, gone := errors.AsType[*types.NoSuchKey](err); gone {
		e.Log.WarnContext(ctx, "feed is gone before it was imported", name)
		return nil
	}
	if err != nil {
		e.Log.ErrorContext(ctx, LogFailed, name, "error", err)
		return err
	}
	defer object.Body.Close()
	_, err = e.take(ctx, bucket, key, versionOf(object.VersionId, object.ETag), feed.Source{
		Name: path.Base(key), Size: aws.ToInt64(object.ContentLength), Modified: aws.ToTime(object.LastModified), Body: object.Body,
	})
	if errors.Is(err, feed.ErrRefused) || errors.Is(err, inventory.ErrRefused) {
		return nil
	}
	return err
}

// take imports one file, whose object is named, and tells everybody what came
// of it.
func (e *Events) take(ctx context.Context, bucket, key, version string, src feed.Source) (feed.Report, error) {
	began := time.Now()
	name := nameOf(bucket, key)
	report, err := e.Importer.Import(ctx, src, false)
	out := Outcome{Feed: "s3://" + bucket + "/" + key, Result: "imported", At: time.Now().UTC(), Report: report, Version: version}
	switch {
	case errors.Is(err, feed.ErrRefused), errors.Is(err, inventory.ErrRefused):
		out.Result, out.Reason = "refused", err.Error()
		e.Log.ErrorContext(ctx, LogRefused, name, "reason", out.Reason)
	case err != nil:
		out.Result, out.Reason = "failed", "A part of the system failed; the import is tried again."
		e.Log.ErrorContext(ctx, LogFailed, name, "error", err)
	default:
		e.imported(ctx, name, report)
	}
	e.write(ctx, bucket, key, out)
	if e.OnOutcome != nil {
		e.OnOutcome(out, time.Since(began))
	}
	return report, err
}

func nameOf(bucket, key string) slog.Attr {
	return slog.Any("feed", cloud.ObjectName("s3://"+bucket+"/"+key))
}

func (e *Events) imported(ctx context.Context, name slog.Attr, r feed.Report) {
	attrs := []any{name, "rows", r.Rows, "accepted", r.Accepted, "visible", r.Visible, "merged", r.Merged, "rejected", r.Rejected}
	if r.Changes != nil {
		attrs = append(attrs, "added", r.Changes.Added, "changed", r.Changes.Changed, "gone", r.Changes.Gone)
		for _, rooftop := range r.Changes.Kept {
			e.Log.ErrorContext(ctx, LogKept, name, "rooftop", rooftop)
		}
	}
	e.Log.InfoContext(ctx, LogImported, attrs...)
}

// write puts the report, for programs and for people. The import stands
// without it.
func (e *Events) write(ctx context.Context, bucket, key string, out Outcome) {
	body, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		err = e.put(ctx, bucket, key+".json", "application/json", string(body))
	}
	var page strings.Builder
	if err == nil {
		err = out.Report.WriteHTML(&page)
	}
	if err == nil {
		err = e.put(ctx, bucket, key+".html", "text/html; charset=utf-8", page.String())
	}
	if err != nil {
		e.Log.ErrorContext(ctx, "feed report was not written", nameOf(bucket, key), "error", err)
	}
}

func (e *Events) put(ctx context.Context, bucket, name, contentType, body string) error {
	_, err := e.Objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(e.ReportPrefix + name), Body: strings.NewReader(body), ContentType: aws.String(contentType),
	})
	return err
}
