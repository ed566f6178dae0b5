// Package cost measures what one request and one import cost in DynamoDB, works
// out a month from that, and holds infra/README.md to both.
package cost

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/infra/sample/lot"
	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// What is measured, in the order of the table.
const (
	searchWarm  = "`inventory.search`, warm"
	searchCold  = "`inventory.search`, first of an instance"
	searchAfter = "`inventory.search`, warm, first after a car was sold"
	facetsWarm  = "`inventory.facets`, warm"
	facetsCold  = "`inventory.facets`, first of an instance"
	vehicleWarm = "`inventory.vehicle`, warm"
	vehicleCold = "`inventory.vehicle`, first of an instance"
	leadTaken   = "`lead.submit` about a car, warm"
	leadCold    = "`lead.submit` about a car, first of an instance"
	leadHanded  = "handing that lead over (worker)"
	leadSwept   = "a look for leads left behind (sweeper)"
	importFirst = "import, the first"
	importSame  = "import, unchanged"
	importSome  = "import, 2 % of the cars changed, mean"
	carSold     = "one car marked sold, mean"
)

var measured = []string{
	searchWarm, searchCold, searchAfter, facetsWarm, facetsCold, vehicleWarm, vehicleCold, leadTaken, leadCold, leadHanded, leadSwept,
	importFirst, importSame, importSome, carSold,
}

var sizes = []int{200, 2_000, 20_000}

// stack is one dealer on an emulated DynamoDB whose requests are metered.
type stack struct {
	*testing.T
	cloudtest.Meter
	now              time.Time
	profile          *dealer.Profile
	endpoint         string
	inventory, leads string
	queued           []string
	// answered counts the bytes of the last answer.
	answered int
}

// Enqueue stands for SQS, which has no part in the units.
func (s *stack) Enqueue(_ context.Context, leadID string) error {
	s.queued = append(s.queued, leadID)
	return nil
}

func (s *stack) clock() time.Time { return s.now }

func newStack(t *testing.T) *stack {
	s := &stack{T: t, now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC), endpoint: cloudtest.Dynalite(t)}
	var err error
	if s.profile, err = dealer.Parse(sample.Profile()); err != nil {
		t.Fatal(err)
	}
	tables := cloudtest.DynamoDB(s.endpoint)
	s.inventory, s.leads = cloudtest.Table(t, tables), cloudtest.Table(t, tables)
	return s
}

// store is that of one process.
func (s *stack) store() *cloud.Inventory {
	store := cloud.NewInventory(s.DynamoDB(s.endpoint), s.inventory)
	store.SetClock(s.clock)
	return store
}

func (s *stack) leadStore() lead.Store { return cloud.NewLeads(s.DynamoDB(s.endpoint), s.leads) }

// instance is the agent function, just started.
func (s *stack) instance() http.Handler {
	stock := inventory.NewLot(s.store(), s.clock)
	skills := agent.New(agent.Parts{
		Profiles: dealer.Fixed(s.profile), Schemas: schema.Released(), Lot: stock,
		Desk: &lead.Desk{Store: s.leadStore(), Queue: s, Stock: stock, Now: s.clock, NewID: agent.NewID, Log: slog.New(slog.DiscardHandler)},
	})
	return a2a.NewHandler(a2a.Config{
		Agent: skills, Profiles: dealer.Fixed(s.profile), Settings: agent.Settings{Now: s.clock, Log: slog.New(slog.DiscardHandler)},
	})
}

// ask sends one payload and returns what it cost.
func (s *stack) ask(agent http.Handler, payload string) cloudtest.Units {
	s.Helper()
	s.Take()
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
	r := httptest.NewRequest(http.MethodPost, "/a2a", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	w := httptest.NewRecorder()
	agent.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `.response"`) {
		s.Fatalf("%s\n%d %.500s", payload, w.Code, w.Body)
	}
	s.answered = w.Body.Len()
	return s.Take()
}

// load imports the rows as a file of now, a day after the one before.
func (s *stack) load(rows [][]string) cloudtest.Units {
	s.Helper()
	s.now = s.now.Add(24 * time.Hour)
	var file bytes.Buffer
	if err := csv.NewWriter(&file).WriteAll(rows); err != nil {
		s.Fatal(err)
	}
	importer := feed.Importer{Store: s.store(), Profiles: dealer.Fixed(s.profile), Now: s.clock}
	s.Take()
	report, err := importer.Import(s.Context(), feed.Source{Name: "inventory.csv", Modified: s.now, Body: &file}, false)
	if err != nil || report.Rejected != 0 {
		s.Fatalf("%d rows rejected, %v", report.Rejected, err)
	}
	return s.Take()
}

