package inventory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// brokenDown is a facets answer as a buyer's agent reads it.
type brokenDown struct {
	Data map[string]json.RawMessage `json:"data"`
}

func facets(t testing.TB, l *inventory.Lot, p *dealer.Profile, filters string) map[string]json.RawMessage {
	t.Helper()
	var req aap.FacetsRequest
	if err := json.Unmarshal([]byte(`{"filters":`+filters+`}`), &req); err != nil {
		t.Fatal(err)
	}
	reply, err := l.Facets(t.Context(), p, req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := reply.Append(nil, aap.InventoryFacets)
	if err != nil {
		t.Fatal(err)
	}
	var out brokenDown
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	var typed struct {
		Data aap.Facets `json:"data"`
	}
	if err := json.Unmarshal(b, &typed); err != nil {
		t.Fatalf("%s does not fit the wire type: %v", b, err)
	}
	return out.Data
}

func TestFacetsBreakDownExactlyTheMatches(t *testing.T) {
	l, p := lotOf(t, units(t, sixUnits)), twoRooftops()
	for _, c := range []struct {
		filters string
		want    map[string]string // "" wants the member absent
	}{
		{`{}`, map[string]string{
			"statuses":      `[{"value":"available","count":3},{"value":"intransit","count":1},{"value":"pending","count":1}]`,
			"vehicle_types": `[{"value":"car","count":4},{"value":"motorcycle","count":1}]`,
			"price_range":   `{"min":18500,"max":26780}`, "year_range": `{"min":2019,"max":2024}`,
			"mileage_range": `{"min":3,"max":51000}`, "displacement_cc_range": `{"min":1868,"max":1868}`,
			"electric_range_mi_range": `{"min":240,"max":240}`,
			"dc_fast_charge":          `[{"value":"true","count":1}]`,
			"years":                   `[{"value":2024,"count":2},{"value":2022,"count":1},{"value":2021,"count":1},{"value":2019,"count":1}]`,
			"makes":                   `[{"value":"Honda","count":2},{"value":"Aprilia","count":1},{"value":"Mazda","count":1},{"value":"Tesla","count":1}]`,
			"rooftops":                `[{"value":"North","count":3},{"value":"South","count":2}]`,
			"interior_colors":         "", "drivelines": "",
		}},
		{`{"make":["Honda"]}`, map[string]string{
			"models": `[{"value":"Civic","count":2}]`, "price_range": `{"min":26780,"max":26780}`,
			"charge_ports": `[]`, "dc_fast_charge": `[]`, "electric_range_mi_range": "",
		}},
		{`{"condition":["new"],"make":["Honda"]}`, map[string]string{"price_range": "", "mileage_range": "", "conditions": `[{"value":"new","count":1}]`}},
		{`{"vin":"2FTEW1EP4NK300033"}`, map[string]string{"makes": `[]`, "years": `[]`, "price_range": "", "rooftops": `[]`}},
	} {
		got := facets(t, l, p, c.filters)
		for name, want := range c.want {
			if diff := cmp.Diff(want, string(got[name])); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.filters, name, diff)
			}
		}
	}
	if got := facets(t, lotOf(t, nil), p, `{}`); len(got) != 0 {
		t.Errorf("a lot without vehicles has facets %v", got)
	}
}

