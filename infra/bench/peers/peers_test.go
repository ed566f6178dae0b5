// Package peers compares the search of the agent with what one would build
// otherwise: a server on the official JavaScript SDK with SQLite, and a Lambda
// handler that queries DynamoDB with a filter expression. Same cars, same
// questions, same machine, same run; and the answers must be the same.
package peers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"text/tabwriter"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/infra/sample/lot"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

var (
	span     = flag.Duration("span", 0, "measure each side for that long; 0 measures nothing")
	vehicles = flag.Int("vehicles", 10_000, "vehicles in the lot that is measured")
)

// The budgets: how many times the agent is to be faster.
const (
	overSQLite   = 10
	overDynamoDB = 20
)

var questions = []string{
	`{"type":"inventory.search.request","filters":{"make":["Honda","Toyota"],"condition":["used"],"price_max":40000},"sort":{"field":"price","order":"asc"},"pagination":{"limit":20}}`,
	`{"type":"inventory.search.request","filters":{"make":["Ford"],"condition":["new"],"price_min":30000},"sort":{"field":"price","order":"desc"},"pagination":{"limit":20}}`,
	`{"type":"inventory.search.request","filters":{"condition":["used","cpo"],"year_min":2020,"price_max":25000},"sort":{"field":"mileage","order":"asc"},"pagination":{"limit":20}}`,
	`{"type":"inventory.search.request","filters":{"make":["Chevrolet"],"year_min":2018},"sort":{"field":"year","order":"desc"},"pagination":{"skip":20,"limit":20}}`,
	`{"type":"inventory.search.request","filters":{"make":["Toyota"],"model":["Camry"]},"sort":{"field":"price","order":"asc"},"pagination":{"limit":20}}`,
}

// TestPeersGiveTheSameCars keeps the comparison honest: whoever leaves a part of
// the work out gives other cars.
func TestPeersGiveTheSameCars(t *testing.T) {
	b := open(t, 1_000)
	b.same(t)
}

// TestTheAgentIsFasterThanItsPeers is `make bench-peers`.
func TestTheAgentIsFasterThanItsPeers(t *testing.T) {
	if *span == 0 {
		t.Skip("measures only with -span")
	}
	b := open(t, *vehicles)
	b.same(t)
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s/%s, %d cores, %s, %d vehicles, %d questions in turn, pages of 20, %s each\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), *vehicles, len(questions), *span)
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tthe agent\tthe peer\tratio\tbudget\t")
	row := func(what, unit string, ours, theirs, budget float64) {
		verdict := "ok"
		if ours/theirs < budget {
			verdict = "MISSED"
			t.Errorf("%s: %.1f times, want %.0f", what, ours/theirs, budget)
		}
		fmt.Fprintf(table, "%s\t%.1f%s\t%.1f%s\t%.1f\t≥ %.0f\t%s\n", what, ours, unit, theirs, unit, ours/theirs, budget, verdict)
	}
	const atOnce = 16
	http := rates(t, *span, atOnce, overHTTP(b.agent), overHTTP(b.single), overHTTP(b.sqlite))
	row("search over HTTP against @a2a-js/sdk and SQLite, one process", "/s", http[0], http[1], overSQLite)
	row("search over HTTP against the same, a process a core", "/s", http[0], http[2], overSQLite)
	lambda := rates(t, *span, 1, b.lambda, b.table)
	row("search in Lambda against a DynamoDB filter expression", "/s", lambda[0], lambda[1], overDynamoDB)
	table.Flush()
	t.Log("\n" + out.String())
}

// bench is a lot in the agent and in both peers.
type bench struct {
	// These are the addresses of servers. sqlite has a process for each core,
	// single is one process, as the SDK's own examples run.
	agent, sqlite, single string
	// lambda and table are handlers on the same emulated DynamoDB.
	lambda, table asker
}

// asker gets the JSON-RPC response to one question read, which is not kept.
type asker func(question string, read func(answer []byte)) error

func open(t *testing.T, size int) *bench {
	t.Helper()
	export, err := lot.CSV(size)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// Nobody is refused for asking often; the delivery of leads has no part in it.
	profile := bytes.Replace(sample.Profile(), []byte("per_minute: 60000"), []byte("per_minute: 1000000"), 1)
	for name, text := range map[string][]byte{"dealer.yaml": profile, "inventory.csv": export} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Feed: filepath.Join(dir, "inventory.csv"),
		Data: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	})
	b := &bench{agent: m.URL() + "/a2a"}
	cars := everyCar(t, overHTTP(b.agent))
	file := filepath.Join(dir, "vehicles.jsonl")
	if err := os.WriteFile(file, bytes.Join(cars, []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.sqlite, b.single = startSQLite(t, file, runtime.GOMAXPROCS(0)), startSQLite(t, file, 1)
	p, err := dealer.Parse(profile)
	if err != nil {
		t.Fatal(err)
	}
	b.lambda, b.table = onDynamoDB(t, p, export, cars)
	return b
}

// same asks everybody everything, and compares totals and cars in their order.
func (b *bench) same(t *testing.T) {
	t.Helper()
	for _, q := range questions {
		want := ask(t, overHTTP(b.agent), q)
		if want.Total == 0 || len(want.Vehicles) == 0 {
			t.Errorf("no car answers %s", q)
		}
		for name, peer := range map[string]asker{"SQLite": overHTTP(b.sqlite), "SQLite in one process": overHTTP(b.single), "the agent in Lambda": b.lambda, "the DynamoDB table": b.table} {
			got := ask(t, peer, q)
			if got.Total != want.Total || !slices.Equal(got.vins(), want.vins()) {
				t.Errorf("%s\n%s finds %d: %v\nthe agent %d: %v", q, name, got.Total, got.vins(), want.Total, want.vins())
			}
		}
	}
}

type page struct {
	Total    int
	Vehicles []json.RawMessage
}

func (p page) vins() (out []string) {
	for _, v := range p.Vehicles {
		var car struct{ VIN string }
		_ = json.Unmarshal(v, &car)
		out = append(out, car.VIN)
	}
	return out
}

func ask(t *testing.T, to asker, question string) page {
	t.Helper()
	var text []byte
	if err := to(question, func(answer []byte) { text = bytes.Clone(answer) }); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			Message struct {
				Parts []struct{ Data struct{ Data page } }
			}
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Result.Message.Parts) != 1 {
		t.Fatalf("%s\n%.500s %v", question, text, err)
	}
	return answer.Result.Message.Parts[0].Data.Data
}

// everyCar pages through the lot; a car is the JSON that buyers get, on one line.
func everyCar(t *testing.T, to asker) (cars [][]byte) {
	t.Helper()
	for {
		got := ask(t, to, fmt.Sprintf(`{"type":"inventory.search.request","sort":{"field":"stock","order":"asc"},"pagination":{"skip":%d,"limit":100}}`, len(cars)))
		for _, v := range got.Vehicles {
			cars = append(cars, v)
		}
		if len(got.Vehicles) == 0 {
			return cars
		}
	}
}

// envelope is the request that a buyer's client sends.
func envelope(question string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` +
		question + `,"mediaType":"application/json"}]}}}`
}
