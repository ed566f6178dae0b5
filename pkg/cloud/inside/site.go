package inside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// site reads the profiles, which later checks need too, and the files made of them.
func (x *examination) site(ctx context.Context) {
	const id = "inside.profile"
	bucket, ok := x.resource(id, "SiteBucket")
	if !ok {
		return
	}
	ids, ok := x.ids(ctx, bucket)
	if !ok {
		return
	}
	var faults []string
	for _, dealerID := range ids {
		d := one{id: dealerID}
		fault, err := x.load(ctx, bucket, &d)
		if x.troubled(id, "s3:GetObject", err) {
			return
		}
		if fault != "" {
			faults = append(faults, fault)
			continue
		}
		x.dealers = append(x.dealers, d)
	}
	switch {
	case len(ids) == 0:
		x.fail(id, "there is none below s3://%s/%s", bucket, x.stack.Settings.ProfileKey)
	case len(x.dealers) == 1 && len(ids) == 1:
		x.pass(id, "that of dealer %s", x.dealers[0].profile.ID)
	default:
		x.judge(id, Fail, faults, "those of %d dealers", len(x.dealers))
	}
	x.published(ctx, bucket)
}

// ids are the dealers that have a folder for their profile, or the only one to
// look at: one without an id where the stack serves no other.
func (x *examination) ids(ctx context.Context, bucket string) ([]string, bool) {
	switch {
	case !x.stack.Settings.Pooled():
		return []string{""}, true
	case x.only != "":
		return []string{x.only}, true
	}
	ids, err := cloud.DealerFolders(ctx, x.stack.Objects(), bucket, x.stack.Settings.ProfileKey)
	if x.troubled("inside.profile", "s3:ListBucket", err) {
		return nil, false
	}
	return ids, true
}

// load reads a profile as publish does, or says what is wrong with it.
func (x *examination) load(ctx context.Context, bucket string, d *one) (fault string, err error) {
	key := x.stack.Settings.ProfileKey
	if d.id != "" {
		key = x.stack.Settings.ProfileKeyOf(d.id)
	}
	origin := cloud.NewOrigin(x.stack.Objects(), bucket, key)
	document, err := origin.Fetch(ctx, "")
	if is(err, "NoSuchKey") {
		return fmt.Sprintf("there is no %s", origin), nil
	}
	if err != nil {
		return "", err
	}
	p, err := dealer.Parse(document.Body)
	if faults, ok := errors.AsType[*dealer.Faults](err); ok {
		return fmt.Sprintf("%s: %s", origin, firstLine(faults.Error())), nil
	}
	if err != nil {
		return fmt.Sprintf("%s cannot be read", origin), nil
	}
	if d.id != "" && p.ID != d.id {
		return fmt.Sprintf("%s is of dealer %s", origin, p.ID), nil
	}
	p.Modified = document.Modified
	if p.URL == "" {
		_, p.URL = site.Place(x.stack.Settings, d.id)
	}
	d.profile = p
	return "", nil
}

// published compares every file with the one that its profile gives.
func (x *examination) published(ctx context.Context, bucket string) {
	const id = "inside.published"
	var faults []string
	count := 0
	for _, d := range x.dealers {
		files, err := wellknown.Files(d.profile)
		if err != nil {
			faults = append(faults, d.of("the profile gives no files"))
			continue
		}
		place, _ := site.Place(x.stack.Settings, d.id)
		for _, f := range files {
			count++
			out, err := x.stack.Objects().GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(place + strings.TrimPrefix(f.Path, "/"))})
			if is(err, "NoSuchKey") {
				faults = append(faults, d.of(f.Path+" is missing"))
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
				faults = append(faults, d.of(f.Path+" is of another profile or another version of the code"))
			}
		}
	}
	if len(x.dealers) > 0 {
		x.judge(id, Fail, faults, "%d files", count)
	}
}

func firstLine(text string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more && rest != "" {
		first += " …"
	}
	return first
}
