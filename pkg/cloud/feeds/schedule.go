package feeds

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// PickupPrefix begins the keys of fetched exports in the feed bucket:
// pickups/<dealer>/<source>.<ending>. S3 tells nobody of those; who fetched one
// imports it.
const PickupPrefix = "pickups/"

// Handler imports the objects of S3's events, and on those of the schedule has
// turn fetch what is due.
func Handler(e *Events, turn func(context.Context) error) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, event json.RawMessage) error {
		var kind struct {
			DetailType string `json:"detail-type"`
		}
		if err := json.Unmarshal(event, &kind); err != nil {
			return fmt.Errorf("the event is not read: %w", err)
		}
		if kind.DetailType == "Scheduled Event" {
			return turn(ctx)
		}
		var objects events.S3Event
		if err := json.Unmarshal(event, &objects); err != nil {
			return fmt.Errorf("the event is not read: %w", err)
		}
		return e.Handle(ctx, objects)
	}
}

// Shelf is pickup.Depot in the feed bucket: each source has one object there,
// whose versions S3 keeps for a while, and the reports on it beside those of
// other feeds.
type Shelf struct {
	*Events
	Bucket string
}

var _ pickup.Depot = Shelf{}

// Take puts the file and imports it.
func (s Shelf) Take(ctx context.Context, p *dealer.Profile, source *dealer.FeedSource, f pickup.File) (feed.Report, error) {
	key := path.Join(PickupPrefix, p.ID, f.Name)
	put, err := s.Objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(s.Bucket), Key: aws.String(key), Body: f.Body, ContentLength: aws.Int64(f.Size), ContentType: aws.String("application/octet-stream"),
	})
	if err == nil {
		_, err = f.Body.Seek(0, io.SeekStart)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, LogFailed, nameOf(s.Bucket, key), "error", err)
		return feed.Report{}, err
	}
	return s.take(ctx, s.Bucket, key, versionOf(put.VersionId, put.ETag), feed.Source{Name: f.Name, Size: f.Size, Modified: f.Modified, Body: f.Body, Rooftops: source.Rooftops})
}
