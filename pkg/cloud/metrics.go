package cloud

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// MetricsNamespace holds the metrics of every stack; the function's name tells
// them apart.
const MetricsNamespace = "DealerAgent"

// Metrics writes numbers as lines of CloudWatch's embedded metric format, which
// CloudWatch reads out of a function's log. Its words are names of functions,
// skills and results: nothing that a caller wrote.
type Metrics struct {
	mu       sync.Mutex
	w        io.Writer
	function string
	now      func() time.Time
}

// NewMetrics writes for the function of that name.
func NewMetrics(w io.Writer, function string, now func() time.Time) *Metrics {
	return &Metrics{w: w, function: function, now: now}
}

type metric struct {
	Name string
	Unit string
}

type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []metric
}

type about struct {
	Timestamp         int64 // milliseconds since 1970
	CloudWatchMetrics []directive
}

// Request counts one call of a skill, by result, and its duration by skill. A
// call of none is counted as "none".
func (m *Metrics) Request(skill, result string, took time.Duration) {
	if skill == "" {
		skill = "none"
	}
	line, err := json.Marshal(map[string]any{
		"_aws": about{m.now().UnixMilli(), []directive{
			{MetricsNamespace, [][]string{{"Function", "Skill", "Result"}}, []metric{{"Requests", "Count"}}},
			{MetricsNamespace, [][]string{{"Function", "Skill"}}, []metric{{"Latency", "Milliseconds"}}},
		}},
		"Function": m.function, "Skill": skill, "Result": result,
		"Requests": 1, "Latency": float64(took) / float64(time.Millisecond),
	})
	if err != nil {
		return // numbers and names always can be written
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.w.Write(append(line, '\n')) // a log that is full must not stop an answer
}
