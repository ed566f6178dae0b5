package machine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// stocks are the stock numbers of a search answer, sorted.
func (a answer) stocks() string {
	a.t.Helper()
	list, ok := a.payload.Data["vehicles"].([]any)
	if !ok {
		a.t.Fatalf("no vehicles in %s", a.body)
	}
	var names []string
	for _, v := range list {
		stock, _ := v.(object)["stock"].(string)
		names = append(names, stock)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestUsualNamesFindTheirCars(t *testing.T) {
	d := openLot(t, readFile(t, "testdata/names.json"), 10, fixed)
	for _, v := range []struct{ filters, stocks string }{
		{`"make":["Chevy"]`, "N1"},
		{`"make":["VW"]`, "N2 N3"},
		{`"make":["mercedes benz"]`, "N7"},
		{`"make":["Mercedes"]`, "N7"},
		{`"make":["citroen"]`, "N9"},
		{`"make":["CITROËN"]`, "N9"},
		{`"make":[" honda ","TOYOTA"]`, "N5 N8"},
		{`"make":["Honda"],"model":["RAV4"]`, ""},
		{`"model":["golf"]`, "N2 N3"},
		{`"model":["Golf-R"]`, "N3"},
		{`"model":["F150"]`, "N4"},
		{`"model":["f 150"]`, "N4"},
		{`"model":["CRV"]`, "N5"},
		{`"model":["C"]`, ""},
		{`"model":["RAV-4"]`, "N8"},
		{`"model":["330i"]`, "N6"},
		{`"make":["Mazda"],"model":["Mazda 3"]`, "N10"},
		{`"make":["Mazda"],"model":["3"]`, "N10"},
		{`"trim":["xlt"]`, "N4"},
		{`"exterior_color":["black"]`, "N1"},
		{`"exterior_color":["gray"]`, "N2"},
		{`"interior_color":["grey"]`, "N1"},
		{`"transmission":["manual"]`, "N1"},
		{`"transmission":["automatic"]`, ""},
		{`"body":["suv"]`, "N5 N8"},
		{`"body":["sport utility"]`, "N5 N8"},
		{`"body":["pickup"]`, "N1 N4"},
		{`"driveline":["4x4"]`, "N1"},
		{`"driveline":["all-wheel drive"]`, "N5"},
		{`"fuel":["gas"]`, "N1"},
		{`"rooftops":[" NORTH"]`, "N1 N10 N2 N3 N9"},
		{`"stock":"n-5"`, "N5"},
		{`"stock":"N"`, ""},
		{`"mileage_max":12000`, "N7"},
		{`"displacement_cc_min":1998,"displacement_cc_max":1998`, "N10"},
		{`"displacement_cc_min":0`, "N10"},
		{`"electric_range_mi_min":0`, ""},
		{`"condition":["new","cpo"]`, ""},
		{`"make":[],"model":[],"condition":[]`, "N1 N10 N2 N3 N4 N5 N6 N7 N8 N9"},
		{`"query":"chevy silverado"`, "N1"},
		{`"query":"2021 hybrid"`, "N8"},
		{`"query":"silverdo"`, "N1"},
		{`"query":"(\"AND 1=1"`, ""},
	} {
		a := d.skill(t, request("inventory.search", `"filters":{`+v.filters+`}`))
		a.want("ok")
		if got := a.stocks(); got != v.stocks || a.number("total") != len(strings.Fields(v.stocks)) {
			t.Errorf("%s finds %q, total %d; want %q", v.filters, got, a.number("total"), v.stocks)
		}
	}
}

func TestNothingFoundSaysWhichFilterAndWhatIsClose(t *testing.T) {
	d := openLot(t, readFile(t, "testdata/names.json"), 10, fixed)
	for _, v := range []struct {
		filters string
		says    []string
	}{
		{`"make":["Hnda"]`, []string{"filter make", `"Honda"`}},
		{`"make":["Honda"],"model":["CR-W"]`, []string{"filter model", `"CR-V"`}},
		{`"model":["Sillverado"]`, []string{"filter model", `"Silverado 1500"`}},
		{`"make":["Honda"],"price_max":1000`, []string{"filter price_max", "left none of 1"}},
		{`"year_min":2025,"year_max":2020`, []string{"filter year_"}},
		{`"query":"xyzzy"`, []string{"filter query"}},
	} {
		a := d.skill(t, request("inventory.search", `"filters":{`+v.filters+`}`))
		a.want("ok")
		for _, want := range v.says {
			if !strings.Contains(a.payload.Message, want) || a.number("total") != 0 {
				t.Errorf("%s: %q does not say %s", v.filters, a.payload.Message, want)
			}
		}
	}
}

// A facet's term is sent back unchanged as a filter and must find at least the
// cars it counted.
func TestFacetTermsAreFilters(t *testing.T) {
	for _, lot := range []struct {
		file string
		cars int
	}{{"testdata/names.json", 10}, {"testdata/feed.json", 5}} {
		d := openLot(t, readFile(t, lot.file), lot.cars, fixed)
		facets := d.skill(t, request("inventory.facets", ``)).payload.Data
		for facet, filter := range map[string]string{
			"makes": "make", "models": "model", "trims": "trim", "conditions": "condition", "transmissions": "transmission", "fuels": "fuel",
			"drivelines": "driveline", "bodies": "body", "vehicle_types": "vehicle_type", "exterior_colors": "exterior_color",
			"interior_colors": "interior_color", "rooftops": "rooftops", "charge_ports": "charge_port",
		} {
			terms, _ := facets[facet].([]any)
			for _, term := range terms {
				value, err := json.Marshal(term.(object)["value"])
				if err != nil {
					t.Fatal(err)
				}
				a := d.skill(t, request("inventory.search", fmt.Sprintf(`"filters":{%q:[%s]}`, filter, value)))
				if n := int(term.(object)["count"].(float64)); a.number("total") < n {
					t.Errorf("%s %s counts %d, and the filter finds %d", facet, value, n, a.number("total"))
				}
			}
		}
	}
}

func TestFacetKeysDoNotDependOnTheFilter(t *testing.T) {
	d := open(t)
	all := d.skill(t, request("inventory.facets", ``)).payload.Data
	for _, filters := range []string{`"make":["honda"]`, `"vin":"1FTFW1E50NFA00001"`, `"stock":"T101"`} {
		some := d.skill(t, request("inventory.facets", `"filters":{`+filters+`}`)).payload.Data
		for name, value := range all {
			_, term := value.([]any)
			if _, ok := some[name]; term && !ok {
				t.Errorf("%s: no %s", filters, name)
			}
		}
		for name := range some {
			if _, ok := all[name]; !ok {
				t.Errorf("%s: %s is there only with the filter", filters, name)
			}
		}
	}
	makes := d.skill(t, request("inventory.facets", `"filters":{"make":["honda"]}`)).payload.Data["makes"]
	if !equalJSON(t, makes, []any{object{"value": "Honda", "count": 2}}) && !equalJSON(t, makes, []object{{"count": 2, "value": "Honda"}}) {
		t.Errorf("the facet is not of the matches: %v", makes)
	}
}

func TestEverySortFieldGoesBothWaysWithGapsLast(t *testing.T) {
	d := open(t)
	for field, want := range map[string][2]string{
		"price":      {"C F E A B", "A E F C B"},
		"list_price": {"A B", "B A"},
		"mileage":    {"E A C F B", "F C A E B"},
		"year":       {"F C A", ""},
		"make":       {"E A B C F", "F C"},
		"model":      {"C", ""},
		"stock":      {"E C A B F", "F B A C E"},
		"updated_at": {"F E C B A", "A B C E F"},
		"msrp":       {"", ""},
	} {
		for i, order := range []string{"asc", "desc"} {
			a := d.skill(t, request("inventory.search", fmt.Sprintf(`"sort":{"field":%q,"order":%q}`, field, order)))
			a.want("ok")
			if got := a.cars(); !strings.HasPrefix(got, want[i]) || len(strings.Fields(got)) != 5 {
				t.Errorf("%s %s: %s, want %s first", field, order, got, want[i])
			}
			var paged []string
			for skip := range 5 {
				page := d.skill(t, request("inventory.search", fmt.Sprintf(`"sort":{"field":%q,"order":%q},"pagination":{"skip":%d,"limit":1}`, field, order, skip)))
				paged = append(paged, page.cars())
			}
			if got := strings.Join(paged, " "); got != a.cars() {
				t.Errorf("%s %s: pages give %s, the whole is %s", field, order, got, a.cars())
			}
		}
	}
}
