package cloud

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// MetricsNamespace holds the metrics of every stack; the function's name tells
// them apart.
const MetricsNamespace = "DealerAgent"

// Metrics writes numbers as lines of CloudWatch's embedded metric format, which
// CloudWatch reads out of a function's log. Its words are names of functions,
// skills, states and results: nothing that a caller wrote, and so few that the
// number of metrics has a bound.
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

// Metrics writes to the log of the function that runs.
func (s *Stack) Metrics() *Metrics {
	return NewMetrics(os.Stderr, lambdacontext.FunctionName, time.Now)
}

// unit is one of CloudWatch's.
type unit string

const (
	inCount   unit = "Count"
	inSeconds unit = "Seconds"
	inMillis  unit = "Milliseconds"
	inBytes   unit = "Bytes"
)

// reading is one number of a metric.
type reading struct {
	name  string
	unit  unit
	value float64
}

// family are readings that are counted by the same words, besides the function.
type family struct {
	by       []string
	readings []reading
}

type metric struct {
	Name string
	Unit unit
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

// word is what a dimension may hold: ids of skills, codes and states.
var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]{0,39}$`)

// put writes one line. A word of another shape becomes "other".
func (m *Metrics) put(words map[string]string, families ...family) {
	line := map[string]any{"Function": m.function}
	for name, value := range words {
		if !word.MatchString(value) {
			value = "other"
		}
		line[name] = value
	}
	a := about{Timestamp: m.now().UnixMilli()}
	for _, f := range families {
		d := directive{Namespace: MetricsNamespace, Dimensions: [][]string{append([]string{"Function"}, f.by...)}}
		for _, r := range f.readings {
			d.Metrics = append(d.Metrics, metric{r.name, r.unit})
			line[r.name] = r.value
		}
		a.CloudWatchMetrics = append(a.CloudWatchMetrics, d)
	}
	line["_aws"] = a
	raw, err := json.Marshal(line)
	if err != nil {
		return // numbers and names always can be written
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.w.Write(append(raw, '\n')) // a log that is full must not stop an answer
}

func secs(d time.Duration) float64   { return max(d.Seconds(), 0) }
func millis(d time.Duration) float64 { return float64(max(d, 0)) / float64(time.Millisecond) }
