package functions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// runAlone runs a bootstrap with an empty environment; it is to end by itself.
func runAlone(t *testing.T, bootstrap string) []byte {
	t.Helper()
	cmd := exec.Command(bootstrap)
	cmd.Env = []string{"AWS_REGION=us-east-1"}
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the function takes no settings for good settings")
	}
	return out
}

// bare is a Lambda function that does nothing.
const bare = `package main

import "github.com/aws/aws-lambda-go/lambda"

func main() { lambda.Start(func() error { return nil }) }
`

// BenchmarkAgentStart compares the time from process start to the first request for
// an event with that of a function that does nothing. The agent may take 22 ms more.
func BenchmarkAgentStart(b *testing.B) {
	dir := filepath.Join("testdata", "bare")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll("testdata") })
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(bare), 0o644); err != nil {
		b.Fatal(err)
	}
	env := []string{
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"DEALER_INVENTORY_TABLE=i", "DEALER_LEADS_TABLE=l", "DEALER_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/1/q", "DEALER_PROFILE_BUCKET=p",
	}
	empty, agent := lambdatest.Build(b, "./testdata/bare"), lambdatest.Build(b, "./agent")
	var none, ours []time.Duration
	for b.Loop() {
		b.Run("", func(b *testing.B) {
			none = append(none, lambdatest.Start(b, empty, env...).Init)
			ours = append(ours, lambdatest.Start(b, agent, env...).Init)
		})
	}
	b.ReportMetric(float64(median(none).Microseconds())/1000, "bare-ms")
	b.ReportMetric(float64(median(ours).Microseconds())/1000, "agent-ms")
	b.ReportMetric(float64((median(ours)-median(none)).Microseconds())/1000, "more-ms")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func TestTheAgentForARM64StaysUnder16MB(t *testing.T) {
	info, err := os.Stat(lambdatest.BuildFor(t, "./agent", "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() > 16e6 {
		t.Errorf("%d bytes", info.Size())
	}
}
