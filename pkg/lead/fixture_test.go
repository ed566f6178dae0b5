package lead_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

var noon = time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)

// document is a payload that tests change by JSON Pointer.
type document map[string]any

// baseLead is the smallest lead with both ways to reach the buyer.
func baseLead() document {
	return document{
		"type": "lead.submit.request",
		"customer": map[string]any{
			"first_name": "Maya", "last_name": "Ortiz", "email": "maya.ortiz@example.com",
			"phone": "+13035550142", "preferred_contact": "email",
		},
		"consent": map[string]any{
			"granted_at": "2026-06-10T11:58:30Z", "allowed_channels": []any{"email", "phone"},
			"consent_text": "Yes, the dealer may contact me about this car.", "scope": []any{"lead_submission"},
		},
		"source_agent": map[string]any{"name": "errand-agent"},
	}
}

// with sets the member at a pointer, making objects on the way.
func (d document) with(pointer string, value any) document {
	at, path := map[string]any(d), strings.Split(pointer[1:], "/")
	for _, name := range path[:len(path)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	at[path[len(path)-1]] = value
	return d
}

// without removes the member at a pointer.
func (d document) without(pointer string) document {
	at, path := map[string]any(d), strings.Split(pointer[1:], "/")
	for _, name := range path[:len(path)-1] {
		at = at[name].(map[string]any)
	}
	delete(at, path[len(path)-1])
	return d
}

func (d document) bytes() []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}

func profile() *dealer.Profile {
	return &dealer.Profile{
		ID: "harbor-motors", Name: "Harbor Motor Group",
		Rooftops: []dealer.Rooftop{
			{Name: "Harbor", Timezone: "America/Los_Angeles", Phones: []dealer.Contact{{Value: "+13605550101"}}},
			{Name: "Summit", Aliases: []string{"Summit Autos"}, Timezone: "America/Denver", Phones: []dealer.Contact{{Name: "Sales", Value: "+17195550177"}}},
			{Name: "Annex", Timezone: "America/Denver", Emails: []dealer.Contact{{Value: "annex@example.com"}}},
		},
	}
}

// The cars of the lot.
const (
	vinHarbor = "1HGBH41JXMN109186"
	vinSummit = "3FADP4EJ2FM124555"
	vinSold   = "1GCUYDED0LZ223344"
	vinGhost  = "2T1BURHE5JC987654"
)

// stock is the lot of the dealers given, with the cars above.
func stock(dealers ...string) *inventory.Lot {
	units := []inventory.Vehicle{
		car(inventory.Available, aap.Vehicle{VIN: vinHarbor, Stock: "H-7", VehicleID: "u1", Make: "Honda", Model: "Accord", Rooftop: "Harbor"}, 2021),
		car(inventory.Pending, aap.Vehicle{VIN: vinSummit, Stock: "S-3", VehicleID: "u2", Make: "Ford", Model: "Focus", Rooftop: "Summit"}, 2015),
		car(inventory.Sold, aap.Vehicle{VIN: vinSold, Stock: "S-9", VehicleID: "u3", Make: "Chevrolet", Model: "Silverado 1500", Rooftop: "Summit"}, 2020),
		car(inventory.InTransit, aap.Vehicle{VehicleID: "u4", Make: "Kia", Model: "EV6", Rooftop: "Annex"}, 2026),
	}
	slices.SortFunc(units, func(a, b inventory.Vehicle) int { return strings.Compare(a.Key, b.Key) })
	store := &inventorytest.Memory{}
	for _, id := range dealers {
		change := inventory.Change{Put: units, All: units, Vouched: map[string]time.Time{"Harbor": noon, "Summit": noon, "Annex": noon}}
		if _, err := store.Apply(context.Background(), id, inventory.Head{}, change); err != nil {
			panic(err)
		}
	}
	return inventory.NewLot(store, func() time.Time { return noon })
}

