package machine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// noon is the fixture's clock.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// door is a running agent seen from outside.
type door struct {
	url    string
	outbox string
	client *http.Client
}

// open runs the fixture dealer until the test ends, with edits made to its
// profile text, and waits until the inventory is there.
func open(t *testing.T, edits ...func(profile string) string) *door {
	t.Helper()
	dir := t.TempDir()
	profile := readFile(t, "testdata/dealer.yaml")
	for _, edit := range edits {
		profile = edit(profile)
	}
	writeFile(t, filepath.Join(dir, "dealer.yaml"), profile)
	writeFile(t, filepath.Join(dir, "feed.json"), readFile(t, "testdata/feed.json"))
	if err := os.Chtimes(filepath.Join(dir, "feed.json"), noon, noon); err != nil {
		t.Fatal(err)
	}
	d, stop := serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: filepath.Join(dir, "feed.json"),
		Data: filepath.Join(dir, "data"), Outbox: filepath.Join(dir, "outbox"), Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(testLog{t}, nil)),
	})
	t.Cleanup(stop)
	eventually(t, "the inventory is imported", func() bool {
		return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == 5
	})
	return d
}

// serve starts one machine; stop ends it and waits for its clean end.
func serve(t *testing.T, config machine.Config) (*door, func()) {
	t.Helper()
	m, err := machine.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	var once atomic.Bool
	return &door{url: m.URL(), outbox: config.Outbox, client: &http.Client{Timeout: 10 * time.Second}}, func() {
		if once.Swap(true) {
			return
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v, want a clean stop", err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

// answer is one HTTP answer, decoded as JSON-RPC where it is that.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
	rpc    struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  struct {
			Message struct {
				MessageID string `json:"messageId"`
				ContextID string `json:"contextId"`
				Role      string `json:"role"`
				Parts     []struct {
					Data      json.RawMessage `json:"data"`
					MediaType string          `json:"mediaType"`
				} `json:"parts"`
			} `json:"message"`
		} `json:"result"`
		Error *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	fault struct {
		Type      string `json:"type"`
		ErrorID   string `json:"error_id"`
		Code      string `json:"code"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
		Details   struct {
			Errors []struct {
				InstanceLocation string `json:"instanceLocation"`
				Keyword          string `json:"keyword"`
				Error            string `json:"error"`
			} `json:"errors"`
			Missing       string `json:"missing"`
			ExpectedScope string `json:"expected_scope"`
			RetryAfterMS  int    `json:"retry_after_ms"`
		} `json:"details"`
	}
	payload struct {
		Type    string         `json:"type"`
		Data    map[string]any `json:"data"`
		Message string         `json:"message"`
	}
}

// post sends a raw body to /a2a.
func (d *door) post(t *testing.T, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, d.url+"/a2a", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{t: t, status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	if len(a.body) == 0 {
		return a
	}
	if err := json.Unmarshal(a.body, &a.rpc); err != nil {
		t.Fatalf("answer is not JSON: %v\n%s", err, a.body)
	}
	if a.rpc.Error != nil && bytes.HasPrefix(a.rpc.Error.Data, []byte("{")) {
		if err := json.Unmarshal(a.rpc.Error.Data, &a.fault); err != nil {
			t.Fatalf("error.data: %v", err)
		}
	}
	if parts := a.rpc.Result.Message.Parts; len(parts) == 1 {
		if err := json.Unmarshal(parts[0].Data, &a.payload); err != nil {
			t.Fatalf("payload: %v", err)
		}
	}
	return a
}

// envelope puts DataParts into a SendMessage request with the id 7.
func envelope(parts string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"buyer-1","role":"ROLE_USER","parts":[` + parts + `]}}}`
}

// skill sends one payload as a buyer would.
func (d *door) skill(t *testing.T, payload string, header ...string) answer {
	t.Helper()
	return d.post(t, envelope(`{"data":`+payload+`}`), header...)
}

func (a answer) number(name string) int {
	n, ok := a.payload.Data[name].(float64)
	if !ok {
		return -1
	}
	return int(n)
}

// cars names the vehicles of a search answer by the last letter of their
// vehicle_id, in order.
func (a answer) cars() string {
	a.t.Helper()
	list, ok := a.payload.Data["vehicles"].([]any)
	if !ok {
		a.t.Fatalf("no vehicles in %s", a.body)
	}
	var names []string
	for _, v := range list {
		id, _ := v.(map[string]any)["vehicle_id"].(string)
		names = append(names, strings.ToUpper(strings.TrimPrefix(id, "v-")))
	}
	return strings.Join(names, " ")
}

// faults writes details.errors as "pointer keyword" pairs.
func (a answer) faults() string {
	var list []string
	for _, e := range a.fault.Details.Errors {
		list = append(list, e.InstanceLocation+" "+e.Keyword)
	}
	return strings.Join(list, ", ")
}

// summary is what the tables compare: "ok" or number, code and faults.
func (a answer) summary() string {
	if a.rpc.Error == nil {
		return "ok"
	}
	s := fmt.Sprint(a.rpc.Error.Code)
	if a.fault.Code != "" {
		s += " " + a.fault.Code
	}
	if f := a.faults(); f != "" {
		s += " " + f
	}
	return s
}

func (a answer) want(summary string) {
	a.t.Helper()
	if got := a.summary(); got != summary {
		a.t.Errorf("got  %s\nwant %s\n%s", got, summary, a.body)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, name, body string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

// testLog shows the agent's log with the test that caused it.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	// The machine may log after the test body ended; its Cleanup waits for it.
	l.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}
