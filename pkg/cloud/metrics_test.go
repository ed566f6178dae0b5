package cloud_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// TestEachLineIsAMetricThatCloudWatchReads also says which metrics there are:
// dashboards and alarms name them.
func TestEachLineIsAMetricThatCloudWatchReads(t *testing.T) {
	var out bytes.Buffer
	m := cloud.NewMetrics(&out, "agent", func() time.Time { return time.UnixMilli(1781535600123) })
	m.Request("inventory.search", "ok", 1500*time.Microsecond)
	m.Request("", "RATE_LIMITED", time.Millisecond)
	m.IndexAge(90 * time.Minute)
	m.IndexLoaded(2000, 1_500_000, 30*time.Millisecond)
	m.Leads("received", 1)
	m.Leads(cloud.LeadQueuedLate, 7)
	m.LeadWaits(20 * time.Minute)
	m.LeadWaits(-time.Second)
	m.Feed(cloud.Feed{Result: "refused", Rows: 9, Listed: 5, Rejected: 3, Gone: 2, Took: time.Second})
	m.Published("published", 6, 250*time.Millisecond)
	got, lines := cloudtest.Points(t, out.String())
	in := func(dimensions, unit, name string, value float64) cloudtest.Point {
		return cloudtest.Point{Namespace: cloud.MetricsNamespace, Name: name, Unit: unit, Dimensions: strings.TrimSpace("Function=agent " + dimensions), Value: value}
	}
	want := []cloudtest.Point{
		in("Result=ok Skill=inventory.search", "Count", "Requests", 1), in("Skill=inventory.search", "Milliseconds", "Latency", 1.5),
		in("Result=RATE_LIMITED Skill=none", "Count", "Requests", 1), in("Skill=none", "Milliseconds", "Latency", 1),
		in("", "Seconds", "IndexAge", 5400),
		in("", "Count", "IndexVehicles", 2000), in("", "Bytes", "IndexSize", 1.5e6), in("", "Milliseconds", "IndexLoad", 30),
		in("State=received", "Count", "Leads", 1), in("State=queued_late", "Count", "Leads", 7),
		in("", "Seconds", "UndeliveredLeadAge", 1200), in("", "Seconds", "UndeliveredLeadAge", 0),
		in("Result=refused", "Count", "Feeds", 1), in("", "Count", "FeedRefused", 1), in("", "Count", "FeedRows", 9), in("", "Count", "FeedListed", 5),
		in("", "Count", "FeedRejected", 3), in("", "Count", "FeedGone", 2), in("", "Milliseconds", "FeedDuration", 1000),
		in("Result=published", "Count", "Publications", 1), in("", "Count", "PublishedFiles", 6), in("", "Milliseconds", "PublishDuration", 250),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, line := range lines {
		if !strings.Contains(line, `"Timestamp":1781535600123`) {
			t.Errorf("another time: %s", line)
		}
	}
}

func TestNoCallersWordBecomesADimension(t *testing.T) {
	var out bytes.Buffer
	m := cloud.NewMetrics(&out, "agent", time.Now)
	for _, hostile := range []string{"maxine@example.com", "Maxine Quillfeather", strings.Repeat("a", 41), "+18315550188", "x\ny", `"`} {
		m.Request(hostile, hostile, 0)
		m.Leads(hostile, 1)
	}
	points, _ := cloudtest.Points(t, out.String())
	if len(points) != 18 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if strings.Contains(strings.NewReplacer("Function=agent", "", "Skill=other", "", "Result=other", "", "State=other", "").Replace(p.Dimensions), "=") {
			t.Errorf("%+v", p)
		}
	}
}
