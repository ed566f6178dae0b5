package functions_test

import (
	"os"
	"os/exec"
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

// BenchmarkAgentStart compares the time from process start to the first request for
// an event with that of a function that does nothing. The agent may take 22 ms more.
func BenchmarkAgentStart(b *testing.B) {
	env := []string{
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"DEALER_INVENTORY_TABLE=i", "DEALER_LEADS_TABLE=l", "DEALER_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/1/q", "DEALER_PROFILE_BUCKET=p", "DEALER_FEED_BUCKET=f",
	}
	empty, agent := lambdatest.Build(b, "../pkg/cloud/lambdatest/testdata/bare"), lambdatest.Build(b, "./agent")
	var none, ours []time.Duration
	for b.Loop() {
		none = append(none, start(b, empty, env))
		ours = append(ours, start(b, agent, env))
	}
	b.ReportMetric(float64(median(none).Microseconds())/1000, "bare-ms")
	b.ReportMetric(float64(median(ours).Microseconds())/1000, "agent-ms")
	b.ReportMetric(float64((median(ours)-median(none)).Microseconds())/1000, "more-ms")
}

func start(b *testing.B, bootstrap string, env []string) time.Duration {
	f := lambdatest.Start(b, bootstrap, env...)
	f.Stop()
	return f.Init
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// TestTheBuyersDoorsForARM64StaySmall: 16 MB for the agent, and one more for
// the MCP library beside it.
func TestTheBuyersDoorsForARM64StaySmall(t *testing.T) {
	for function, most := range map[string]int64{"./agent": 16e6, "./mcp": 17e6} {
		if size := arm64Size(t, function); size > most {
			t.Errorf("%s: %d bytes", function, size)
		}
	}
}

// BenchmarkAgentBinary reports the size of what is deployed.
func BenchmarkAgentBinary(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(arm64Size(b, "./agent"))/1e6, "MB")
	}
}

func arm64Size(t testing.TB, function string) int64 {
	t.Helper()
	info, err := os.Stat(lambdatest.BuildFor(t, function, "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