func TestASearchCanCarryTheBreakdownOfAllItsMatches(t *testing.T) {
	all, limit := units(t, sixUnits), aap.Int(1)
	x, err := inventory.NewIndex(t.Context(), all, inventory.Head{Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	req := &aap.SearchRequest{Filters: aap.Filters{Make: []string{"Honda"}}, Pagination: &aap.Pagination{Limit: &limit}}
	var got struct {
		Total    int           `json:"total"`
		Vehicles []aap.Vehicle `json:"vehicles"`
		Facets   *aap.Facets   `json:"facets"`
	}
	if err := json.Unmarshal([]byte(encoded(x.SearchWithFacets(twoRooftops(), req, noon))), &got); err != nil {
		t.Fatal(err)
	}
	if got.Total != 2 || len(got.Vehicles) != 1 || got.Facets == nil || got.Facets.Makes[0].Count != 2 {
		t.Errorf("%+v", got)
	}
	if s := encoded(x.Search(twoRooftops(), req, noon)); strings.Contains(s, "facets") {
		t.Errorf("a plain search carries facets: %s", s)
	}
}

// drawLot makes a lot of awkward spellings.
func drawLot(t *rapid.T) []inventory.Vehicle {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	maybe := func(label string, low, high int64) *aap.Int {
		if rapid.IntRange(0, 3).Draw(t, label+"?") == 0 {
			return nil
		}
		n := aap.Int(rapid.Int64Range(low, high).Draw(t, label))
		return &n
	}
	var rows []aap.Vehicle
	for i := range rapid.IntRange(1, 60).Draw(t, "units") {
		yes := rapid.Bool().Draw(t, "dc")
		rows = append(rows, aap.Vehicle{
			Stock: fmt.Sprint("S", i), Status: pick("status", "available", "available", "pending", "intransit", "sold", "hidden"),
			Make:  pick("make", "", "Chevrolet", "Chevy", "VW", "Volkswagen", "Mazda", "BMW", "Ram", "honda", "Honda"),
			Model: pick("model", "", "Golf", "Golf R", "1500", "Silverado 1500", "Mazda3", "3", "3 Series", "330i", "CR-V", "crv", "C"),
			Trim:  pick("trim", "", "330i", "330i xDrive", "S", "Golf", "1500 LT", "LT", "lt", "R", "R Line"), Year: maybe("year", 1999, 2003),
			Condition: pick("condition", "", "new", "used", "cpo"), VehicleType: pick("type", "", "car", "motorcycle"),
			Body: pick("body", "", "SUV", "Sport Utility", "4dr Sedan", "Sedan", "pickup"), Driveline: pick("driveline", "", "4x4", "4WD", "AWD", "all-wheel drive"),
			Fuel:          pick("fuel", "", "Gas", "Gasoline", "Gas/Electric Hybrid", "Plug-in Hybrid", "Electric", "Hybrid", "Diesel"),
			Transmission:  pick("transmission", "", "Automatic", "8-Speed Automatic", "Auto", "CVT", "6-spd manual"),
			ExteriorColor: pick("exterior", "", "Black", "Crystal Black", "Grey", "Magnetic Gray", "black", "***"), InteriorColor: pick("interior", "", "Black", "Black Leather"),
			Rooftop: pick("rooftop", "", "North", "n 1", "South", "West"), ChargePort: pick("port", "", "NACS", "Tesla", "CCS"),
			Price: maybe("price", 0, 40), Mileage: maybe("mileage", 0, 40), DCFastCharge: &yes,
		})
	}
	return states(rows...)
}

func drawFilters(t *rapid.T) map[string]any {
	out := map[string]any{}
	add := func(name string, values ...any) {
		if rapid.IntRange(0, 4).Draw(t, name+"?") == 0 {
			out[name] = rapid.SampledFrom(values).Draw(t, name)
		}
	}
	list := func(of ...string) []any {
		var out []any
		for i := range of {
			out = append(out, of[i:i+1], of[i:])
		}
		return out
	}
	add("make", list("chevy", "BMW", "volkswagen", "Honda", "nobody's")...)
	add("model", list("Golf", "1500", "330i", "3", "CRV", "Golf R", "BMW 330i", "Silverado 1500 LT")...)
	add("trim", list("LT", "S")...)
	add("condition", list("new", "used")...)
	add("vehicle_type", list("car", "motorcycle")...)
	add("body", list("SUV", "sedan")...)
	add("fuel", list("gas", "hybrid", "electric")...)
	add("exterior_color", list("black", "gray")...)
	add("rooftops", list("north", "West")...)
	add("price_min", 0, 10, 30)
	add("price_max", 0, 10, 30)
	add("year_min", 2000, 2003)
	add("mileage_max", 5, 20)
	add("dc_fast_charge", true)
	add("query", "black", "golf 2000", "chevy", "hnda")
	return out
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var filterOfFacet = map[string]string{
	"makes": "make", "models": "model", "trims": "trim", "conditions": "condition", "transmissions": "transmission",
	"fuels": "fuel", "charge_ports": "charge_port", "drivelines": "driveline", "bodies": "body", "vehicle_types": "vehicle_type",
	"exterior_colors": "exterior_color", "interior_colors": "interior_color", "rooftops": "rooftops",
}

func TestEveryFacetValueFindsExactlyItsCount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l, p := lotOf(t, drawLot(rt)), twoRooftops()
		if rapid.Bool().Draw(rt, "one rooftop") {
			p.Rooftops = p.Rooftops[:1]
		}
		filters := drawFilters(rt)
		for name, raw := range facets(t, l, p, encoded(filters)) {
			var terms []aap.Term
			if json.Unmarshal(raw, &terms) != nil {
				continue
			}
			for _, term := range terms {
				ask := map[string]any{}
				for k, v := range filters {
					ask[k] = v
				}
				switch {
				case filterOfFacet[name] != "":
					if _, taken := ask[filterOfFacet[name]]; taken {
						continue // values of one filter are alternatives
					}
					ask[filterOfFacet[name]] = []any{term.Value}
				case name == "years":
					if ask["year_min"] != nil {
						continue
					}
					ask["year_min"], ask["year_max"] = term.Value, term.Value
				case name == "dc_fast_charge" && term.Value == "true":
					ask["dc_fast_charge"] = true
				default:
					continue
				}
				if got := search(t, l, p, `{"filters":`+encoded(ask)+`}`).Data.Total; got != term.Count {
					rt.Errorf("facet %s %v counts %d, the filter finds %d", name, term.Value, term.Count, got)
				}
			}
		}
	})
}

