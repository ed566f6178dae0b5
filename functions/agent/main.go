// Command agent is the Lambda function behind the buyers' door: A2A requests
// in API Gateway events.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.Agent, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger := stack.Log()
	profiles := stack.Profiles(logger)
	lot := inventory.NewLot(stack.Inventory(), time.Now)
	desk := &lead.Desk{Store: stack.Leads(), Queue: stack.Queue(), Stock: lot, Log: logger}
	skills := agent.New(agent.Parts{Profiles: profiles, Schemas: schema.Released(), Lot: lot, Desk: desk})

	doors := http.NewServeMux()
	front := a2a.NewHandler(a2a.Config{Agent: skills, Profiles: profiles, Log: logger})
	doors.Handle("/a2a", front)
	doors.Handle("/a2a/", front)
	doors.Handle("/.well-known/", wellknown.Handler(profiles, logger))
	lambda.Start(cloud.REST(cloud.Swept(doors, profiles, desk, logger)))
}
