// Command mcp is the Lambda function that offers the skills as MCP tools:
// requests to /mcp in API Gateway events.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/mcptools"
	"github.com/dealer-agent/dealer/pkg/schema"
)

func main() {
	stack, err := cloud.Open(context.Background(), cloud.MCP, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	logger := stack.Log()
	profiles := stack.Profiles(logger)
	lot := inventory.NewLot(stack.Inventory(), time.Now)
	desk := &lead.Desk{Store: stack.Leads(), Queue: stack.Queue(), Stock: lot, Log: logger}
	skills := agent.New(agent.Parts{Profiles: profiles, Schemas: schema.Released(), Lot: lot, Desk: desk})
	tools := mcptools.NewHandler(mcptools.Config{
		Agent: skills, Replay: skills.Replay, Profiles: profiles, Hosts: cloud.APIHosts(), Log: logger,
	})
	lambda.Start(cloud.REST(cloud.Swept(tools, profiles, desk, logger)))
}
