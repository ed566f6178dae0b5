// Command feedimport is the Lambda function that imports each inventory file
// put into the feed bucket, and on a schedule fetches those of the profile.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.FeedImport, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger := stack.Log()
	metrics := stack.Metrics()
	imports := &feeds.Events{
		Objects: stack.Objects(), ReportPrefix: stack.Settings.ReportPrefix, Log: logger, Dealer: stack.FeedOf(cloud.FeedPrefix),
		Importer:  &feed.Importer{Store: stack.Inventory(), Profiles: stack.Profiles(logger), Now: time.Now},
		OnOutcome: func(o feeds.Outcome, took time.Duration) { metrics.Feed(o.Counts(took)) },
	}
	picker := &pickup.Picker{
		Profiles: stack.Profiles(logger), States: stack.Pickups(), Depot: feeds.Shelf{Events: imports, Bucket: stack.Settings.FeedBucket},
		Secrets: targets.NewDirect(stack.Config()), Now: time.Now, Log: logger,
	}
	lambda.Start(feeds.Handler(imports, stack.EachDealer(logger, picker.Turn)))
}
