// Command agent is the Lambda function behind the buyers' door: A2A requests
// in API Gateway events.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/front"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func main() {
	handler, err := front.Open(context.Background(), cloud.Agent, os.LookupEnv, func(f *front.Front) http.Handler {
		a2aDoor := a2a.NewHandler(a2a.Config{
			Agent: f.Skills, Profiles: f.Profiles, Settings: agent.Settings{Log: f.Log, MostCallers: f.MostCallers},
			OnExchange: func(_ context.Context, e a2a.Exchange) { f.Metrics.Request(e.Skill, e.Result(), e.Duration) },
		})
		doors := http.NewServeMux()
		doors.Handle("/a2a", a2aDoor)
		doors.Handle("/a2a/", a2aDoor)
		doors.Handle("/.well-known/", wellknown.Handler(f.Profiles, f.Log))
		return doors
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(cloud.REST(handler))
}
