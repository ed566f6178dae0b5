package targets

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// drop writes one <prefix><lead_id>.xml a lead into a bucket that the receiver
// empties. An object that still lies there is not written again. Every failure
// is temporary; without an answer the object may have been written.
type drop struct {
	client *s3.Client
	target dealer.Target
}

func openS3(cfg aws.Config) crm.Opener {
	client := sync.OnceValue(func() *s3.Client {
		return s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = cfg.BaseEndpoint != nil })
	})
	return func(t dealer.Target, _ crm.Setup) (crm.Transport, error) { return drop{client(), t}, nil }
}

func (b drop) Deliver(ctx context.Context, d crm.Document) (crm.Receipt, error) {
	name, err := d.FileName()
	if err != nil {
		return crm.Receipt{}, err
	}
	key := b.target.Prefix + name
	out, err := b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(b.target.Bucket), Key: aws.String(key), Body: bytes.NewReader(d.Body),
		ContentType: aws.String("application/xml"), IfNoneMatch: aws.String("*"),
	})
	var answered *awshttp.ResponseError
	if errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusPreconditionFailed {
		return crm.Receipt{Status: "already in the bucket", Text: key}, nil
	}
	if err != nil {
		f := failure("S3", err)
		f.Credentials = f.Credentials || answered != nil && answered.HTTPStatusCode() == http.StatusNotFound
		return crm.Receipt{}, f
	}
	if version := aws.ToString(out.VersionId); version != "" {
		key += " version " + version
	}
	return crm.Receipt{Status: "written to the bucket", Text: key}, nil
}
