package feeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Faults of a Remote.
var (
	// ErrNoFeed: there is no such object to import again.
	ErrNoFeed = errors.New("there is no such file")
	// ErrNoReport: no report came in time.
	ErrNoReport = errors.New("no report on the import has come")
)

// Remote is the bucket that takes exports, as a person's command sees it: the
// function that imports is told by S3, and leaves its report beside.
type Remote struct {
	Objects *s3.Client
	Bucket  string
	// ReportPrefix is that of Events.
	ReportPrefix string
	// Pause between two looks for the report.
	Pause time.Duration
}

// Awaited is an import whose report is to come.
type Awaited struct {
	key, version string
	// before is the report that lay there already.
	before Outcome
}

// Upload puts an export.
func (r Remote) Upload(ctx context.Context, key string, body io.ReadSeeker) (Awaited, error) {
	before, err := r.reportBefore(ctx, key)
	if err != nil {
		return Awaited{}, err
	}
	out, err := r.Objects.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(r.Bucket), Key: aws.String(key), Body: body})
	if err != nil {
		return Awaited{}, err
	}
	return Awaited{key, versionOf(out.VersionId, out.ETag), before}, nil
}

// Again has an export that lies there imported once more, as a new version of
// the same bytes.
func (r Remote) Again(ctx context.Context, key string) (Awaited, error) {
	before, err := r.reportBefore(ctx, key)
	if err != nil {
		return Awaited{}, err
	}
	out, err := r.Objects.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: aws.String(r.Bucket), Key: aws.String(key), CopySource: aws.String(r.Bucket + "/" + escaped(key)),
		// S3 copies an object onto itself only if something about it changes.
		MetadataDirective: types.MetadataDirectiveReplace, Metadata: map[string]string{"imported-again": time.Now().UTC().Format(time.RFC3339Nano)},
	})
	if status(err) == http.StatusNotFound {
		return Awaited{}, fmt.Errorf("%w: s3://%s/%s", ErrNoFeed, r.Bucket, key)
	}
	if err != nil {
		return Awaited{}, err
	}
	var tag *string
	if out.CopyObjectResult != nil {
		tag = out.CopyObjectResult.ETag
	}
	return Awaited{key, versionOf(out.VersionId, tag), before}, nil
}

func escaped(key string) string {
	parts := strings.Split(key, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// versionOf is what tells one object of a key from the next.
func versionOf(version, tag *string) string {
	if v := aws.ToString(version); v != "" && v != "null" {
		return v
	}
	return aws.ToString(tag)
}

// Wait waits for the report. One that failed is tried again, so that the wait
// goes on; it is returned with ErrNoReport when the context ends.
func (r Remote) Wait(ctx context.Context, a Awaited) (Outcome, error) {
	var last Outcome
	for {
		out, err := r.report(ctx, a.key)
		if err == nil && out.Version == a.version && !out.At.Equal(a.before.At) {
			if last = out; out.Result != "failed" {
				return out, nil
			}
		}
		if err != nil && !notYet(err) && ctx.Err() == nil {
			return last, err
		}
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("%w: s3://%s/%s%s.json", ErrNoReport, r.Bucket, r.ReportPrefix, a.key)
		case <-time.After(r.Pause):
		}
	}
}

// notYet reports that there is no report; S3 says "forbidden" to who may not
// list the bucket.
func notYet(err error) bool {
	s := status(err)
	return s == http.StatusNotFound && !noBucket(err) || s == http.StatusForbidden
}

func noBucket(err error) bool {
	_, ok := errors.AsType[*types.NoSuchBucket](err)
	return ok
}

// reportBefore is the report there is, if there is one.
func (r Remote) reportBefore(ctx context.Context, key string) (Outcome, error) {
	out, err := r.report(ctx, key)
	if err != nil && notYet(err) {
		return Outcome{}, nil
	}
	return out, err
}

func (r Remote) report(ctx context.Context, key string) (out Outcome, err error) {
	object, err := r.Objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(r.Bucket), Key: aws.String(r.ReportPrefix + key + ".json")})
	if err != nil {
		return out, err
	}
	defer object.Body.Close()
	err = json.NewDecoder(object.Body).Decode(&out)
	return out, err
}

// status is the HTTP status that S3 refused with; 0 for other errors and nil.
func status(err error) int {
	if answered, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return answered.HTTPStatusCode()
	}
	return 0
}
