// Command publish is the Lambda function that makes the published files of the
// dealer profile: when it changes, on a schedule, and with each deployment.
package main

import (
	"context"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.Publish, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(site.Handler(stack))
}
