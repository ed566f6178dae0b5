package inside

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// ttlAttribute is where items say when they end.
const ttlAttribute = "expires"

func (x *examination) tables(ctx context.Context) {
	client := dynamodb.NewFromConfig(x.Config)
	names := []string{"InventoryTable", "LeadsTable"}
	each := func(id, action string, look func(table *string) (fault string, err error)) {
		var faults []string
		for _, name := range names {
			table, ok := x.resource(id, name)
			if !ok {
				return
			}
			fault, err := look(aws.String(table))
			if is(err, "ResourceNotFoundException", "TableNotFoundException") {
				fault, err = "is gone", nil
			}
			if x.troubled(id, action, err) {
				return
			}
			if fault != "" {
				faults = append(faults, name+" "+fault)
			}
		}
		x.judge(id, Fail, faults, "both tables")
	}
	each("inside.recovery", "dynamodb:DescribeContinuousBackups", func(table *string) (string, error) {
		out, err := client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: table})
		if err != nil {
			return "", err
		}
		d := out.ContinuousBackupsDescription
		if d == nil || d.PointInTimeRecoveryDescription == nil || d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
			return "has no point-in-time recovery", nil
		}
		return "", nil
	})
	each("inside.deletion", "dynamodb:DescribeTable", func(table *string) (string, error) {
		out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: table})
		switch {
		case err != nil:
			return "", err
		case out.Table.TableStatus != types.TableStatusActive:
			return "is " + string(out.Table.TableStatus), nil
		case !aws.ToBool(out.Table.DeletionProtectionEnabled):
			return "has no deletion protection", nil
		}
		return "", nil
	})
	each("inside.expiry", "dynamodb:DescribeTimeToLive", func(table *string) (string, error) {
		out, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: table})
		if err != nil {
			return "", err
		}
		d := out.TimeToLiveDescription
		on := d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling)
		if !on || aws.ToString(d.AttributeName) != ttlAttribute {
			return "keeps items for ever", nil
		}
		return "", nil
	})
}

func (x *examination) buckets(ctx context.Context) {
	const id = "inside.buckets"
	var faults []string
	for _, name := range []string{"FeedBucket", "SiteBucket"} {
		bucket, ok := x.resource(id, name)
		if !ok {
			return
		}
		out, err := x.stack.Objects().GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: aws.String(bucket)})
		if is(err, "NoSuchPublicAccessBlockConfiguration") {
			faults = append(faults, name+" may be made public")
			continue
		}
		if is(err, "NoSuchBucket") {
			faults = append(faults, name+" is gone")
			continue
		}
		if x.troubled(id, "s3:GetBucketPublicAccessBlock", err) {
			return
		}
		b := out.PublicAccessBlockConfiguration
		if b == nil || !aws.ToBool(b.BlockPublicAcls) || !aws.ToBool(b.BlockPublicPolicy) || !aws.ToBool(b.IgnorePublicAcls) || !aws.ToBool(b.RestrictPublicBuckets) {
			faults = append(faults, name+" may be made public")
		}
	}
	x.judge(id, Fail, faults, "both buckets")
}

func (x *examination) logs(ctx context.Context) {
	const id = "inside.logs"
	kept := map[string]bool{}
	client := cloudwatchlogs.NewFromConfig(x.Config)
	pages := cloudwatchlogs.NewDescribeLogGroupsPaginator(client, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: aws.String("/dealer/" + x.Name + "/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if x.troubled(id, "logs:DescribeLogGroups", err) {
			return
		}
		for _, g := range page.LogGroups {
			kept[aws.ToString(g.LogGroupName)] = g.RetentionInDays == nil
		}
	}
	var faults []string
	names := x.logical("LogGroup")
	for _, name := range names {
		group := x.Resources[name]
		forever, there := kept[group]
		switch {
		case !there:
			faults = append(faults, group+" is gone")
		case forever:
			faults = append(faults, group+" is kept for ever")
		}
	}
	if len(names) == 0 {
		faults = append(faults, fmt.Sprintf("the stack %s has no log groups", x.Name))
	}
	x.judge(id, Warn, faults, "%d log groups", len(names))
}

func lastPart(url string) string { return url[strings.LastIndex(url, "/")+1:] }
