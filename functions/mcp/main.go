// Command mcp is the Lambda function that offers the skills as MCP tools:
// requests to /mcp in API Gateway events.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/front"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

func main() {
	handler, err := front.Open(context.Background(), cloud.MCP, os.LookupEnv, func(f *front.Front) http.Handler {
		return mcptools.NewHandler(mcptools.Config{
			Agent: f.Skills, Replay: f.Skills.Replay, Profiles: f.Profiles, Hosts: cloud.APIHosts(),
			OnExchange: func(_ context.Context, e mcptools.Exchange) { f.Metrics.Request(e.Skill, e.Result(), e.Duration) },
			Asking:     mcptools.Asking{Key: f.Settings.FormKey}, Settings: agent.Settings{Log: f.Log, MostCallers: f.MostCallers},
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(cloud.REST(handler))
}
