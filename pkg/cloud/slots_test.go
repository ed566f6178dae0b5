package cloud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// tomorrow is a slot of the dealer below.
var tomorrow = lead.Span{Start: epoch.Add(27 * time.Hour), End: epoch.Add(28 * time.Hour)}

func visiting(n, room int) lead.Entry {
	e := entry(n)
	e.Key, e.Equal, e.Poorer = nil, "", nil
	e.Booking = &lead.Booking{Claims: []lead.Claim{{Span: tomorrow, Room: room}}, Visit: lead.Visit{
		LeadID: e.Record.ID, Rooftop: "Harbor", Type: "test_drive", Span: tomorrow, Slots: []lead.Span{tomorrow},
		State: lead.Booked, ExpiresAt: e.Record.ExpiresAt, Version: 1,
	}}
	return e
}

func TestALostAnswerTakesOneSlotAndIsNoFullSlot(t *testing.T) {
	client, w := wired(cloudtest.Moto(t))
	leads := cloud.NewLeads(client, cloudtest.Table(t, client))
	w.lose["TransactWriteItems"] = 1
	if err := leads.Create(t.Context(), visiting(1, 1), epoch); err != nil {
		t.Fatalf("Create whose first answer was lost: %v", err)
	}
	if err := leads.Create(t.Context(), visiting(2, 1), epoch); !errors.Is(err, lead.ErrSlotTaken) {
		t.Fatalf("a second buyer: %v", err)
	}
	v, err := leads.Visit(t.Context(), "seabright", entry(1).Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	v.Span, v.Slots = lead.Span{Start: tomorrow.End, End: tomorrow.End.Add(time.Hour)}, nil
	v.Slots = []lead.Span{v.Span}
	w.lose["TransactWriteItems"] = 1
	moved, err := leads.UpdateVisit(t.Context(), "seabright", v, []lead.Claim{{Span: v.Span, Room: 1}}, epoch)
	if err != nil || moved.Version != 2 {
		t.Fatalf("a move whose first answer was lost: %+v, %v", moved, err)
	}
	slots, err := leads.Slots(t.Context(), "seabright", "Harbor", "test_drive", epoch, epoch.Add(48*time.Hour), epoch)
	if err != nil || len(slots) != 1 || !slots[0].Span.Equal(v.Span) || len(slots[0].Leads) != 1 {
		t.Fatalf("slots %v, %v", slots, err)
	}
}

// crowd answers transactions as DynamoDB does when others write the same
// items at the same moment: the given times, for the items chosen.
type crowd struct {
	mu     sync.Mutex
	times  int
	chosen func(write string) bool
	tries  int
}

func (c *crowd) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TransactWriteItems") {
		return http.DefaultClient.Do(r)
	}
	if c.tries++; c.tries > c.times {
		return http.DefaultClient.Do(r)
	}
	var sent struct{ TransactItems []json.RawMessage }
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	var reasons []string
	for _, write := range sent.TransactItems {
		code := `{"Code":"None"}`
		if c.chosen(string(write)) {
			code = `{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}`
		}
		reasons = append(reasons, code)
	}
	refusal := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled","CancellationReasons":[` + strings.Join(reasons, ",") + `]}`
	return &http.Response{StatusCode: 400, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(refusal)), Request: r}, nil
}

func crowded(t *testing.T, endpoint string, c *crowd) *cloud.Leads {
	t.Helper()
	plain := cloudtest.DynamoDB(endpoint)
	client := dynamodb.NewFromConfig(cloudtest.Config(endpoint), func(o *dynamodb.Options) {
		o.HTTPClient = c
		o.DisableValidateResponseChecksum = true
		o.RetryMaxAttempts = 1
	})
	return cloud.NewLeads(client, cloudtest.Table(t, plain))
}

