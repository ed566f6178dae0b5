package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// assortedExport is a lot whose cars share every value with some others, in
// more than one spelling, and lack some.
func assortedExport(n int) string {
	makes := []string{"Kia,Rio", "Kia,Soul", "Honda,CR-V", "HONDA,Civic", "Chevy,Silverado 1500", "Chevrolet,Equinox", "Mercedes,GLC", "Mazda,Mazda3"}
	of := func(i, step int, values ...string) string { return values[i/step%len(values)] }
	var file strings.Builder
	file.WriteString("stock,make,model,year,condition,trim,body,fuel,transmission,driveline,exterior color,interior color,price,mileage\n")
	for i := range n {
		fmt.Fprintf(&file, "S%03d,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%d\n", i*7%n, makes[i*i%len(makes)], 2016+i*5%9, of(i, 2, "Used", "New", "Certified"),
			of(i, 3, "LX", "lx", "EX-L", ""), of(i, 1, "SUV", "Sport Utility", "Sedan", "4dr Car", ""), of(i, 4, "Gas", "Gasoline", "Hybrid", "Electric"),
			of(i, 5, "Automatic", "6-Speed M/T", "CVT", ""), of(i, 2, "AWD", "4x4", "FWD", "Front Wheel Drive", ""),
			of(i, 1, "Summit White", "Agate Black", "Grey", "Soul Red", "Moss"), of(i, 7, "Black", "Beige", ""), of(i, 6, "18000", "25500", "", "31000"), i*1234)
	}
	return file.String()
}

// doorData posts one payload to the agent and returns the data of its answer.
func doorData(t rapid.TB, url string, payload map[string]any, into any) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": map[string]any{
		"message": map[string]any{"messageId": "m", "role": "ROLE_USER", "parts": []any{map[string]any{"data": payload}}}}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url+"/a2a", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Error  any
		Result struct {
			Message struct {
				Parts []struct {
					Data struct{ Data json.RawMessage }
				}
			}
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != nil || len(answer.Result.Message.Parts) != 1 {
		t.Fatalf("%v %v for %s", err, answer.Error, body)
	}
	if err := json.Unmarshal(answer.Result.Message.Parts[0].Data.Data, into); err != nil {
		t.Fatal(err)
	}
}

type foundAtDoor struct {
	Total    int
	Vehicles []struct{ Stock string }
}

func (f foundAtDoor) stocks() (out []string) {
	for _, v := range f.Vehicles {
		out = append(out, v.Stock)
	}
	return out
}

func searchAtDoor(t *rapid.T, url string, filters map[string]any, skip, limit int) (found foundAtDoor) {
	doorData(t, url, map[string]any{"type": "inventory.search.request", "filters": filters,
		"pagination": map[string]any{"skip": skip, "limit": limit}, "sort": map[string]any{"field": "price", "order": "asc"}}, &found)
	return found
}

// filterOfFacet is the filter that takes a facet's values.
var filterOfFacet = map[string]string{
	"makes": "make", "models": "model", "trims": "trim", "conditions": "condition", "transmissions": "transmission", "fuels": "fuel",
	"drivelines": "driveline", "bodies": "body", "exterior_colors": "exterior_color", "interior_colors": "interior_color",
}

// TestFacetsPagesAndFiltersAgreeAtTheDoor asks as a buyer's agent does: it
// reads facets under some filters and follows each value of one of them.
func TestFacetsPagesAndFiltersAgreeAtTheDoor(t *testing.T) {
	const lot = 60
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	if report, code := d.importText(t, exportCase{file: assortedExport(lot), settings: "access: {per_minute: 1000000}\n"}); code != 0 {
		t.Fatal(report)
	}
	url, stop := d.serve(t)
	defer stop()
	type term struct {
		Value string
		Count int
	}
	terms := func(t rapid.TB, facet string, filters map[string]any) (terms []term) {
		var facets map[string]json.RawMessage
		doorData(t, url, map[string]any{"type": "inventory.facets.request", "filters": filters}, &facets)
		if raw := facets[facet]; raw != nil {
			if err := json.Unmarshal(raw, &terms); err != nil {
				t.Fatal(err)
			}
		}
		return terms
	}
	for facet := range filterOfFacet {
		if len(terms(t, facet, map[string]any{})) < 2 {
			t.Errorf("the lot has no two values of %s", facet)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		filters := map[string]any{}
		for range rapid.IntRange(1, 3).Draw(t, "filters") {
			facet := rapid.SampledFrom(slices.Sorted(maps.Keys(filterOfFacet))).Draw(t, "facet")
			terms := terms(t, facet, filters)
			if _, taken := filters[filterOfFacet[facet]]; taken || len(terms) == 0 {
				continue
			}
			before := searchAtDoor(t, url, filters, 0, lot).stocks()
			next := maps.Clone(filters)
			for _, term := range terms {
				next[filterOfFacet[facet]] = []string{term.Value}
				whole := searchAtDoor(t, url, next, 0, lot)
				if whole.Total != term.Count || len(whole.Vehicles) != term.Count {
					t.Fatalf("%s counts %d of %q, the search finds %d and shows %d under %v", facet, term.Count, term.Value, whole.Total, len(whole.Vehicles), filters)
				}
				for _, stock := range whole.stocks() {
					if !slices.Contains(before, stock) {
						t.Fatalf("%v finds %s, which is not found without %s", next, stock, filterOfFacet[facet])
					}
				}
			}
			filters[filterOfFacet[facet]] = []string{rapid.SampledFrom(terms).Draw(t, "term").Value}
		}
		whole := searchAtDoor(t, url, filters, 0, lot).stocks()
		size := rapid.IntRange(1, 20).Draw(t, "page")
		var turned []string
		for skip := 0; skip < len(whole); skip += size {
			turned = append(turned, searchAtDoor(t, url, filters, skip, size).stocks()...)
		}
		if !slices.Equal(whole, turned) {
			t.Fatalf("pages of %d show %v, one page shows %v", size, turned, whole)
		}
	})
}