func car(state inventory.State, v aap.Vehicle, year aap.Int) inventory.Vehicle {
	v.Year = &year
	unit := inventory.Vehicle{Key: v.VIN + v.VehicleID, State: state, Listing: v}
	if !state.Listed() {
		unit.GoneAt = noon.Add(-24 * time.Hour)
	}
	return unit
}

// queue keeps what it is given, and fails while told to.
type queue struct {
	mu   sync.Mutex
	ids  []string
	down error
}

func (q *queue) Enqueue(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down != nil {
		return q.down
	}
	q.ids = append(q.ids, id)
	return nil
}

func (q *queue) queued() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string(nil), q.ids...)
}

func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.down = err
}

// counter is what a desk needs from a test: *testing.T, *testing.B and
// *rapid.T have it.
type counter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// shop is a desk with everything a test wants to look at.
type shop struct {
	*lead.Desk
	profile *dealer.Profile
	store   lead.Store
	queue   *queue
	clock   atomic.Int64
}

func open() *shop { return openOn(leadtest.NewMemory()) }

func openOn(store lead.Store) *shop {
	s := &shop{profile: profile(), store: store, queue: &queue{}}
	s.setClock(noon)
	var ids atomic.Int64
	s.Desk = &lead.Desk{
		Store: store, Queue: s.queue, Stock: stock(s.profile.ID),
		Now:   func() time.Time { return time.Unix(0, s.clock.Load()).UTC() },
		NewID: func() string { return fmt.Sprintf("id-%04d", ids.Add(1)) },
		Log:   slog.New(slog.NewJSONHandler(io.Discard, nil)),
	}
	return s
}

func (s *shop) setClock(t time.Time) { s.clock.Store(t.UnixNano()) }

func (s *shop) submit(payload []byte) (aap.Reply, error) {
	return s.Submit(context.Background(), s.profile, aap.V1_3, payload)
}

// taken is an answer as a buyer reads it.
type taken struct {
	aap.LeadResult
	message string
	raw     string
}

func (s *shop) accept(t counter, payload []byte) taken {
	t.Helper()
	reply, err := s.submit(payload)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return readReply(t, reply)
}

func readReply(t counter, reply aap.Reply) taken {
	t.Helper()
	raw, err := reply.Append(nil, aap.LeadSubmit)
	if err != nil {
		t.Fatalf("encoding the answer: %v", err)
	}
	var body struct {
		Data    aap.LeadResult `json:"data"`
		Message string         `json:"message"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatalf("decoding the answer: %v", err)
	}
	if body.Message == "" || len([]rune(body.Message)) > 2000 {
		t.Fatalf("message has %d characters", len([]rune(body.Message)))
	}
	return taken{body.Data, body.Message, string(raw)}
}

func (s *shop) refuse(t counter, payload []byte, code aap.Code) *aap.Error {
	t.Helper()
	reply, err := s.submit(payload)
	e, ok := errors.AsType[*aap.Error](err)
	if !ok {
		t.Fatalf("got %v, %v; want %s", reply, err, code)
	}
	if e.Code != code {
		t.Fatalf("code is %s (%s), want %s", e.Code, e.Message, code)
	}
	return e
}

// leads lists what is stored.
func (s *shop) leads(t counter) []lead.Record {
	t.Helper()
	all, err := s.store.List(context.Background(), s.profile.ID, noon.AddDate(10, 0, 0), 1000, noon)
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	return all
}

func (s *shop) outbox(t counter) []string {
	t.Helper()
	ids, err := s.store.Outbox(context.Background(), s.profile.ID, noon.AddDate(10, 0, 0), 1000)
	if err != nil {
		t.Fatalf("Outbox: %v", err)
	}
	return ids
}

func violations(t *testing.T, e *aap.Error) []aap.Violation {
	t.Helper()
	faults, ok := e.Details["errors"].([]aap.Violation)
	if !ok {
		t.Fatalf("details.errors is %T", e.Details["errors"])
	}
	return faults
}
