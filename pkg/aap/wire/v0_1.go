package wire

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// AAP v0.1 writes money as {amount, currency}, says when a vehicle was last
// verified and in free words how it stands, asks for visits by windows of
// time, and knows one dealer rather than rooftops. Its details of vehicles are
// undeclared on a lead's, so that any value may stand there.
var _ = older("v0.1", step{
	up: func(s aap.Skill, request *object, c Context) {
		switch s {
		case aap.InventorySearch, aap.InventoryFacets:
			filters := request.object("filters")
			filters.whole("price_min", math.Ceil)
			filters.whole("price_max", math.Floor)
			sort := request.object("sort")
			if field, _ := sort.text("field"); field == "last_verified_at" {
				sort.set("field", "updated_at")
			}
		case aap.LeadSubmit:
			for _, vehicle := range leadVehicles(request) {
				flattened(vehicle)
			}
			visit(request.object("appointment"), c.Clock)
		}
	},
	down: func(s aap.Skill, response *object, c Context) {
		data := response.object("data")
		for _, vehicle := range listings(s, data) {
			detailed(vehicle, c.Currency)
		}
		f := facets(s, data)
		f.drop("rooftops")
		for _, term := range f.objects("statuses") {
			spoken(term, "value")
		}
		switch s {
		case aap.DealerInformation:
			oneDealer(response, c)
		case aap.LeadSubmit:
			windows(data.object("appointment"))
		}
	},
})

// moneyMembers are the amounts of a vehicle; offered_price goes with v1.0.
var moneyMembers = []string{"price", "list_price", "msrp"}

// flattened takes a lead's vehicle to the one flat shape.
func flattened(v *object) {
	for _, name := range moneyMembers {
		v.keepIf(func(value json.RawMessage) bool { return kind(value) == '{' }, name)
		money := v.object(name)
		if money == nil {
			continue
		}
		currency, _ := money.text("currency")
		money.whole("amount", math.Round)
		if amount := money.raw("amount"); currency == "USD" && isCount(amount) {
			v.setRaw(name, amount)
		} else {
			v.drop(name) // dollars are all there is from v0.2 on
		}
	}
	v.drop("status") // free words here, and of no use on a buyer's vehicle
	v.keepIf(isTextOrNull, "rooftop")
	v.keepIf(isText, "dealer_id", "vehicle_id", "driveline", "engine", "fuel", "exterior_color", "interior_color", "description", "notes")
	v.keepIf(isCount, "city_mpg", "highway_mpg")
	v.keepIf(isAmount, "electric_range_mi")
	v.keepIf(listOf(isText), "features")
	v.keepIf(listOf(isURI), "photos")
	v.keepIf(isURI, "vdp_url")
	v.keepIf(isDate, "inventory_date")
	v.keepIf(isTime, "updated_at")
	if mpg := v.object("mpg"); mpg != nil {
		for from, to := range map[string]string{"city": "city_mpg", "highway": "highway_mpg"} {
			if n := mpg.raw(from); isCount(n) && v.find(to) == nil {
				v.setRaw(to, n)
			}
		}
	}
	if isTime(v.raw("last_verified_at")) {
		v.rename("last_verified_at", "updated_at")
	}
	v.drop("mpg", "last_verified_at")
}

// whole rounds a number member to a whole one, as decimal digits; what is
// whole already stays as it is spelt.
func (o *object) whole(name string, round func(float64) float64) {
	value := o.raw(name)
	if !isNumber(value) || isCount(value) {
		return
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err == nil {
		o.setRaw(name, strconv.AppendFloat(nil, round(n)+0, 'f', 0, 64)) // +0 takes the sign off a zero
	}
}

// statusWords are what dealers' systems call the states of a listing.
var statusWords = map[string]string{"available": "In Stock", "intransit": "In Transit", "pending": "Pending"}

func spoken(o *object, name string) {
	if status, ok := o.text(name); ok && statusWords[status] != "" {
		o.set(name, statusWords[status])
	}
}

// detailed takes a listing to the shape with money and mileage objects.
func detailed(v *object, currency string) {
	for _, name := range moneyMembers {
		if amount := v.raw(name); amount != nil {
			money := &object{}
			money.setRaw("amount", amount)
			money.set("currency", currency)
			v.setRaw(name, money.append(nil))
		}
	}
	v.drop("mpg")
	mpg := &object{}
	for _, pair := range [][2]string{{"city_mpg", "city"}, {"highway_mpg", "highway"}} {
		if n := v.raw(pair[0]); n != nil {
			mpg.setRaw(pair[1], n)
		}
	}
	if len(mpg.members) > 0 {
		v.setRaw("mpg", mpg.append(nil))
	}
	v.drop("city_mpg", "highway_mpg", "last_verified_at")
	v.rename("updated_at", "last_verified_at")
	spoken(v, "status")
}
