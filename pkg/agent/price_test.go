package agent_test

import (
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

func TestDescriptionsSayWhatThePriceMeans(t *testing.T) {
	for _, v := range aap.Versions() {
		for _, row := range agent.Table() {
			shown := row.Under(v)
			if shown.Skill != row.Skill || len(shown.Description) < 80 {
				t.Errorf("%s of %s: %q", row.ID, v.Label, shown.Description)
			}
			if v.PriceIsOutTheDoor && (strings.Contains(shown.Description, "government charges") || strings.Contains(shown.Description, "mandatory dealer fees")) {
				t.Errorf("%s of %s: %q", row.ID, v.Label, shown.Description)
			}
			if v == aap.Primary() && shown.Description != row.Description {
				t.Errorf("%s of %s: %q", row.ID, v.Label, shown.Description)
			}
		}
	}
}

func TestThePriceIsShownOnlyWhereItMeansThat(t *testing.T) {
	for _, v := range aap.Versions() {
		for _, c := range []struct {
			settings string
			shown    bool
		}{{"", !v.PriceIsOutTheDoor}, {"  out_the_door: true\n", true}} {
			s := agenttest.New(t, agenttest.Profile+c.settings)
			total := func(filters string) float64 {
				data, e := call(t, s, v.Label, `{"type":"inventory.search.request","filters":`+filters+`}`)
				if e != nil {
					t.Fatal(e)
				}
				return data["total"].(float64)
			}
			want := map[string]float64{`{}`: 3, `{"price_min":0}`: 2, `{"price_max":20000}`: 1, `{"price_min":20000,"price_max":30000}`: 1}
			for filters, n := range want {
				if !c.shown && filters != `{}` {
					n = 0
				}
				if got := total(filters); got != n {
					t.Errorf("%s %q: %s finds %v, want %v", v.Label, c.settings, filters, got, n)
				}
			}
			data, _ := call(t, s, v.Label, `{"type":"inventory.vehicle.request","vin":"`+agenttest.ListedVIN+`"}`)
			if _, shown := data["price"]; shown != c.shown {
				t.Errorf("%s %q: detail %v", v.Label, c.settings, data)
			}
			data, _ = call(t, s, v.Label, `{"type":"inventory.facets.request"}`)
			if _, shown := data["price_range"]; shown != c.shown {
				t.Errorf("%s %q: facets %v", v.Label, c.settings, data)
			}
			orders := map[string][]string{}
			for _, order := range []string{"asc", "desc"} {
				data, _ = call(t, s, v.Label, `{"type":"inventory.search.request","sort":{"field":"price","order":"`+order+`"}}`)
				for _, vehicle := range data["vehicles"].([]any) {
					vehicle := vehicle.(map[string]any)
					orders[order] = append(orders[order], vehicle["stock"].(string))
					if _, shown := vehicle["price"]; shown && !c.shown {
						t.Errorf("%s %q: listing %v", v.Label, c.settings, vehicle)
					}
				}
				if said := strings.Contains(data["message"].(string), "No vehicle has a price"); said == c.shown {
					t.Errorf("%s %q: message %q", v.Label, c.settings, data["message"])
				}
				if v.PriceIsOutTheDoor && strings.Contains(data["message"].(string), "excludes tax") {
					t.Errorf("%s: message %q", v.Label, data["message"])
				}
			}
			if equal := strings.Join(orders["asc"], " ") == strings.Join(orders["desc"], " "); equal == c.shown {
				t.Errorf("%s %q: orders by price %v", v.Label, c.settings, orders)
			}
		}
	}
}