func TestPagesInTurnAreTheWholeAndFiltersNeverAdd(t *testing.T) {
	sorts := []string{"price", "list_price", "msrp", "mileage", "year", "make", "model", "stock", "updated_at"}
	rapid.Check(t, func(rt *rapid.T) {
		l, p := lotOf(t, drawLot(rt)), twoRooftops()
		filters := drawFilters(rt)
		order := fmt.Sprintf(`"sort":{"field":%q,"order":%q}`, rapid.SampledFrom(sorts).Draw(rt, "field"), rapid.SampledFrom([]string{"asc", "desc"}).Draw(rt, "order"))
		whole := search(t, l, p, fmt.Sprintf(`{"filters":%s,"pagination":{"limit":1000},%s}`, encoded(filters), order))
		limit := rapid.IntRange(1, 7).Draw(rt, "limit")
		var paged []string
		for skip := 0; skip < whole.Data.Total; skip += limit {
			page := search(t, l, p, fmt.Sprintf(`{"filters":%s,"pagination":{"skip":%d,"limit":%d},%s}`, encoded(filters), skip, limit, order))
			paged = append(paged, strings.Fields(page.stocks())...)
			if page.Data.Total != whole.Data.Total {
				rt.Errorf("total %d on one page, %d on another", page.Data.Total, whole.Data.Total)
			}
		}
		if diff := cmp.Diff(strings.Fields(whole.stocks()), paged); diff != "" && len(paged) > 0 {
			rt.Errorf("pages of %d (-whole +paged):\n%s", limit, diff)
		}
		for name := range filters {
			fewer := map[string]any{}
			for k, v := range filters {
				if k != name {
					fewer[k] = v
				}
			}
			more := strings.Fields(search(t, l, p, `{"filters":`+encoded(fewer)+`,"pagination":{"limit":1000}}`).stocks())
			for _, stock := range strings.Fields(whole.stocks()) {
				if !slices.Contains(more, stock) {
					rt.Errorf("with %s = %v the unit %s is found, without it is not", name, filters[name], stock)
				}
			}
		}
	})
}
