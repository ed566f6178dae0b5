package stacks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Claim is who works on something, and until when.
type Claim struct {
	Holder string `json:"holder"`
	// Host and Process say where it runs, so that the same machine can tell whether it still does.
	Host    string    `json:"host,omitempty"`
	Process int       `json:"process,omitempty"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
}

// ErrLost says that somebody else has written the lock since it was read.
var ErrLost = errors.New("somebody else has written the lock")

// Lock is an object that one at a time writes.
type Lock struct {
	account     *Account
	bucket, key string
}

// Lock names a lock; it does not reach the network.
func (a *Account) Lock(bucket, key string) *Lock { return &Lock{a, bucket, key} }

// Read returns who holds the lock and the mark of that state, which is empty
// when nobody ever did.
func (l *Lock) Read(ctx context.Context) (c Claim, mark string, err error) {
	out, err := l.account.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(l.bucket), Key: aws.String(l.key)})
	if fault, ok := errors.AsType[smithy.APIError](err); ok && fault.ErrorCode() == "NoSuchKey" {
		return c, "", nil
	}
	if err != nil {
		return c, "", told(err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, 1<<16))
	if err != nil {
		return c, "", fmt.Errorf("%w: %w", ErrUnsure, err)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return c, "", fmt.Errorf("s3://%s/%s is no lock of a fleet; remove that object", l.bucket, l.key)
	}
	return c, aws.ToString(out.ETag), nil
}

// Write replaces the state with that mark and returns the new mark; ErrLost when
// it is another by now.
func (l *Lock) Write(ctx context.Context, c Claim, mark string) (string, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	in := &s3.PutObjectInput{Bucket: aws.String(l.bucket), Key: aws.String(l.key), Body: bytes.NewReader(body), ContentType: aws.String("application/json")}
	if mark == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = aws.String(mark)
	}
	out, err := l.account.objects.PutObject(ctx, in)
	if fault, ok := errors.AsType[smithy.APIError](err); ok && (fault.ErrorCode() == "PreconditionFailed" || fault.ErrorCode() == "ConditionalRequestConflict") {
		return "", ErrLost
	}
	if err != nil {
		return "", told(err)
	}
	return aws.ToString(out.ETag), nil
}