func TestACrowdAtASlotIsWaitedForAndThenLeftToTheOthers(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	slot := func(write string) bool { return strings.Contains(write, "#slots#") }
	passing := &crowd{times: 3, chosen: slot}
	if err := crowded(t, endpoint, passing).Create(t.Context(), visiting(1, 1), epoch); err != nil || passing.tries != 4 {
		t.Errorf("after %d tries: %v", passing.tries, err)
	}
	lasting := &crowd{times: 1000, chosen: slot}
	leads := crowded(t, endpoint, lasting)
	begun := time.Now()
	if err := leads.Create(t.Context(), visiting(1, 1), epoch); !errors.Is(err, lead.ErrSlotTaken) || lasting.tries > 6 || time.Since(begun) > 5*time.Second {
		t.Errorf("after %d tries and %s: %v, want ErrSlotTaken", lasting.tries, time.Since(begun), err)
	}
	if _, err := leads.Load(t.Context(), "seabright", entry(1).Record.ID, epoch); !errors.Is(err, lead.ErrNotFound) {
		t.Errorf("a lead without its slot is stored: %v", err)
	}
	// Others at the lead's own items say nothing about the slot.
	all := &crowd{times: 2, chosen: func(string) bool { return true }}
	if err := crowded(t, endpoint, all).Create(t.Context(), visiting(1, 1), epoch); err != nil {
		t.Errorf("after %d tries: %v", all.tries, err)
	}
}

type anyQueue struct{}

func (anyQueue) Enqueue(context.Context, string) error { return nil }

// The whole way from the request on: a crowd gets the slots there are, and
// whoever comes late, or finds them crowded, is offered others.
func TestABuyerAmongManyOnDynamoDBIsNeverToldOfAFault(t *testing.T) {
	p, err := dealer.Parse([]byte(`id: seabright
name: Seabright
rooftops:
  - name: Harbor
    timezone: UTC
    phones: [{value: "+13605550101"}]
    hours: [{days: {monday: "08:00-18:00", tuesday: "08:00-18:00", wednesday: "08:00-18:00", thursday: "08:00-18:00", friday: "08:00-18:00", saturday: "08:00-18:00"}}]
delivery: [{name: outbox, type: file, folder: outbox}]
leads: {appointments: {test_drive: {mode: auto, slot: 1h, capacity: 3}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := cloudtest.Moto(t)
	for name, c := range map[string]struct {
		crowd     *crowd
		confirmed int
	}{
		"a quiet table":     {&crowd{}, 3},
		"a slot for nobody": {&crowd{times: 1000, chosen: func(write string) bool { return strings.Contains(write, "#slots#") }}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			desk := &lead.Desk{Store: crowded(t, endpoint, c.crowd), Queue: anyQueue{}, Now: func() time.Time { return epoch }}
			buyers := 30
			if c.confirmed == 0 {
				buyers = 2
			}
			said := make([]string, buyers)
			var wg sync.WaitGroup
			for n := range said {
				wg.Go(func() {
					reply, err := desk.Submit(t.Context(), p, aap.Primary(), []byte(fmt.Sprintf(`{"type":"lead.submit.request",
						"customer":{"first_name":"A","last_name":"B","email":"buyer-%d@example.com"},
						"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},
						"source_agent":{"name":"x"},"appointment":{"appointment_type":"test_drive","appointment_at":"2026-05-02T10:00:00Z"}}`, n)))
					if err != nil {
						t.Errorf("buyer %d: %v", n, err)
						return
					}
					body, err := reply.Append(nil, aap.LeadSubmit)
					if err != nil {
						t.Error(err)
					}
					said[n] = string(body)
				})
			}
			wg.Wait()
			all := strings.Join(said, "\n")
			if got := strings.Count(all, `"confirmed"`); got != c.confirmed || strings.Count(all, `"proposed"`) != buyers-c.confirmed {
				t.Errorf("%d confirmed, want %d, and the others proposed:\n%s", got, c.confirmed, all)
			}
		})
	}
}

// TestASlotThatIsLongOverLeavesNothingForEver: a late change or erasure frees a
// slot that the table has forgotten.
func TestASlotThatIsLongOverLeavesNothingForEver(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Moto(t))
	table := cloudtest.Table(t, client)
	leads := cloud.NewLeads(client, table)
	if err := leads.Create(t.Context(), visiting(1, 1), epoch); err != nil {
		t.Fatal(err)
	}
	for _, i := range items(t, client, table) {
		if _, slot := i["leads"]; !slot {
			continue
		}
		key := map[string]types.AttributeValue{"pk": i["pk"], "sk": i["sk"]}
		if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	v, err := leads.Visit(t.Context(), "seabright", entry(1).Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	v.State, v.Slots = lead.Cancelled, nil
	if _, err := leads.UpdateVisit(t.Context(), "seabright", v, nil, epoch); err != nil {
		t.Fatal(err)
	}
	for _, i := range items(t, client, table) {
		if _, ends := i["expires"]; !ends {
			t.Errorf("%v never expires", i)
		}
	}
}
