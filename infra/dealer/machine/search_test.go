package machine_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSearchVectors(t *testing.T) {
	d := open(t)
	for _, v := range []struct{ name, rest, cars string }{
		{"everything for sale, newest first", ``, "A B C E F"},
		{"make in lower case", `"filters":{"make":["honda"]}`, "A B"},
		{"price_max is inclusive and skips unpriced", `"filters":{"price_max":26780},"sort":{"field":"updated_at","order":"desc"}`, "A C E F"},
		{"price_min 0 still skips unpriced", `"filters":{"price_min":0}`, "A C E F"},
		{"integers may be written 26780.0", `"filters":{"price_max":26780.0}`, "A C E F"},
		{"an absent vehicle_type is a car", `"filters":{"vehicle_type":["car"]}`, "A B C F"},
		{"fast charging", `"filters":{"dc_fast_charge":true}`, "F"},
		{"fast charging false is no constraint", `"filters":{"dc_fast_charge":false}`, "A B C E F"},
		{"rooftop", `"filters":{"rooftops":["North"]}`, "A B F"},
		{"a sold VIN finds nothing", `"filters":{"vin":"1FTFW1E50NFA00001"}`, ""},
		{"crossed years find nothing", `"filters":{"year_min":2025,"year_max":2020}`, ""},
		{"colour by whole word", `"filters":{"exterior_color":["black"]}`, "A"},
		{"transmission by whole word", `"filters":{"transmission":["automatic"]}`, "A"},
		{"an empty array is no constraint", `"filters":{"make":[]}`, "A B C E F"},
		{"stock number folded", `"filters":{"stock":"t-100"}`, "A"},
		{"query words", `"filters":{"query":"civic black"}`, "A"},
		{"price descending, unpriced last", `"sort":{"field":"price","order":"desc"}`, "A E F C B"},
		{"price ascending, unpriced last", `"sort":{"field":"price","order":"asc"}`, "C F E A B"},
		{"updated_at descending", `"sort":{"field":"updated_at","order":"desc"}`, "A B C E F"},
		{"a page", `"sort":{"field":"price","order":"asc"},"pagination":{"skip":3,"limit":2}`, "A B"},
		{"a page past the end", `"pagination":{"skip":99}`, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			rest := v.rest
			if rest != "" {
				rest = "," + rest
			}
			a := d.skill(t, `{"type":"inventory.search.request"`+rest+`}`)
			a.want("ok")
			if got := a.cars(); got != v.cars {
				t.Errorf("got %q, want %q", got, v.cars)
			}
		})
	}
}

func TestSearchEchoesTheEffectivePage(t *testing.T) {
	d := open(t)
	for _, v := range []struct {
		pagination         string
		total, skip, limit int
	}{
		{`{}`, 5, 0, 20},
		{`{"skip":3,"limit":2}`, 5, 3, 2},
		{`{"limit":500}`, 5, 0, 100},
	} {
		a := d.skill(t, `{"type":"inventory.search.request","pagination":`+v.pagination+`}`)
		if a.number("total") != v.total || a.number("skip") != v.skip || a.number("limit") != v.limit {
			t.Errorf("%s: %s", v.pagination, a.body)
		}
	}
}

func TestPagesFollowTheDealersSettings(t *testing.T) {
	d := open(t, add("inventory: {page_default: 2, page_max: 3}"))
	for pagination, limit := range map[string]int{`{}`: 2, `{"limit":1000}`: 3, `{"limit":1}`: 1} {
		a := d.skill(t, `{"type":"inventory.search.request","pagination":`+pagination+`}`)
		if a.number("limit") != limit || len(strings.Fields(a.cars())) != limit || a.number("total") != 5 {
			t.Errorf("%s: %s, want %d of 5", pagination, a.body, limit)
		}
	}
}

func TestInvalidSearchesListEveryFault(t *testing.T) {
	d := open(t)
	const failed = "-32602 SCHEMA_VALIDATION_FAILED "
	for _, v := range []struct{ rest, want string }{
		{`"filters":{"vin":"1hgcv1f30ka000001"}`, failed + "/filters/vin pattern"},
		{`"filters":{"year_min":"2020","condition":["good"],"color":["red"]}`,
			failed + "/filters/color additionalProperties, /filters/condition/0 enum, /filters/year_min type"},
		{`"filters":{"price_max":30000.5}`, failed + "/filters/price_max type"},
		{`"filters":{"query":"` + strings.Repeat("x", 201) + `"}`, failed + "/filters/query maxLength"},
		{`"sort":{"field":"offered_price","order":"asc"}`, failed + "/sort/field enum"},
		{`"pagination":{"limit":1001}`, failed + "/pagination/limit maximum"},
		{`"pagination":{"limit":0}`, failed + "/pagination/limit minimum"},
		{`"pagination":{"skip":-1}`, failed + "/pagination/skip minimum"},
		{`"filters":null`, failed + "/filters type"},
		{`"sort":{"field":"price"}`, "-32602 MISSING_REQUIRED_FIELD /sort/order required"},
		{`"filters":{"zip":"94105"}`, failed + "/filters/zip additionalProperties"},
		{`"Filters":{}`, failed + "/Filters caseMismatch"},
		{`"filters":{},"filters":{}`, failed + "/filters duplicateKey"},
	} {
		d.skill(t, `{"type":"inventory.search.request",`+v.rest+`}`).want(v.want)
	}
	a := d.skill(t, `{"type":"inventory.search.request","filters":{"vin":"1hgcv1f30ka000001"}}`)
	if !strings.Contains(string(a.body), "1HGCV1F30KA000001") {
		t.Errorf("the corrected VIN is not named in %s", a.body)
	}
}

