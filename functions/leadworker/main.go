// Command leadworker is the Lambda function that takes lead ids from the queue
// and hands the leads over to the dealer's systems.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.LeadWorker, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger, leads, metrics := stack.Log(), stack.Leads(), stack.Metrics()
	profiles := stack.Profiles(logger)
	handle := cloud.PerDealer(stack, func() *crm.Worker {
		w := &crm.Worker{Leads: leads, Profiles: profiles, Log: logger, Lease: 30 * time.Second}
		w.Transports = map[string]crm.Opener{dealer.TargetFile: noFolder}
		targets.Count(w, metrics)
		targets.Equip(w, stack.Config(), stack.Settings.Secrets()...)
		return w
	})
	deliverer := &cloud.Deliverer{Queue: stack.Queue(), Handle: handle, Log: logger, Admit: stack.Admit()}
	lambda.Start(deliverer.Deliver)
}

// noFolder keeps the lead queued until the profile names another target.
func noFolder(dealer.Target, crm.Setup) (crm.Transport, error) {
	return nil, &crm.Failure{Reason: "a target of type file cannot work on AWS: use https, ses, s3 or smtp in the profile"}
}
