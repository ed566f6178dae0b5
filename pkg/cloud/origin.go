package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// maxProfile is far above any real profile and far below a function's memory.
const maxProfile = 4 << 20

// Origin is dealer.Origin on one object in S3.
type Origin struct {
	client      *s3.Client
	bucket, key string
}

var _ dealer.Origin = (*Origin)(nil)

// NewOrigin reads the profile at bucket and key.
func NewOrigin(client *s3.Client, bucket, key string) *Origin { return &Origin{client, bucket, key} }

// Fetch asks S3 for the object unless it still has the tag. fs.ErrNotExist is in
// the chain where there is none.
func (o *Origin) Fetch(ctx context.Context, tag string) (dealer.Document, error) {
	in := &s3.GetObjectInput{Bucket: aws.String(o.bucket), Key: aws.String(o.key)}
	if tag != "" {
		in.IfNoneMatch = aws.String(tag)
	}
	out, err := o.client.GetObject(ctx, in)
	if answered, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		switch answered.HTTPStatusCode() {
		case http.StatusNotModified:
			return dealer.Document{}, dealer.ErrNotModified
		case http.StatusNotFound:
			return dealer.Document{}, o.fault(fmt.Errorf("%w: %w", fs.ErrNotExist, err))
		}
	}
	if err != nil {
		return dealer.Document{}, o.fault(err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, maxProfile+1))
	if err == nil && len(body) > maxProfile {
		err = fmt.Errorf("larger than %d bytes", maxProfile)
	}
	if err != nil {
		return dealer.Document{}, o.fault(err)
	}
	return dealer.Document{Body: body, Tag: aws.ToString(out.ETag), Modified: aws.ToTime(out.LastModified)}, nil
}

func (o *Origin) fault(err error) error {
	return fmt.Errorf("profile %s: %w", o, err)
}

// String is the object's S3 address.
func (o *Origin) String() string { return "s3://" + o.bucket + "/" + o.key }
