package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
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
	var bad, unusual []string
	well := ""
	for _, d := range x.dealers {
		head, err := x.stack.Inventory().Head(ctx, d.profile.ID)
		if errors.Is(err, inventory.ErrNotFound) {
			bad = append(bad, d.of("nothing was imported yet: upload an export with the command in the stack's output Step4UploadInventory"))
			continue
		}
		if x.troubled(id, "dynamodb:GetItem", err) {
			return
		}
		age, limit := x.Now().Sub(vouched(head, d.profile)), promised
		if own := d.profile.Inventory.MaxAge.Std(); own > 0 {
			limit = own
		}
		hard := d.profile.Inventory.HardMaxAge.Std()
		switch {
		case hard > 0 && age > hard:
			bad = append(bad, d.of(fmt.Sprintf("%d cars, last vouched for %s ago: buyers are told that none is for sale", head.Listed, ago(age))))
		case age > limit:
			unusual = append(unusual, d.of(fmt.Sprintf("%d cars, last vouched for %s ago: buyers are warned", head.Listed, ago(age))))
		case head.Listed == 0:
			unusual = append(unusual, d.of(fmt.Sprintf("no car is for sale, as of %s ago", ago(age))))
		default:
			well = fmt.Sprintf("%d cars, vouched for %s ago", head.Listed, ago(age))
		}
	}
	switch {
	case len(bad) > 0:
		x.judge(id, Fail, bad, "")
	case len(unusual) > 0:
		x.judge(id, Warn, unusual, "")
	case len(x.dealers) > 1:
		x.pass(id, "those of %d dealers", len(x.dealers))
	case len(x.dealers) == 1:
		x.pass(id, "%s", well)
	}
}

// vouched is when the dealer's system last vouched for the cars of the rooftop
// that was silent longest.
func vouched(head inventory.Head, p *dealer.Profile) time.Time {
	oldest := head.ImportedAt
	for rooftop, at := range head.Vouched {
		known := rooftop == "" || slices.ContainsFunc(p.Rooftops, func(r dealer.Rooftop) bool { return r.Name == rooftop })
		if known && !at.IsZero() && at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// told is what a report on a file says first; package feeds writes it.
type told struct {
	Feed   string    `json:"feed"`
	Result string    `json:"result"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// feedReport reads the newest report of each dealer.
func (x *examination) feedReport(ctx context.Context) {
	const id = "inside.feed-report"
	bucket, ok := x.resource(id, "FeedBucket")
	if !ok {
		return
	}
	newest := map[string]types.Object{}
	pages := s3.NewListObjectsV2Paginator(x.stack.Objects(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Prefix: aws.String(x.stack.Settings.ReportPrefix)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if x.troubled(id, "s3:ListBucket", err) {
			return
		}
		for _, o := range page.Contents {
			of := ""
			if x.stack.Settings.Pooled() {
				of = x.reportOf(aws.ToString(o.Key))
			}
			last, known := newest[of]
			if x.only != "" && of != x.only {
				continue
			}
			if strings.HasSuffix(aws.ToString(o.Key), ".json") && (!known || o.LastModified.After(*last.LastModified)) {
				newest[of] = o
			}
		}
	}
	if len(newest) == 0 {
		x.skip(id, "no file has been imported in 90 days")
		return
	}
	var faults []string
	well := ""
	for _, of := range slices.Sorted(maps.Keys(newest)) {
		report, err := x.report(ctx, bucket, newest[of].Key)
		if x.troubled(id, "s3:GetObject", err) {
			return
		}
		at, name := ago(x.Now().Sub(report.At)), cloud.ObjectName(report.Feed).String()
		switch report.Result {
		case "imported":
			well = fmt.Sprintf("%s was imported %s ago", name, at)
		case "refused":
			faults = append(faults, fmt.Sprintf("%s was refused %s ago: %s", name, at, firstLine(report.Reason)))
		case "failed":
			faults = append(faults, fmt.Sprintf("the import of %s failed %s ago", name, at))
		default:
			faults = append(faults, fmt.Sprintf("the report %s cannot be read", cloud.ObjectName(aws.ToString(newest[of].Key))))
		}
	}
	if len(newest) > 1 {
		well = fmt.Sprintf("the last files of %d dealers were imported", len(newest))
	}
	x.judge(id, Fail, faults, "%s", well)
}

// reportOf is whose file the report at the key is about.
func (x *examination) reportOf(key string) string {
	for _, prefix := range []string{cloud.FeedPrefix, feeds.PickupPrefix} {
		if id, ok := cloud.DealerOfKey(x.stack.Settings.ReportPrefix+prefix, key); ok {
			return id
		}
	}
	return ""
}

// report is empty when what is there is none.
func (x *examination) report(ctx context.Context, bucket string, key *string) (out told, err error) {
	object, err := x.stack.Objects().GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: key})
	if err != nil {
		return told{}, err
	}
	defer object.Body.Close()
	if json.NewDecoder(io.LimitReader(object.Body, 64<<20)).Decode(&out) != nil {
		return told{}, nil
	}
	return out, nil
}
