package inside

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// promised is how old an inventory may be where the profile says nothing.
const promised = 48 * time.Hour

func (x *examination) feed(ctx context.Context) {
	x.feedAge(ctx)
	x.feedReport(ctx)
}

func (x *examination) feedAge(ctx context.Context) {
	const id = "inside.feed-age"
	if _, ok := x.resource(id, "InventoryTable"); !ok {
		return
	}
	if x.profile == nil {
		x.skip(id, "without the profile the dealer's id is not known")
		return
	}
	head, err := x.stack.Inventory().Head(ctx, x.profile.ID)
	if errors.Is(err, inventory.ErrNotFound) {
		x.fail(id, "nothing was imported yet: upload an export with the command in the stack's output Step4UploadInventory")
		return
	}
	if x.troubled(id, "dynamodb:GetItem", err) {
		return
	}
	vouched := head.ImportedAt
	for rooftop, at := range head.Vouched {
		known := rooftop == "" || slices.ContainsFunc(x.profile.Rooftops, func(r dealer.Rooftop) bool { return r.Name == rooftop })
		if known && !at.IsZero() && at.Before(vouched) {
			vouched = at
		}
	}
	age, limit := x.Now().Sub(vouched), promised
	if own := x.profile.Inventory.MaxAge.Std(); own > 0 {
		limit = own
	}
	hard := x.profile.Inventory.HardMaxAge.Std()
	switch {
	case hard > 0 && age > hard:
		x.fail(id, "%d cars, last vouched for %s ago: buyers are told that none is for sale", head.Listed, ago(age))
	case age > limit:
		x.warn(id, "%d cars, last vouched for %s ago: buyers are warned", head.Listed, ago(age))
	case head.Listed == 0:
		x.warn(id, "no car is for sale, as of %s ago", ago(age))
	default:
		x.pass(id, "%d cars, vouched for %s ago", head.Listed, ago(age))
	}
}

// told is what a report on a file says first; package feeds writes it.
type told struct {
	Feed   string    `json:"feed"`
	Result string    `json:"result"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

func (x *examination) feedReport(ctx context.Context) {
	const id = "inside.feed-report"
	bucket, ok := x.resource(id, "FeedBucket")
	if !ok {
		return
	}
	var newest types.Object
	pages := s3.NewListObjectsV2Paginator(x.stack.Objects(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Prefix: aws.String(x.stack.Settings.ReportPrefix)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if x.troubled(id, "s3:ListBucket", err) {
			return
		}
		for _, o := range page.Contents {
			if strings.HasSuffix(aws.ToString(o.Key), ".json") && (newest.Key == nil || o.LastModified.After(*newest.LastModified)) {
				newest = o
			}
		}
	}
	if newest.Key == nil {
		x.skip(id, "no file has been imported in 90 days")
		return
	}
	out, err := x.stack.Objects().GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: newest.Key})
	if x.troubled(id, "s3:GetObject", err) {
		return
	}
	defer out.Body.Close()
	var report told
	if err := json.NewDecoder(io.LimitReader(out.Body, 64<<20)).Decode(&report); err != nil {
		x.warn(id, "the newest report cannot be read")
		return
	}
	at := ago(x.Now().Sub(report.At))
	name := cloud.ObjectName(report.Feed).String()
	switch report.Result {
	case "imported":
		x.pass(id, "%s was imported %s ago", name, at)
	case "refused":
		x.fail(id, "%s was refused %s ago: %s", name, at, firstLine(report.Reason))
	default:
		x.fail(id, "the import of %s failed %s ago", name, at)
	}
}
