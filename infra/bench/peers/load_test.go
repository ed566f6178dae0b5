package peers

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mostRequests ends a measurement early.
const mostRequests = 500_000

// rate is how many answers a second come when so many callers ask, each the
// questions in turn over connections that stay open. A quarter of the span
// warms up before it counts.
func rate(t *testing.T, span time.Duration, callers int, to asker) float64 {
	t.Helper()
	load(t, span/4, callers, to)
	began := time.Now()
	answers := load(t, span, callers, to)
	return float64(answers) / time.Since(began).Seconds()
}

func load(t *testing.T, span time.Duration, callers int, to asker) int64 {
	t.Helper()
	var asked, answered atomic.Int64
	var failure atomic.Pointer[error]
	var all sync.WaitGroup
	end := time.Now().Add(span)
	for range callers {
		all.Go(func() {
			for failure.Load() == nil && time.Now().Before(end) {
				n := asked.Add(1)
				if n > mostRequests {
					return
				}
				text, err := to(questions[int(n)%len(questions)])
				if err == nil && !strings.Contains(string(text), `"inventory.search.response"`) {
					err = fmt.Errorf("no search answer: %.300s", text)
				}
				if err != nil {
					failure.Store(&err)
					return
				}
				answered.Add(1)
			}
		})
	}
	all.Wait()
	if err := failure.Load(); err != nil {
		t.Fatal(*err)
	}
	return answered.Load()
}

// overHTTP asks a server.
func overHTTP(url string) asker {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return func(question string) ([]byte, error) {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(envelope(question)))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("A2A-Version", "1.0")
		r.Header.Set("A2A-Extensions", aap.Primary().ExtensionURI)
		res, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %.300s", res.StatusCode, text)
		}
		return text, err
	}
}
