package cloudtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Units are DynamoDB capacity units: a read is 4 KB read strongly consistent, a
// write 1 KB.
type Units struct{ Reads, Writes float64 }

// Meter adds up the capacity that requests consume, as the database tells it in
// each answer. It is for emulators that tell it truly, which Dynalite does.
// That one knows no transactions: the meter carries out their parts one by one
// and counts each twice, as AWS does, so nothing may write at the same time and
// no part's condition may fail.
type Meter struct {
	mu sync.Mutex
	Units
}

// Take returns what was consumed since it was last called.
func (m *Meter) Take() Units {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.Units
	m.Units = Units{}
	return u
}

// DynamoDB is a client of the emulator at endpoint whose requests are metered.
func (m *Meter) DynamoDB(endpoint string) *dynamodb.Client {
	return dynamodb.NewFromConfig(Config(endpoint), m.Attach)
}

// Attach meters a client.
func (m *Meter) Attach(o *dynamodb.Options) {
	o.HTTPClient, o.DisableValidateResponseChecksum = m, true
}

// Do carries out one request.
func (m *Meter) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	service, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if action != "TransactWriteItems" {
		res, units, err := consume(r, body)
		m.add(action, units)
		return res, err
	}
	var ask struct{ TransactItems []map[string]json.RawMessage }
	if err := json.Unmarshal(body, &ask); err != nil {
		return nil, err
	}
	for _, parts := range ask.TransactItems {
		for kind, part := range parts {
			if kind == "ConditionCheck" {
				kind = "Update" // without an expression: changes nothing, and is charged as the check is
			}
			r.Header.Set("X-Amz-Target", service+"."+kind+"Item")
			res, units, err := consume(r, part)
			if err != nil {
				return nil, err
			}
			if res.StatusCode != http.StatusOK {
				text, _ := io.ReadAll(res.Body)
				return nil, fmt.Errorf("a part of a transaction failed: %s", text)
			}
			m.add(action, 2*units)
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader("{}")), Request: r,
	}, nil
}

func (m *Meter) add(action string, units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch action {
	case "GetItem", "BatchGetItem", "Query", "Scan":
		m.Reads += max(1, units) // AWS charges a read that finds nothing, too
	default:
		m.Writes += units
	}
}

// consume sends the request with another body, asks for its capacity and
// returns it.
func consume(r *http.Request, body []byte) (*http.Response, float64, error) {
	var ask map[string]json.RawMessage
	if err := json.Unmarshal(body, &ask); err != nil {
		return nil, 0, err
	}
	ask["ReturnConsumedCapacity"] = json.RawMessage(`"TOTAL"`)
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, 0, err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		return nil, 0, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	type consumed struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity consumed }
	if json.Unmarshal(body, &one) == nil {
		return res, one.ConsumedCapacity.CapacityUnits, nil
	}
	var many struct{ ConsumedCapacity []consumed }
	if err := json.Unmarshal(body, &many); err != nil {
		return nil, 0, err
	}
	units := 0.0
	for _, c := range many.ConsumedCapacity {
		units += c.CapacityUnits
	}
	return res, units, nil
}