func TestFacetVectors(t *testing.T) {
	d := open(t)
	a := d.skill(t, `{"type":"inventory.facets.request"}`)
	a.want("ok")
	counts := func(name string) map[any]float64 {
		got := map[any]float64{}
		terms, _ := a.payload.Data[name].([]any)
		for _, term := range terms {
			m := term.(map[string]any)
			got[m["value"]] = m["count"].(float64)
		}
		return got
	}
	for name, want := range map[string]map[any]float64{
		"statuses":       {"available": 3, "pending": 1, "intransit": 1},
		"vehicle_types":  {"car": 4, "motorcycle": 1},
		"dc_fast_charge": {"true": 1},
		"years":          {2024.0: 2, 2022.0: 1, 2021.0: 1, 2019.0: 1},
	} {
		if got := counts(name); !equalJSON(t, toStrings(got), toStrings(want)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]string{"price_range": `{"min":18500,"max":26780}`, "year_range": `{"min":2019,"max":2024}`} {
		var w any
		if err := json.Unmarshal([]byte(want), &w); err != nil {
			t.Fatal(err)
		}
		if !equalJSON(t, a.payload.Data[name], w) {
			t.Errorf("%s: %v, want %s", name, a.payload.Data[name], want)
		}
	}
	if _, ok := counts("makes")["Ford"]; ok {
		t.Error("a sold car is counted")
	}
	d.skill(t, `{"type":"inventory.facets.request","pagination":{}}`).want("-32602 SCHEMA_VALIDATION_FAILED /pagination additionalProperties")
	unpriced := d.skill(t, `{"type":"inventory.facets.request","filters":{"stock":"T101"}}`)
	if _, ok := unpriced.payload.Data["price_range"]; ok {
		t.Error("price_range without a priced vehicle")
	}
}

func TestVehicleVectors(t *testing.T) {
	d := open(t)
	for _, v := range []struct{ name, rest, want, id string }{
		{"by stock", `"stock":"T100"`, "ok", "v-a"},
		{"the stock number decides over the vehicle id", `"stock":"T100","vehicle_id":"v-c"`, "ok", "v-a"},
		{"an unknown VIN falls to the stock number", `"vin":"2T1BURHE0JC000009","stock":"T100"`, "ok", "v-a"},
		{"unknown", `"vin":"2T1BURHE0JC000009"`, "-32000 VEHICLE_NOT_FOUND", ""},
		{"sold", `"vin":"1FTFW1E50NFA00001"`, "-32000 VEHICLE_UNAVAILABLE", ""},
		{"the sold VIN decides over a stock number for sale", `"vin":"1FTFW1E50NFA00001","stock":"T100"`, "-32000 VEHICLE_UNAVAILABLE", ""},
		{"unpriced", `"vehicle_id":"v-b"`, "ok", "v-b"},
		{"no identifier", ``, "-32602 SCHEMA_VALIDATION_FAILED /stock anyOf, /vehicle_id anyOf, /vin anyOf", ""},
		{"an old member", `"stock":"T100","zip":"94105"`, "-32602 SCHEMA_VALIDATION_FAILED /zip additionalProperties", ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			rest := v.rest
			if rest != "" {
				rest = "," + rest
			}
			a := d.skill(t, `{"type":"inventory.vehicle.request"`+rest+`}`)
			a.want(v.want)
			if got, _ := a.payload.Data["vehicle_id"].(string); got != v.id {
				t.Errorf("vehicle %q, want %q", got, v.id)
			}
		})
	}
	a := d.skill(t, `{"type":"inventory.vehicle.request","stock":"T100"}`)
	if a.number("price") != 26780 || a.payload.Data["status"] != "available" || a.payload.Data["updated_at"] != "2026-04-30T10:15:00Z" {
		t.Errorf("A: %s", a.body)
	}
	if fees, _ := a.payload.Data["fees"].([]any); len(fees) != 2 {
		t.Errorf("fees of A: %v", a.payload.Data["fees"])
	}
	e := d.skill(t, `{"type":"inventory.vehicle.request","vehicle_id":"v-e"}`)
	if !equalJSON(t, e.payload.Data["other_attributes"], object{"final_drive": "belt"}) || e.number("displacement_cc") != 1868 {
		t.Errorf("what the feed tells of E is lost: %s", e.body)
	}
	b := d.skill(t, `{"type":"inventory.vehicle.request","vehicle_id":"v-b"}`)
	if b.number("price") != -1 || b.number("list_price") != 27990 {
		t.Errorf("a price is made up for B: %s", b.body)
	}
}

func TestInformationVectors(t *testing.T) {
	d := open(t)
	a := d.skill(t, information)
	a.want("ok")
	if rooftops, _ := a.payload.Data["rooftops"].([]any); a.payload.Data["name"] != "Demo Group" || len(rooftops) != 2 {
		t.Errorf("information: %s", a.body)
	}
	d.skill(t, `{"type":"dealer.information.request","x":1}`).want("-32602 SCHEMA_VALIDATION_FAILED /x additionalProperties")
}

func toStrings(m map[any]float64) map[string]float64 {
	out := map[string]float64{}
	for k, n := range m {
		b, _ := json.Marshal(k)
		out[string(b)] = n
	}
	return out
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}