const (
	search  = `{"type":"inventory.search.request","filters":{"make":["Honda"],"price_max":40000},"sort":{"field":"price","order":"asc"}}`
	facets  = `{"type":"inventory.facets.request"}`
	message = `{"type":"lead.submit.request","idempotency_key":"visit-17","customer":{"first_name":"Pat","last_name":"Sample","email":"pat@example.com","phone":"+13125550123"},
		"consent":{"granted_at":"2026-05-04T08:59:00Z","allowed_channels":["email"],"consent_text":"I agree that the dealership contacts me by e-mail about this request.","scope":["lead_submission"]},
		"source_agent":{"name":"shopper"},"vehicle_of_interest":{"stock":%q},"message":"Is it still there, and could I see it on Saturday?"}`
)

// measure plays some days of a dealer with so many vehicles.
func measure(t *testing.T, vehicles int) consumption {
	s, out := newStack(t), map[string]cloudtest.Units{}
	text, err := lot.CSV(vehicles)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out[importFirst] = s.load(rows)
	out[importSame] = s.load(rows)

	// Days of changes. From the second on, an import also deletes what it replaces.
	const days = 3
	price := column(rows[0], "Selling Price")
	for day := range days + 1 {
		for n := 1 + day; n < len(rows); n += 50 {
			if dollars, err := strconv.Atoi(rows[n][price]); err == nil {
				rows[n][price] = strconv.Itoa(dollars - 100)
			}
		}
		if u := s.load(rows); day > 0 {
			out[importSome] = plus(out[importSome], u, days)
		}
	}

	stock := listed(rows)
	vehicle := fmt.Sprintf(`{"type":"inventory.vehicle.request","stock":%q}`, stock[0])
	out[searchCold] = s.ask(s.instance(), search)
	out[facetsCold] = s.ask(s.instance(), facets)
	out[vehicleCold] = s.ask(s.instance(), vehicle)
	warm := s.instance()
	s.ask(warm, search)
	out[searchWarm], out[facetsWarm], out[vehicleWarm] = s.ask(warm, search), s.ask(warm, facets), s.ask(warm, vehicle)

	out[leadTaken] = s.ask(warm, fmt.Sprintf(message, stock[1]))
	out[leadHanded] = s.handOver()
	another := strings.NewReplacer("visit-17", "visit-18", "pat@", "kim@", "Pat", "Kim", "5550123", "5550124")
	out[leadCold] = s.ask(s.instance(), another.Replace(fmt.Sprintf(message, stock[1])))
	s.Take()
	desk := lead.Desk{Store: s.leadStore(), Queue: s, Now: s.clock, Log: slog.New(slog.DiscardHandler)}
	if _, err := desk.Sweep(t.Context(), s.profile.ID); err != nil {
		t.Fatal(err)
	}
	out[leadSwept] = s.Take()

	// One after the other, for now and then one folds the others into a new
	// snapshot. The one before them finishes the work of the last import.
	sold := 20
	if vehicles > 10_000 {
		sold = 2 // a new snapshot is far away
	}
	for n := range sold + 1 {
		s.now = s.now.Add(time.Hour)
		order := inventory.Desk{Store: s.store(), Now: s.clock}
		s.Take()
		if _, err := order.Carry(t.Context(), s.profile, inventory.Order{ID: stock[2+n], Do: inventory.MarkSold}); err != nil {
			t.Fatal(err)
		}
		if u := s.Take(); n > 0 {
			out[carSold] = plus(out[carSold], u, float64(sold))
			out[searchAfter] = plus(out[searchAfter], s.ask(warm, search), float64(sold))
		}
	}
	s.ask(warm, search)
	return consumption{out, s.answered}
}

// consumption is what a dealer's requests and imports take.
type consumption struct {
	units map[string]cloudtest.Units
	// searchBytes is the size of a search's answer.
	searchBytes int
}

// plus adds one of n to a mean.
func plus(mean, one cloudtest.Units, n float64) cloudtest.Units {
	return cloudtest.Units{Reads: mean.Reads + one.Reads/n, Writes: mean.Writes + one.Writes/n}
}

// handOver has a worker of its own take the queued lead to a receiver.
func (s *stack) handOver() cloudtest.Units {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Cleanup(receiver.Close)
	changed, err := dealer.Parse(bytes.Replace(sample.Profile(), []byte("    type: file\n    folder: outbox\n"), []byte("    type: https\n    url: "+receiver.URL+"\n"), 1))
	if err != nil {
		s.Fatal(err)
	}
	worker := crm.Worker{Leads: s.leadStore(), Profiles: dealer.Fixed(changed), Now: s.clock, Log: slog.New(slog.DiscardHandler), Lease: 30 * time.Second}
	if len(s.queued) != 1 {
		s.Fatalf("%d leads are queued", len(s.queued))
	}
	if err := worker.Handle(s.Context(), s.queued[0]); err != nil {
		s.Fatal(err)
	}
	return s.Take()
}

func column(header []string, name string) int {
	for n, title := range header {
		if title == name {
			return n
		}
	}
	panic("the export has no column " + name)
}

// listed are the stock numbers of cars for sale.
func listed(rows [][]string) (stock []string) {
	for _, row := range rows[1:] {
		if row[column(rows[0], "Status")] == "In Stock" {
			stock = append(stock, row[column(rows[0], "Stock")])
		}
	}
	return stock
}
