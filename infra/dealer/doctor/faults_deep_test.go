package doctor_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

// listings edits the cars of every answer of search, and of details when whole.
func listings(whole bool, edit func(cars []map[string]any) []map[string]any) func(*exchange) {
	return func(e *exchange) {
		detail := e.calls("inventory.vehicle") && whole
		if !e.calls("inventory.search") && !detail || !strings.Contains(e.answer, `.response"`) || e.path != "/a2a" {
			return
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(e.answer), &doc); err != nil {
			panic(err)
		}
		part := doc["result"].(map[string]any)["message"].(map[string]any)["parts"].([]any)[0].(map[string]any)["data"].(map[string]any)
		if detail {
			part["data"] = edit([]map[string]any{part["data"].(map[string]any)})[0]
		} else {
			data := part["data"].(map[string]any)
			var cars []map[string]any
			for _, v := range data["vehicles"].([]any) {
				cars = append(cars, v.(map[string]any))
			}
			data["vehicles"] = edit(cars)
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		e.answer = string(raw)
	}
}

func each(edit func(car map[string]any)) func([]map[string]any) []map[string]any {
	return func(cars []map[string]any) []map[string]any {
		for _, v := range cars {
			edit(v)
		}
		if cars == nil {
			return []map[string]any{}
		}
		return cars
	}
}

var hondas = regexp.MustCompile(`\{"value":"Honda","count":2\}`)

var deepFaults = []fault{
	{name: "facets that lie", give: func(e *exchange) {
		if e.calls("inventory.facets") {
			e.answer = hondas.ReplaceAllString(e.answer, `{"value":"Honda","count":3}`)
		}
	}, want: []string{"inventory.facets fail"}},
	{name: "facets that no search finds", give: func(e *exchange) {
		if e.calls("inventory.facets") {
			e.answer = hondas.ReplaceAllString(e.answer, `{"value":"Edsel","count":2}`)
		}
	}, want: []string{"inventory.facets fail"}},
	{name: "a filter that is ignored", ask: func(e *exchange) {
		if strings.Contains(e.body, `"make"`) {
			e.body = regexp.MustCompile(`,"year_m[a-z]*":[0-9]+`).ReplaceAllString(e.body, "")
		}
	}, want: []string{"inventory.filter fail"}},
	{name: "pages that overlap", ask: func(e *exchange) { e.body = strings.Replace(e.body, `"skip":3`, `"skip":2`, 1) }, want: []string{"inventory.paging fail"}},
	{name: "a total of the page", give: func(e *exchange) {
		if strings.Contains(e.body, `"limit":3`) {
			e.answer = regexp.MustCompile(`"total":[0-9]+`).ReplaceAllString(e.answer, `"total":3`)
		}
	}, want: []string{"inventory.paging fail"}},
	{name: "cars without a price first", give: func(e *exchange) {
		if strings.Contains(e.body, `"price","order":"asc"`) {
			listings(false, func(cars []map[string]any) []map[string]any { slices.Reverse(cars); return cars })(e)
		}
	}, want: []string{"inventory.sort fail"}},
	{name: "an order that is ignored", ask: func(e *exchange) {
		e.body = strings.Replace(e.body, `"field":"price","order":"desc"`, `"field":"price","order":"asc"`, 1)
	}, want: []string{"inventory.sort fail"}},
	{name: "details at another price", give: func(e *exchange) {
		if e.calls("inventory.vehicle") {
			e.answer = strings.Replace(e.answer, `"price":26780`, `"price":26781`, 1)
		}
	}, want: []string{"inventory.detail fail"}},
	{name: "a car that is gone", give: func(e *exchange) {
		if strings.Contains(e.body, `"limit":50`) {
			listings(false, func(cars []map[string]any) []map[string]any {
				if len(cars) > 0 {
					cars[len(cars)-1]["status"] = "sold"
				}
				return each(func(map[string]any) {})(cars)
			})(e)
		}
	}, want: []string{"inventory.hidden fail", "skill.schema fail"}},
	{name: "cars without a date", give: listings(true, each(func(v map[string]any) { delete(v, "updated_at") })), want: []string{"inventory.fresh fail"}},
	{name: "cars of tomorrow", give: listings(true, each(func(v map[string]any) { v["updated_at"] = "2026-05-02T08:00:00Z" })), want: []string{"inventory.fresh fail"}},
	{name: "cars of last month", give: listings(true, each(func(v map[string]any) { v["updated_at"] = "2026-04-01T08:00:00Z" })), want: []string{"inventory.fresh warn"}},
	{name: "fees beyond the price", give: listings(true, each(func(v map[string]any) { v["fees"] = []any{map[string]any{"name": "Everything", "amount": 99999}} })), want: []string{"inventory.price fail"}},
	{name: "a fee twice", give: listings(true, each(func(v map[string]any) {
		v["fees"] = []any{map[string]any{"name": "Wax", "amount": 1}, map[string]any{"name": "Wax", "amount": 2}}
	})), want: []string{"inventory.price fail"}},
	{name: "no prices", give: listings(true, each(func(v map[string]any) { delete(v, "price") })), want: []string{"inventory.price warn"}},
	{name: "what the dealer paid", give: listings(true, each(func(v map[string]any) { v["DealerCost"] = 12345 })), want: []string{"inventory.cost warn"}},
	{name: "schemas that are gone", give: func(e *exchange) {
		if strings.HasSuffix(e.path, "vehicle-detail-request.schema.json") {
			e.status = http.StatusNotFound
		}
	}, want: []string{"schemas.reach warn"}},
	{name: "calls that take their time", config: &doctor.Config{Slow: 30 * time.Millisecond}, give: func(e *exchange) {
		if e.path == "/a2a" {
			time.Sleep(40 * time.Millisecond)
			e.answer += " "
		}
	}, want: []string{"speed.calls warn"}},
}

func TestFaultsOfTheInventoryAreFound(t *testing.T) {
	find(t, "", doctor.Config{Deep: true}, deepFaults)
}
