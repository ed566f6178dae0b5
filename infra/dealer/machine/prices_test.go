package machine_test

import (
	"strings"
	"testing"
)

const declared = "prices:\n  includes: all_mandatory_charges\n"

func TestAPriceIsShownOnlyAsDeclared(t *testing.T) {
	doc := []any{object{"name": "Documentation", "amount": 500.0}}
	for _, v := range []struct {
		name, prices string
		car          object
		shown        object // nil values are absent
	}{
		{"the column is complete", declared, object{}, object{"price": 20000.0, "list_price": nil, "fees": nil}},
		{"nothing is declared", "", object{}, object{"price": nil, "list_price": 20000.0, "fees": nil}},
		{"a fee must be added", "prices: {includes: none, add_fees: [{name: Documentation, amount: 500}]}\n", object{}, object{"price": 20500.0, "list_price": 20000.0, "fees": doc}},
		{"there are no charges", "prices: {includes: none, add_fees: []}\n", object{}, object{"price": 20000.0, "fees": []any{}}},
		{"a car has fees of its own inside its price", declared, object{"fees": doc}, object{"price": 20000.0, "fees": doc}},
		{"a car's fees replace the rooftop's", "prices: {includes: none, add_fees: [{name: Preparation, amount: 900}]}\n", object{"fees": doc}, object{"price": 20500.0, "fees": doc}},
		{"fees and a list price never make a price", declared, object{"price": nil, "list_price": 19000, "fees": doc}, object{"price": nil, "list_price": 19000.0, "fees": doc}},
		{"two fees of one name are no list", declared, object{"fees": []object{{"name": "Doc", "amount": 500}, {"name": "Doc", "amount": 700}}}, object{"price": 20000.0, "fees": nil}},
		{"a discount is no fee", declared, object{"fees": []object{{"name": "Loyalty", "amount": -500}}}, object{"price": 20000.0, "fees": nil}},
		{"zero is no price", declared, object{"price": 0}, object{"price": nil}},
		{"a call is no price", declared, object{"price": "Call for price"}, object{"price": nil}},
		{"an instalment is no price", declared, object{"price": "$399/mo"}, object{"price": nil}},
		{"another currency is no price", declared, object{"price": "CAD 20000"}, object{"price": nil, "list_price": nil}},
		{"a column of the currency counts", declared, object{"currency": "EUR"}, object{"price": nil, "list_price": nil}},
		{"cents are not guessed at", declared, object{"price": "$20,000.00"}, object{"price": 20000.0}},
		{"a price for financed buyers is nobody's", declared, object{"finance_price": 18000, "price_with_trade_in": 17000, "military_price": 17500}, object{"price": 20000.0}},
		{"a price for financed buyers alone is none", declared, object{"price": nil, "finance_price": 18000}, object{"price": nil, "list_price": nil}},
		{"a sticker is context", declared, object{"msrp": 25000, "list_price": 21000}, object{"price": 20000.0, "msrp": 25000.0, "list_price": 21000.0}},
	} {
		t.Run(v.name, func(t *testing.T) {
			d := openLot(t, rows(map[string]object{"P1": v.car}), 1, fixed, replace(declared, v.prices))
			a := d.car(t, "P1")
			a.want("ok")
			for name, want := range v.shown {
				if got := a.payload.Data[name]; !equalJSON(t, got, want) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
			found := d.skill(t, request("inventory.search", `"filters":{"price_min":0}`)).number("total")
			if priced := v.shown["price"] != nil; priced != (found == 1) {
				t.Errorf("price_min 0 finds %d cars, the price is %v", found, v.shown["price"])
			}
		})
	}
}

func TestWhatTheDealerPaidReachesNoBuyer(t *testing.T) {
	const secret = "13579"
	d := openLot(t, rows(map[string]object{"C1": {
		"cost": 13579, "invoice": "13579", "wholesale_price": 13579, "book_value": 13579, "dealer_cost": "$13,579", "floor_price": 13579,
		"pricing": object{"invoice": 13579},
	}}), 1, fixed)
	for _, payload := range []string{request("inventory.search", ``), request("inventory.facets", ``), request("inventory.vehicle", `"stock":"C1"`), request("inventory.search", `"filters":{"query":"13579"}`)} {
		if a := d.skill(t, payload); strings.Contains(strings.ReplaceAll(string(a.body), ",", ""), secret) {
			t.Errorf("%s is answered by %s", payload, a.body)
		}
	}
}

func TestRooftopFeesStayWithTheRooftop(t *testing.T) {
	d := openLot(t, rows(map[string]object{"C1": {}}), 1, fixed, replace("  - name: South\n", "  - name: South\n    fees: []\n"))
	rooftops, _ := d.skill(t, information).payload.Data["rooftops"].([]any)
	if len(rooftops) != 2 {
		t.Fatalf("rooftops %v", rooftops)
	}
	if fees, _ := rooftops[0].(object)["fees"].([]any); len(fees) != 2 {
		t.Errorf("North: %v", rooftops[0])
	}
	if fees, ok := rooftops[1].(object)["fees"].([]any); !ok || len(fees) != 0 {
		t.Errorf("no charges are not declared: %v", rooftops[1])
	}
	if a := d.car(t, "C1"); a.payload.Data["fees"] != nil {
		t.Errorf("the rooftop's list is joined onto the car: %s", a.body)
	}
}

func TestInformationSaysAllOfTheRooftop(t *testing.T) {
	d := openLot(t, rows(map[string]object{"C1": {}}), 1, fixed, replace("name: Demo Group\n", "name: Demo Group\nwelcome_message: Welcome.\n"), replace("  - name: South\n", `  - name: South
    legal_name: South Motors LLC
    website: https://south.example/
    geo: {latitude: 39.7, longitude: -104.9}
    emails: [{name: Sales, value: sales@south.example}]
    address: {line1: 1 Main St, line2: Suite 2, city: Denver, state: CO, zip: "80202"}
    hours: [{name: Sales, days: {monday: "09:00-19:00", sunday: closed}}]
    notes: Closed on Thanksgiving.
    capabilities: [motorcycle_sales, powersports]
`))
	a := d.skill(t, information)
	a.want("ok")
	rooftop, _ := a.payload.Data["rooftops"].([]any)[1].(object)
	for name, want := range map[string]any{
		"name": "South", "legal_name": "South Motors LLC", "website": "https://south.example/", "geo": object{"latitude": 39.7, "longitude": -104.9},
		"emails": []any{object{"name": "Sales", "value": "sales@south.example"}}, "phones": []any{object{"name": "Sales", "value": "+13035550100"}},
		"address":   object{"address_line_1": "1 Main St", "address_line_2": "Suite 2", "city": "Denver", "state": "CO", "zip": "80202", "country": "US"},
		"schedules": []any{object{"name": "Sales", "value": object{"monday": object{"open": "09:00", "close": "19:00"}, "sunday": nil}}},
		"timezone":  "America/Denver", "notes": "Closed on Thanksgiving.", "capabilities": []any{"motorcycle_sales", "powersports"}, "fees": nil,
	} {
		if !equalJSON(t, rooftop[name], want) {
			t.Errorf("%s is %v, want %v", name, rooftop[name], want)
		}
	}
	if a.payload.Data["welcome_message"] != "Welcome." {
		t.Errorf("no welcome in %s", a.body)
	}
	if b := d.skill(t, information); !equalJSON(t, a.payload, b.payload) {
		t.Error("two calls are told two things")
	}
}
