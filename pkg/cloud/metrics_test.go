package cloud_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// TestEachLineIsAMetricThatCloudWatchReads: every dimension and metric that the
// directive names is a member of the line, of the kind it must have (CloudWatch
// embedded metric format).
func TestEachLineIsAMetricThatCloudWatchReads(t *testing.T) {
	var out bytes.Buffer
	m := cloud.NewMetrics(&out, "agent", func() time.Time { return time.UnixMilli(1781535600123) })
	m.Request("inventory.search", "ok", 1500*time.Microsecond)
	m.Request("", "RATE_LIMITED", time.Millisecond)
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("%s", out.Bytes())
	}
	for n, want := range []map[string]any{
		{"Function": "agent", "Skill": "inventory.search", "Result": "ok", "Requests": 1.0, "Latency": 1.5},
		{"Function": "agent", "Skill": "none", "Result": "RATE_LIMITED", "Requests": 1.0, "Latency": 1.0},
	} {
		var line map[string]any
		if err := json.Unmarshal(lines[n], &line); err != nil {
			t.Fatal(err)
		}
		var told struct {
			AWS struct {
				Timestamp         int64
				CloudWatchMetrics []struct {
					Namespace  string
					Dimensions [][]string
					Metrics    []struct{ Name, Unit string }
				}
			} `json:"_aws"`
		}
		if err := json.Unmarshal(lines[n], &told); err != nil || told.AWS.Timestamp != 1781535600123 || len(told.AWS.CloudWatchMetrics) != 2 {
			t.Fatalf("%s: %v", lines[n], err)
		}
		for _, d := range told.AWS.CloudWatchMetrics {
			for _, name := range slices.Concat(d.Dimensions...) {
				if text, ok := line[name].(string); !ok || text == "" {
					t.Errorf("dimension %s is %v", name, line[name])
				}
			}
			for _, metric := range d.Metrics {
				if _, ok := line[metric.Name].(float64); !ok || d.Namespace != cloud.MetricsNamespace {
					t.Errorf("%s %s is %v", d.Namespace, metric.Name, line[metric.Name])
				}
			}
		}
		delete(line, "_aws")
		for name, value := range want {
			if line[name] != value {
				t.Errorf("%s is %v, want %v", name, line[name], value)
			}
		}
		if len(line) != len(want) {
			t.Errorf("the line tells more: %v", line)
		}
	}
}
