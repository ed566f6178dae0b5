package cloudtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Point is one number that CloudWatch takes out of a log.
type Point struct {
	Namespace, Name, Unit string
	// Dimensions are name=value, in the order of their names.
	Dimensions string
	Value      float64
}

// units are those of CloudWatch that this project may use (MetricDatum).
var units = []string{"Count", "Seconds", "Milliseconds", "Bytes"}

// Points reads a log as CloudWatch does: lines that are JSON with the member
// _aws. What CloudWatch would refuse or drop is an error of the test (embedded
// metric format specification). lines are the texts read.
func Points(t testing.TB, log string) (points []Point, lines []string) {
	t.Helper()
	for text := range strings.Lines(log) {
		var root map[string]any
		if json.Unmarshal([]byte(text), &root) != nil || root["_aws"] == nil {
			continue
		}
		lines = append(lines, text)
		var head struct {
			AWS struct {
				Timestamp         int64
				CloudWatchMetrics []struct {
					Namespace  string
					Dimensions [][]string
					Metrics    []struct{ Name, Unit string }
				}
			} `json:"_aws"`
		}
		if err := json.Unmarshal([]byte(text), &head); err != nil || head.AWS.Timestamp < 1e12 || len(head.AWS.CloudWatchMetrics) == 0 || len(text) > 256<<10 {
			t.Errorf("CloudWatch cannot read %s: %v", text, err)
		}
		named := map[string]bool{"_aws": true}
		for _, d := range head.AWS.CloudWatchMetrics {
			if d.Namespace == "" || len(d.Dimensions) == 0 || len(d.Metrics) == 0 || len(d.Metrics) > 100 {
				t.Errorf("CloudWatch drops a directive of %s", text)
			}
			for _, set := range d.Dimensions {
				told := make([]string, 0, len(set))
				for _, name := range set {
					value, ok := root[name].(string)
					if !ok || value == "" || len(value) > 1024 {
						t.Errorf("the dimension %s is no member with text in %s", name, text)
					}
					named[name] = true
					told = append(told, name+"="+value)
				}
				if len(set) > 30 {
					t.Errorf("%d dimensions in %s", len(set), text)
				}
				slices.Sort(told)
				for _, m := range d.Metrics {
					value, ok := root[m.Name].(float64)
					if !ok || !slices.Contains(units, m.Unit) {
						t.Errorf("the metric %s in %s is no number or has the unit %q: %s", m.Name, d.Namespace, m.Unit, text)
					}
					named[m.Name] = true
					points = append(points, Point{d.Namespace, m.Name, m.Unit, strings.Join(told, " "), value})
				}
			}
		}
		for name := range root {
			if !named[name] {
				t.Errorf("%s is neither metric nor dimension in %s", name, text)
			}
		}
	}
	return points, lines
}
