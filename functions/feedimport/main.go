// Command feedimport is the Lambda function that imports each inventory file
// put into the feed bucket.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/feed"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.FeedImport, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger := stack.Log()
	metrics := stack.Metrics()
	imports := &feeds.Events{
		Objects: stack.Objects(), ReportPrefix: stack.Settings.ReportPrefix, Log: logger, Dealer: stack.FeedOf(feeds.Prefix),
		Importer:  &feed.Importer{Store: stack.Inventory(), Profiles: stack.Profiles(logger), Now: time.Now},
		OnOutcome: func(o feeds.Outcome, took time.Duration) { metrics.Feed(o.Counts(took)) },
	}
	lambda.Start(imports.Handle)
}
