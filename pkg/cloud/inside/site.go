package inside

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// site reads the profile, which later checks need too, and the files made of it.
func (x *examination) site(ctx context.Context) {
	bucket, ok := x.resource("inside.profile", "SiteBucket")
	if !ok {
		return
	}
	origin := cloud.NewOrigin(x.stack.Objects(), bucket, x.stack.Settings.ProfileKey)
	document, err := origin.Fetch(ctx, "")
	if is(err, "NoSuchKey") {
		x.fail("inside.profile", "there is no %s", origin)
		return
	}
	if x.troubled("inside.profile", "s3:GetObject", err) {
		return
	}
	p, err := dealer.Parse(document.Body)
	if faults, ok := errors.AsType[*dealer.Faults](err); ok {
		x.fail("inside.profile", "%s: %s", origin, firstLine(faults.Error()))
		return
	}
	if err != nil {
		x.fail("inside.profile", "%s cannot be read", origin)
		return
	}
	p.Modified = document.Modified
	if p.URL == "" {
		p.URL = x.Address()
	}
	x.profile = p
	x.pass("inside.profile", "%s is dealer %s", origin, p.ID)
	x.published(ctx, bucket)
}

// published compares every file with the one that the profile gives.
func (x *examination) published(ctx context.Context, bucket string) {
	const id = "inside.published"
	files, err := wellknown.Files(x.profile)
	if err != nil {
		x.fail(id, "the profile gives no files")
		return
	}
	var faults []string
	for _, f := range files {
		out, err := x.stack.Objects().GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(strings.TrimPrefix(f.Path, "/"))})
		if is(err, "NoSuchKey") {
			faults = append(faults, f.Path+" is missing")
			continue
		}
		if x.troubled(id, "s3:GetObject", err) {
			return
		}
		body, err := io.ReadAll(io.LimitReader(out.Body, int64(len(f.Body))+1))
		_ = out.Body.Close()
		if x.troubled(id, "s3:GetObject", err) {
			return
		}
		if string(body) != string(f.Body) || aws.ToString(out.ContentType) != f.ContentType {
			faults = append(faults, f.Path+" is of another profile or another version of the code")
		}
	}
	x.judge(id, Fail, faults, "%d files", len(files))
}

func firstLine(text string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more && rest != "" {
		first += " …"
	}
	return first
}
