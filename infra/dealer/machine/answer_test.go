package machine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

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
	holdToContract(t, a)
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
