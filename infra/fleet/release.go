package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// The bounds that CloudFormation has for a template, in bytes.
const (
	MostDirect = 51_200
	MostByURL  = 1_000_000
)

// Release is a template and the code that it names.
type Release struct {
	Template *Template
	// Code are the paths of files by their names below the code prefix.
	Code map[string]string
}

// OpenRelease reads the template at path and finds the code beside it, in the
// folder code.
func OpenRelease(path string) (*Release, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := ReadTemplate(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; `make release` writes one that does, dist/dealer.template.json", path, err)
	}
	if len(body) > MostByURL {
		return nil, fmt.Errorf("%s has %d bytes, CloudFormation takes %d", path, len(body), MostByURL)
	}
	r := &Release{Template: t, Code: map[string]string{}}
	zips, err := filepath.Glob(filepath.Join(filepath.Dir(path), "code", "*.zip"))
	if err != nil {
		return nil, err
	}
	for _, name := range zips {
		if base := filepath.Base(name); strings.Contains(string(body), base) {
			r.Code[base] = name
		}
	}
	return r, nil
}

// byURL reports whether the template has to be read from S3.
func (r *Release) byURL() bool { return len(r.Template.Body) > MostDirect }

func (r *Release) key(f *File) string {
	return f.CodePrefix + "/templates/" + r.Template.Version + ".json"
}

// where is how CloudFormation gets the template: as it is, or by its address.
func (r *Release) where(f *File, account Objects, region string) (body, url string) {
	if r.byURL() {
		return "", account.URL(f.Bucket(region), r.key(f))
	}
	return string(r.Template.Body), ""
}

// Upload puts what is not there yet into the bucket of each region, with the
// rights of the person who runs the command. Names hold digests, so what is there
// is right.
func (r *Release) Upload(ctx context.Context, run *Runner, regions []string) error {
	for _, region := range regions {
		account, bucket := run.At(stacks.Place{Region: region}), run.Fleet.Bucket(region)
		put := func(key, contentType string, body []byte) error {
			err := do(ctx, run.pace(), func() error {
				if same, err := account.Same(ctx, bucket, key, body); err != nil || same {
					return err
				}
				run.tell("", "uploading "+key+" to "+bucket, "")
				return account.Put(ctx, bucket, key, contentType, body)
			})
			if err != nil {
				return fmt.Errorf("s3://%s/%s cannot be written: %w", bucket, key, err)
			}
			return nil
		}
		if r.byURL() {
			if err := put(r.key(run.Fleet), "application/json", r.Template.Body); err != nil {
				return err
			}
		}
		for name, path := range r.Code {
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := put(run.Fleet.CodePrefix+"/"+name, "application/zip", body); err != nil {
				return err
			}
		}
	}
	return nil
}
