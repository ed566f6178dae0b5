package stacks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// digestKey is the metadata of an object that says what was uploaded.
const digestKey = "dealer-sha256"

// Same reports whether the object in the bucket was uploaded by Put with this
// body. An object that is not there is not the same.
func (a *Account) Same(ctx context.Context, bucket, key string, body []byte) (bool, error) {
	out, err := a.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err = told(err); errors.Is(err, ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return out.Metadata[digestKey] == digest(body), nil
}

// Put uploads an object.
func (a *Account) Put(ctx context.Context, bucket, key, contentType string, body []byte) error {
	_, err := a.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(body), ContentType: aws.String(contentType),
		Metadata: map[string]string{digestKey: digest(body)},
	})
	return told(err)
}

// URL is how CloudFormation is told where a template lies.
func (a *Account) URL(bucket, key string) string {
	return fmt.Sprintf("https://%s.s3.%s.amazonaws.com/%s", bucket, a.place.Region, key)
}

// Profile finds where a stack of the dealer agent keeps its dealer profile.
func (a *Account) Profile(ctx context.Context, name string) (bucket, key string, err error) {
	d, err := cloud.ReadDeployed(ctx, a.formation, name)
	if errors.Is(err, cloud.ErrNoStack) {
		return "", "", fmt.Errorf("%w: %s", ErrMissing, name)
	}
	if err != nil {
		return "", "", told(err)
	}
	s := d.Open(a.config).Settings
	if s.ProfileBucket == "" || s.ProfileKey == "" {
		return "", "", errors.New("the stack has no bucket for a dealer profile")
	}
	return s.ProfileBucket, s.ProfileKey, nil
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
