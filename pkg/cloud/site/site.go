// Package site keeps the published files in S3 as the dealer profile says.
package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// ErrNoProfile: there is no profile object, or it may not be read.
var ErrNoProfile = errors.New("no dealer profile can be read")

// logPublished is what the log says when the files were written.
const logPublished = "files published"

// Publisher makes the published files of the profile in the same bucket.
type Publisher struct {
	Objects            *s3.Client
	Bucket, ProfileKey string
	// URL is the front door's address, for a profile that names none.
	URL string
	Log *slog.Logger
	// OnPublish, when set, is told how each try ended: published with the number
	// of files, refused for a profile at fault, none without one, or failed.
	OnPublish func(result string, files int, took time.Duration)
	// settle, when set, says where the files of the profile lie, as beginnings of
	// their keys, beside the bucket's own root; its error refuses the profile.
	settle func(context.Context, *dealer.Profile) ([]string, error)
	// address is what the files written last name.
	address string
	// OnFile, when set, is told of each file that was written, by its S3 address.
	OnFile func(address string, f wellknown.File)
}

// attempts bounds how often files are made anew because the profile changed
// meanwhile; each change brings a call of its own too.
const attempts = 5

// Publish writes every file of the profile and removes those of contracts that
// it does not serve any more, or returns ErrNoProfile. The card is written last, so that what it names
// is there. A profile at fault leaves the files as they are: the error holds
// *dealer.Faults and is logged as cloud.LogProfile.
func (p *Publisher) Publish(ctx context.Context) error {
	began := time.Now()
	files, err := p.publishAll(ctx)
	if p.OnPublish != nil {
		p.OnPublish(resultOf(err), files, time.Since(began))
	}
	return err
}

// Address is where buyers reach the dealer by the files that Publish wrote.
func (p *Publisher) Address() string { return p.address }

func resultOf(err error) string {
	_, faulty := errors.AsType[*dealer.Faults](err)
	switch {
	case err == nil:
		return "published"
	case faulty:
		return "refused"
	case errors.Is(err, ErrNoProfile):
		return "none"
	}
	return "failed"
}

func (p *Publisher) publishAll(ctx context.Context) (files int, err error) {
	origin := cloud.NewOrigin(p.Objects, p.Bucket, p.ProfileKey)
	tag := ""
	for range attempts {
		document, err := origin.Fetch(ctx, tag)
		if errors.Is(err, dealer.ErrNotModified) {
			return files, nil
		}
		if refused(err) {
			return files, fmt.Errorf("%w: %w", ErrNoProfile, err)
		}
		if err != nil {
			return files, err
		}
		if files, err = p.write(ctx, document); err != nil {
			return files, err
		}
		tag = document.Tag // a change meanwhile may have been overwritten
	}
	return files, nil
}

// write returns how many files there are.
func (p *Publisher) write(ctx context.Context, document dealer.Document) (int, error) {
	profile, err := dealer.Parse(document.Body)
	if err != nil {
		p.Log.ErrorContext(ctx, cloud.LogProfile, p.profile(), "error", err)
		return 0, err
	}
	profile.Modified = document.Modified
	if profile.URL == "" {
		profile.URL = p.URL
	}
	places := []string{""}
	if p.settle != nil {
		if places, err = p.settle(ctx, profile); err != nil {
			return 0, err
		}
	}
	files, err := wellknown.Files(profile)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, place := range places {
		n, err := p.put(ctx, place, profile, files)
		if removed += n; err != nil {
			return 0, err
		}
	}
	p.address = profile.URL
	p.Log.InfoContext(ctx, logPublished, p.profile(), "files", len(files), "removed", removed, "url", profile.URL)
	return len(files), nil
}

// Put writes the files of the profile into the bucket, the first one last, and
// removes those that it has no more.
func (p *Publisher) Put(ctx context.Context, profile *dealer.Profile, files []wellknown.File) (removed int, err error) {
	return p.put(ctx, "", profile, files)
}

// put writes the files to one place and removes what is left there of others.
func (p *Publisher) put(ctx context.Context, place string, profile *dealer.Profile, files []wellknown.File) (removed int, err error) {
	for _, f := range slices.Backward(files) {
		_, err := p.Objects.PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String(p.Bucket), Key: aws.String(place + key(f)), Body: strings.NewReader(string(f.Body)),
			ContentType: aws.String(f.ContentType), CacheControl: aws.String(f.CacheControl),
		})
		if err != nil {
			return 0, fmt.Errorf("write %s: %w", f.Path, err)
		}
		if p.OnFile != nil {
			p.OnFile("s3://"+p.Bucket+"/"+place+key(f), f)
		}
	}
	return p.remove(ctx, place, profile, files)
}

// Upload puts the profile where functions read it.
func (p *Publisher) Upload(ctx context.Context, document []byte) error {
	_, err := p.Objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(p.Bucket), Key: aws.String(p.ProfileKey), Body: bytes.NewReader(document), ContentType: aws.String("application/yaml"),
	})
	return err
}

// profile names the object in the log.
func (p *Publisher) profile() slog.Attr {
	return slog.Any("profile", cloud.ObjectName("s3://"+p.Bucket+"/"+p.ProfileKey))
}

// remove deletes files that a profile can have and this one does not.
func (p *Publisher) remove(ctx context.Context, place string, profile *dealer.Profile, files []wellknown.File) (removed int, err error) {
	every := *profile
	every.Versions = nil
	for _, v := range aap.Versions() {
		every.Versions = append(every.Versions, v.Label)
	}
	possible, err := wellknown.Files(&every)
	if err != nil {
		return 0, err
	}
	for _, f := range possible {
		if slices.ContainsFunc(files, func(kept wellknown.File) bool { return kept.Path == f.Path }) {
			continue
		}
		at, name := aws.String(p.Bucket), aws.String(place+key(f))
		_, err := p.Objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: at, Key: name})
		if refused(err) {
			continue
		}
		if err == nil {
			_, err = p.Objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: at, Key: name})
		}
		if err != nil {
			return removed, fmt.Errorf("remove %s: %w", f.Path, err)
		}
		removed++
	}
	return removed, nil
}

// refused reports that an object is not there. S3 says so, and "forbidden" to
// who may not list the bucket.
func refused(err error) bool {
	answered, ok := errors.AsType[*awshttp.ResponseError](err)
	return ok && (answered.HTTPStatusCode() == http.StatusNotFound || answered.HTTPStatusCode() == http.StatusForbidden)
}

func key(f wellknown.File) string { return strings.TrimPrefix(f.Path, "/") }
