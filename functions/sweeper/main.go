// Command sweeper is the Lambda function that, on a schedule, queues the leads
// that were taken while the queue was out of reach.
package main

import (
	"context"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.Sweeper, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger := stack.Log()
	desk := &lead.Desk{Store: stack.Leads(), Queue: stack.Queue(), Log: logger}
	lambda.Start(stack.EachDealer(logger, cloud.Sweep(stack.Profiles(logger), desk, logger, stack.Metrics())))
}
