package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// wantedFeed is what the reference data says of one export.
type wantedFeed struct {
	Rows, Accepted, Visible, Hidden, Merged int
	Rejected                                map[string]int
	Spots                                   []map[string]any
	Sequence                                *struct {
		After      string
		Gone, New  []string
		BecameSold []string `json:"became_sold"`
	}
}

// feedSettings are the lines a dealer with such an export writes.
var feedSettings = map[string]string{
	"oem-network.json":          "feed: {constants: {make: Toyota, model: 4Runner, condition: new}, columns: {trim: Model, price: Dealer Price}}\n",
	"scraped-multiline-bom.csv": "feed: {mileage_unit: km}\n",
	"swedish-semicolon-cp1252-composed.csv": "feed: {columns: {stock: Regnr, make: Märke, model: Modell, year: Årsmodell, mileage: Mätarställning (km), price: Pris,\n" +
		"  transmission: Växellåda, fuel: Bränsle, body: Kaross, description: Beskrivning, photos: Bilder}}\n",
	"homenet-composed.csv": "feed: {columns: {price: Internet_Price}}\n",
}

var feedCurrency = map[string]string{"scraped-multiline-bom.csv": "CAD", "swedish-semicolon-cp1252-composed.csv": "SEK"}

// importing is a dealer whose exports come one after another.
type importing struct {
	dir, data string
}

func (d *importing) profile(t *testing.T, name string, file []byte) string {
	t.Helper()
	rooftops := []string{"Example Motors"}
	if name == "oem-network.json" {
		var rows []struct{ Dealer string }
		if err := json.Unmarshal(file, &rows); err != nil {
			t.Fatal(err)
		}
		rooftops = nil
		for _, r := range rows {
			rooftops = append(rooftops, r.Dealer)
		}
		slices.Sort(rooftops)
		rooftops = slices.Compact(rooftops)
	}
	var b strings.Builder
	b.WriteString("id: example\nname: Example Motors\nrooftops:\n")
	for _, r := range rooftops {
		fmt.Fprintf(&b, "  - {name: %q, timezone: America/Denver, phones: [{value: \"+13035550100\"}]}\n", r)
	}
	fmt.Fprintf(&b, "prices: {includes: all_mandatory_charges, currency: %s}\ndelivery:\n  - {name: outbox, type: file, folder: outbox}\n%s",
		map[bool]string{true: "USD", false: feedCurrency[name]}[feedCurrency[name] == ""], feedSettings[name])
	at := filepath.Join(d.dir, "dealer.yaml")
	if err := os.WriteFile(at, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

type importReport struct {
	Rows, Accepted, Visible, Merged, Rejected int
	Hidden                                    map[string]int
	RejectedBy                                map[string]int `json:"rejected_by"`
	Refused                                   string
	Changes                                   *struct{ Added, Changed, Gone int }
}

func (d *importing) take(t *testing.T, name string) (report importReport, code int) {
	t.Helper()
	at := filepath.Join(aaptest.Reference(t, "cases", "feeds"), name)
	file, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "import", "--profile", d.profile(t, name, file), "--feed", at, "--data", d.data, "--json")
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, r.out, r.err)
	}
	return report, r.code
}

// serve runs the agent on what was imported.
func (d *importing) serve(t *testing.T) (url string, stop func()) {
	t.Helper()
	return d.serveFeed(t, "")
}

// serveFeed runs the agent on what was imported and on an export that it watches.
func (d *importing) serveFeed(t *testing.T, feed string) (url string, stop func()) {
	t.Helper()
	m, stop := machinetest.Serve(t, machine.Config{Addr: "127.0.0.1:0", Profile: filepath.Join(d.dir, "dealer.yaml"), Feed: feed, Data: d.data, Log: slog.New(slog.DiscardHandler)})
	return m.URL(), stop
}

func ask(t *testing.T, url, skill string, request map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "call", url, skill, string(body))
	var out map[string]any
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	return out
}

func TestEveryReferenceExportGivesWhatItShouldAtTheDoor(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(aaptest.Reference(t, "cases", "feeds"), "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]wantedFeed
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
			if want.Sequence != nil {
				if before := cases[want.Sequence.After]; before.Sequence != nil {
					d.take(t, before.Sequence.After)
				}
				d.take(t, want.Sequence.After)
			}
			report, code := d.take(t, name)
			if refused := want.Accepted == 0; refused != (code == 1) || refused != (report.Refused != "") {
				t.Fatalf("exit code %d, refused %q", code, report.Refused)
			}
			if report.Rows != want.Rows || report.Accepted != want.Accepted || report.Visible != want.Visible || report.Merged != want.Merged || total(report.Hidden) != want.Hidden || total(report.RejectedBy) != total(want.Rejected) {
				t.Errorf("report %+v, want %+v", report, want)
			}
			url, stop := d.serve(t)
			defer stop()
			if want.Accepted == 0 {
				return
			}
			answer := ask(t, url, "inventory.search", map[string]any{"pagination": map[string]any{"limit": 1}})
			if page := answer["data"].(map[string]any); page["total"] != float64(want.Visible) {
				t.Errorf("%v are found, want %d", page["total"], want.Visible)
			}
			for _, spot := range want.Spots {
				spotAtTheDoor(t, url, spot)
			}
			if s := want.Sequence; s != nil {
				if report.Changes.Added != len(s.New) {
					t.Errorf("changes %+v, want %d new", report.Changes, len(s.New))
				}
				for _, stock := range slices.Concat(s.Gone, s.BecameSold) {
					if code := fault(ask(t, url, "inventory.vehicle", map[string]any{"stock": stock})); code != "VEHICLE_UNAVAILABLE" {
						t.Errorf("%s: %q, want VEHICLE_UNAVAILABLE", stock, code)
					}
				}
			}
		})
	}
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func fault(answer map[string]any) string {
	code, _ := answer["code"].(string)
	return code
}

func spotAtTheDoor(t *testing.T, url string, spot map[string]any) {
	t.Helper()
	request := map[string]any{}
	for _, id := range []string{"vin", "stock", "vehicle_id"} {
		if v, ok := spot[id].(string); ok && len(request) == 0 {
			request[id] = v
		}
	}
	answer := ask(t, url, "inventory.vehicle", request)
	if spot["visible"] == false {
		if code := fault(answer); code != "VEHICLE_UNAVAILABLE" {
			t.Errorf("%v is hidden but answers %q", request, code)
		}
		return
	}
	got, ok := answer["data"].(map[string]any)
	if !ok {
		// The reference cuts long ids short.
		if id, _ := request["vehicle_id"].(string); len(id) > 50 {
			return
		}
		t.Errorf("%v: %v", request, answer)
		return
	}
	photos, _ := got["photos"].([]any)
	got["photos"] = float64(len(photos))
	if got["vehicle_type"] == nil {
		got["vehicle_type"] = "car" // what an absent type means
	}
	for member, want := range spot {
		if got[member] != want {
			t.Errorf("%v: %s is %v, want %v", request, member, got[member], want)
		}
	}
}
