package inventory_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// noon is the tests' clock.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func twoRooftops() *dealer.Profile {
	return &dealer.Profile{
		ID: "demo", Name: "Two Lots",
		Rooftops: []dealer.Rooftop{
			{Name: "North", Aliases: []string{"N-1"}},
			{Name: "South"},
		},
		Prices: dealer.Prices{Includes: "all_mandatory_charges"},
		Inventory: dealer.Inventory{
			MaxAge: dealer.Duration(200 * time.Hour), PageDefault: 20, PageMax: 100,
			RememberSold: dealer.Duration(720 * time.Hour),
		},
	}
}

// sixUnits is a lot with a unit for every rule: A priced with fees, B without
// a price, C pending, D sold, E a motorcycle, F electric.
const sixUnits = `[
{"vin":"1HGFE2F50NH500011","stock":"T100","vehicle_id":"v-a","year":2022,"make":"Honda","model":"Civic","trim":"EX","condition":"cpo","status":"available","price":26780,"list_price":24990,"mileage":22150,"rooftop":"North","fuel":"gas","body":"sedan","transmission":"8-speed automatic","exterior_color":"Crystal Black Pearl","fees":[{"name":"Documentation","amount":500},{"name":"Protection","amount":1290}],"updated_at":"2026-04-30T10:15:00Z"},
{"stock":"T101","vehicle_id":"v-b","vehicle_type":"car","year":2024,"make":"Honda","model":"Civic","trim":"Touring","condition":"new","status":"intransit","list_price":27990,"rooftop":"North","fuel":"hybrid","body":"sedan","updated_at":"2026-04-30T08:00:00Z"},
{"vin":"3MZBPABL0MM200022","stock":"S200","vehicle_id":"v-c","vehicle_type":"car","year":2021,"make":"Mazda","model":"3","condition":"used","status":"pending","price":18500,"mileage":40000,"rooftop":"South","fuel":"gas","body":"hatchback","updated_at":"2026-04-29T00:00:00Z"},
{"vin":"2FTEW1EP4NK300033","stock":"S201","vehicle_id":"v-d","vehicle_type":"car","year":2022,"make":"Ford","model":"F-150","condition":"used","status":"sold","price":42000,"mileage":9000,"rooftop":"South","body":"truck"},
{"vin":"ZD4KAA001R0400044","stock":"M300","vehicle_id":"v-e","vehicle_type":"motorcycle","year":2024,"make":"Aprilia","model":"Tuono","condition":"new","status":"available","price":25999,"mileage":3,"rooftop":"South","body":"touring","displacement_cc":1868,"other_attributes":{"final_drive":"belt"},"updated_at":"2026-04-28T00:00:00Z"},
{"vin":"5YJ3E1EB2KF500055","stock":"T102","vehicle_id":"v-f","vehicle_type":"car","year":2019,"make":"Tesla","model":"Model 3","condition":"used","status":"available","price":23900,"mileage":51000,"rooftop":"North","fuel":"bev","body":"sedan","electric_range_mi":240,"dc_fast_charge":true,"charge_port":"nacs","updated_at":"2026-04-27T00:00:00Z"}
]`

// letters are the six units by stock number.
var letters = map[string]string{"T100": "A", "T101": "B", "S200": "C", "S201": "D", "M300": "E", "T102": "F"}

// units reads listings; a status outside AAP's becomes the state.
func units(t testing.TB, rows string) []inventory.Vehicle {
	t.Helper()
	var listings []aap.Vehicle
	if err := json.Unmarshal([]byte(rows), &listings); err != nil {
		t.Fatal(err)
	}
	return states(listings...)
}

func states(listings ...aap.Vehicle) []inventory.Vehicle {
	var out []inventory.Vehicle
	for _, row := range listings {
		v := inventory.Vehicle{State: inventory.State(row.Status), Listing: row}
		if v.State == "" {
			v.State = inventory.Available
		}
		v.Listing.Status = ""
		v.Key = inventory.KeyOf(v.Listing)
		if !v.State.Listed() {
			v.GoneAt = noon.Add(-24 * time.Hour)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b inventory.Vehicle) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// stored is a store that holds the units, vouched for at the given time.
func stored(t testing.TB, all []inventory.Vehicle, vouched time.Time) *inventorytest.Memory {
	t.Helper()
	m := new(inventorytest.Memory)
	dates := map[string]time.Time{"": vouched}
	for _, v := range all {
		dates[v.Listing.Rooftop] = vouched
	}
	if _, err := m.Apply(t.Context(), "demo", inventory.Head{}, inventory.Change{Put: all, All: all, Vouched: dates}); err != nil {
		t.Fatal(err)
	}
	return m
}

func lotOf(t testing.TB, all []inventory.Vehicle) *inventory.Lot {
	t.Helper()
	return inventory.NewLot(stored(t, all, noon.Add(-time.Hour)), func() time.Time { return noon })
}

// found is a search answer as a buyer's agent reads it.
type found struct {
	Type string `json:"type"`
	Data struct {
		Total    int           `json:"total"`
		Skip     int           `json:"skip"`
		Limit    int           `json:"limit"`
		Vehicles []aap.Vehicle `json:"vehicles"`
	} `json:"data"`
	Message string `json:"message"`
}

func search(t testing.TB, l *inventory.Lot, p *dealer.Profile, request string) found {
	t.Helper()
	var req aap.SearchRequest
	if err := json.Unmarshal([]byte(request), &req); err != nil {
		t.Fatalf("request %s: %v", request, err)
	}
	reply, err := l.Search(t.Context(), p, req)
	if err != nil {
		t.Fatalf("search %s: %v", request, err)
	}
	b, err := reply.Append(nil, aap.InventorySearch)
	if err != nil {
		t.Fatal(err)
	}
	var out found
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("answer %s: %v", b, err)
	}
	if len([]rune(out.Message)) > 2000 {
		t.Errorf("message of %d characters", len(out.Message))
	}
	return out
}

// stocks lists the stock numbers of an answer in its order.
func (f found) stocks() string {
	var out []string
	for _, v := range f.Data.Vehicles {
		name := v.Stock
		if letter, ok := letters[name]; ok {
			name = letter
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// sorted is stocks in alphabetical order, for searches without a sort.
func (f found) sorted() string {
	names := strings.Fields(f.stocks())
	slices.Sort(names)
	return strings.Join(names, " ")
}
