package cloud_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// meter asks for the consumed capacity of every request and adds it up.
type meter struct {
	mu            sync.Mutex
	reads, writes float64
}

// reset begins anew.
func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads, m.writes = 0, 0
}

func (m *meter) Do(r *http.Request) (*http.Response, error) {
	var ask map[string]json.RawMessage
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &ask)
	}
	if err != nil {
		return nil, err
	}
	ask["ReturnConsumedCapacity"] = json.RawMessage(`"TOTAL"`)
	if body, err = json.Marshal(ask); err != nil {
		return nil, err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	type consumed struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity consumed }
	var many struct{ ConsumedCapacity []consumed }
	if json.Unmarshal(body, &one) == nil {
		many.ConsumedCapacity = []consumed{one.ConsumedCapacity}
	} else if err := json.Unmarshal(body, &many); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range many.ConsumedCapacity {
		if ask["Item"] != nil || ask["RequestItems"] != nil && bytes.Contains(ask["RequestItems"], []byte(`Request"`)) {
			m.writes += c.CapacityUnits
		} else {
			m.reads += c.CapacityUnits
		}
	}
	return res, nil
}

func TestMarkingOneCarSoldWritesAFewUnits(t *testing.T) {
	const cars = 2000
	m := &meter{}
	client := dynamodb.NewFromConfig(cloudtest.Config(cloudtest.Dynalite(t)), func(o *dynamodb.Options) {
		o.HTTPClient, o.DisableValidateResponseChecksum = m, true
	})
	table := cloudtest.Table(t, client)
	store := cloud.NewInventory(client, table)
	now := epoch
	store.SetClock(func() time.Time { return now })
	m.reset()
	if _, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(cars, "")); err != nil {
		t.Fatal(err)
	}
	whole := m.writes
	desk := inventory.Desk{Store: store, Now: func() time.Time { return now }}
	profile := &dealer.Profile{ID: "seabright"}
	most, all := 0.0, 0.0
	for n := range 150 {
		now = now.Add(time.Hour)
		m.reset()
		if _, err := desk.Carry(t.Context(), profile, inventory.Order{ID: fmt.Sprint("S", n*13), Do: inventory.MarkSold}); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Logf("%d cars: the import writes %.0f units; the first order writes %.0f and reads %.0f", cars, whole, m.writes, m.reads)
			if m.writes > 8 {
				t.Errorf("one car of %d costs %.0f write units, all of them %.0f", cars, m.writes, whole)
			}
		}
		most, all = max(most, m.writes), all+m.writes
	}
	t.Logf("150 orders write %.0f units, at most %.0f at once", all, most)
	if all > 150*30 {
		t.Errorf("150 orders write %.0f units", all)
	}
	m.reset()
	for n, want := range map[int]inventory.State{0: inventory.Sold, 13 * 149: inventory.Sold, 1: inventory.Available} {
		if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: fmt.Sprint("s-", n)}); err != nil || v.State != want {
			t.Errorf("car %d is %s, %v; want %s", n, v.State, err, want)
		}
	}
	head, err := store.Head(t.Context(), "seabright")
	if err != nil || head.Listed != cars-150 || head.Kept != cars {
		t.Errorf("head %+v, %v", head, err)
	}
	units, err := store.Snapshot(t.Context(), "seabright", head)
	sold := 0
	for i, v := range units {
		if v.State == inventory.Sold {
			sold++
		}
		if i > 0 && units[i-1].Key >= v.Key {
			t.Fatalf("%s comes before %s", units[i-1].Key, v.Key)
		}
	}
	if err != nil || len(units) != cars || sold != 150 {
		t.Errorf("%d units, %d of them sold, %v", len(units), sold, err)
	}
	// What orders leave behind is swept: head, the blocks and shards in use and
	// the ones before, each with its entry, and at most two deltas.
	if left := items(t, client, table); len(left) > 40 {
		t.Errorf("%d items are left", len(left))
	}
}

func TestAnOrderThatIsCutShortShowsNothing(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	if _, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(20, "")); err != nil {
		t.Fatal(err)
	}
	desk, profile := inventory.Desk{Store: store, Now: time.Now}, &dealer.Profile{ID: "seabright"}
	w.cut["PutItem"] = true
	if _, err := desk.Carry(t.Context(), profile, inventory.Order{ID: "S3", Do: inventory.MarkSold}); err == nil {
		t.Fatal("an order without its delta succeeds")
	}
	w.cut["PutItem"] = false
	if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "S3"}); err != nil || v.State != inventory.Available {
		t.Errorf("%s, %v", v.State, err)
	}
	w.lose["PutItem"] = 1
	for range 2 { // the second replaces its own delta
		if v, err := desk.Carry(t.Context(), profile, inventory.Order{ID: "S3", Do: inventory.MarkSold}); err != nil || v.State != inventory.Sold {
			t.Errorf("%s, %v", v.State, err)
		}
	}
	if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "S3"}); err != nil || v.State != inventory.Sold {
		t.Errorf("%s, %v", v.State, err)
	}
}
