package feed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/feed"
)

func TestJSONDocuments(t *testing.T) {
	const car = `{"vin":"` + vinA + `","stock_number":417,"year":2020,"make":"Honda","model":"Civic","price":20500.0,
		"images":["https:\/\/cdn.example.com\/1.jpg","https://cdn.example.com/2.jpg"],"trim":null,"pricing":{"dealer_cost":11111},"specs":{"fuel_type":"Gasoline"},
		"photos":[{"url":"https://cdn.example.com/3.jpg","tag":"x"}]}`
	for name, file := range map[string]string{
		"array":             "[" + car + "]",
		"root object":       `{"generated_at":"2026-03-08T10:00:00Z","total":1,"dealers":[{"name":"x"}],"vehicles":[` + car + `],"after":{"a":[1,2]}}`,
		"wrapped twice":     `{"data":{"inventory":[` + car + `]}}`,
		"with a mark":       "\xEF\xBB\xBF[" + car + "]",
		"one object a line": strings.ReplaceAll(strings.ReplaceAll(car, "\n", ""), `"specs":{"fuel_type":"Gasoline"}`, `"fuel":"Gasoline"`) + "\n",
	} {
		if name == "one object a line" {
			file = strings.ReplaceAll(file, `"pricing":{"dealer_cost":11111},`, "")
			file = strings.ReplaceAll(file, `,		"photos":[{"url":"https://cdn.example.com/3.jpg","tag":"x"}]`, `,"photo1":"", "image_url":"https://cdn.example.com/3.jpg"`)
		}
		t.Run(name, func(t *testing.T) {
			batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Modified: exported, Body: strings.NewReader(file)}, oneRooftop())
			if err != nil {
				t.Fatal(err)
			}
			v := batch.Vehicles[0].Listing
			if v.Stock != "417" || num(v.Price) != int64(20500) || v.Trim != "" || len(v.Photos) != 3 || v.Fuel != "gas" {
				t.Errorf("%+v %+v", v, rep.Columns)
			}
			if name == "root object" && !batch.VouchedAt.Equal(time.Date(2026, 3, 8, 10, 0, 0, 0, time.UTC)) {
				t.Errorf("vouched at %v", batch.VouchedAt)
			}
		})
	}
}

func TestABrokenJSONElementCostsItself(t *testing.T) {
	units, rep := read(t, oneRooftop(), `[{"stock":"1","year":2020,"make":"Kia","model":"Rio"},{"stock":2,,"x":"}"},7,"x",{"stock":"3","year":2020,"make":"Kia","model":"Rio"}]`)
	if len(units) != 2 || rep.Rejected != 3 {
		t.Errorf("%d units, %+v", len(units), rep)
	}
}

func TestObjectsOnLinesMayNest(t *testing.T) {
	const first = `{"stock":"1","year":2020,"make":"Kia","model":"Rio","price":{"amount":12000,"currency":"USD"},"specs":{"fuel_type":"Gas"}}` + "\n"
	units, _ := read(t, oneRooftop(), first+`{"stock":"2","year":2021,"make":"Kia","model":"Soul"}`+"\n\n")
	if len(units) != 2 || num(units[0].Listing.Price) != int64(12000) || units[0].Listing.Fuel != "gas" {
		t.Errorf("%+v", units)
	}
	cut := first + `{"stock":"2","year":2021,"mak`
	if _, _, err := feed.Read(t.Context(), feed.Source{Body: strings.NewReader(cut)}, oneRooftop()); !errors.Is(err, feed.ErrRefused) {
		t.Errorf("a file that was cut off: %v", err)
	}
}

func TestWhatTheFeedSaysOfATradeInIsNotTheCars(t *testing.T) {
	for _, name := range []string{"trade_in", "tradeIn", "trade-in", "trade", "vehicle_trade_in", "previousVehicle", "similar"} {
		doc := `[{"stock":"1","year":2020,"make":"Kia","model":"Rio","` + name +
			`":{"mileage":91000,"vin":"` + vinA + `","exterior_color":"Red","trim":"EX","price":900}}]`
		units, _ := read(t, oneRooftop(), doc)
		if l := units[0].Listing; l.Mileage != nil || l.VIN != "" || l.ExteriorColor != "" || l.Trim != "" || l.Price != nil {
			t.Errorf("%s: mileage %v, VIN %q, color %q, trim %q, price %v", name, num(l.Mileage), l.VIN, l.ExteriorColor, l.Trim, num(l.Price))
		}
	}
	units, _ := read(t, oneRooftop(), `[{"stock":"1","year":2020,"make":"Kia","model":"Rio","details":{"mileage":91000}}]`)
	if num(units[0].Listing.Mileage) != int64(91000) {
		t.Errorf("the car's own mileage: %v", num(units[0].Listing.Mileage))
	}
}
