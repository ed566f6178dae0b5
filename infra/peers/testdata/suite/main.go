// Command suite is the function functions/mcp with the fixtures of the official
// conformance suite behind the same doors.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/infra/peers/suitetest"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/front"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

func main() {
	handler, err := front.Open(context.Background(), cloud.MCP, os.LookupEnv, func(f *front.Front) http.Handler {
		return mcptools.NewHandler(mcptools.Config{
			Agent: f.Skills, Replay: f.Skills.Replay, Profiles: f.Profiles, Hosts: cloud.APIHosts(), Extend: suitetest.Add,
			Settings: agent.Settings{Log: f.Log},
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(cloud.REST(handler))
}
