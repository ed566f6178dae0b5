package feed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestPriceCells(t *testing.T) {
	for value, want := range map[string]any{
		"21490": int64(21490), "$21,490": int64(21490), "21,490.00": int64(21490), "$ 21 490": int64(21490), "USD 21490": int64(21490),
		"21490 USD": int64(21490), "US$21,490": int64(21490), "21490.5": int64(21491), "21.490,00": int64(21490), "21'490": int64(21490),
		"$21,490 OBO": int64(21490), "105,950.00": int64(105950), "21490.00 $": int64(21490), "1,234,567": int64(1234567),
		// no price
		"0": nil, "$0": nil, "0.00": nil, "": nil, "Call": nil, "CALL FOR PRICE": nil, "N/A": nil, "-": nil, "null": nil, "TBD": nil, "Contact us": nil,
		// other money
		"48900.00 CAD": nil, "C$48,900": nil, "€21.490": nil, "£20,000": nil, "105 950,00 kr": nil, "21490 EUR": nil,
		// not what every buyer pays, or not certain
		"$199/mo": nil, "299 per month": nil, "$109 weekly": nil, "$2,000 down": nil, "19,990 after rebate": nil, "$21,490 w/ financing": nil,
		"21.490": nil, "21,49": nil, "21k": nil, "20,000-22,000": nil, "-500": nil, "$21,490 + fees": nil, "Was $25,000 Now $21,490": nil,
		"2149O": nil, "1": nil, "99": nil, "9999999": nil, "99999999": nil, "1e5": nil, "21,4900": nil, "21490 OTD": nil,
	} {
		v, _ := cell(t, oneRooftop(), "price", value)
		if diff := cmp.Diff(want, num(v.Price)); diff != "" {
			t.Errorf("%q: %s", value, diff)
		}
		if v.ListPrice != nil {
			t.Errorf("%q: list price %v of a complete price", value, *v.ListPrice)
		}
	}
}

func TestThePriceColumnIsShownAsTheProfileDeclaresIt(t *testing.T) {
	fee := []dealer.Fee{{Name: "Doc fee", Amount: 899}}
	for name, c := range map[string]struct {
		prices     dealer.Prices
		price, lst any
		fees       string
	}{
		"not declared":          {dealer.Prices{}, nil, int64(24990), "null"},
		"complete":              {dealer.Prices{Includes: dealer.PricesComplete}, int64(24990), nil, "null"},
		"fee to be added":       {dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: fee}, int64(25889), int64(24990), `[{"name":"Doc fee","amount":899}]`},
		"no mandatory charges":  {dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{}}, int64(24990), nil, `[]`},
		"in Canadian dollars":   {dealer.Prices{Includes: dealer.PricesComplete, Currency: "CAD"}, nil, nil, "null"},
		"declared US dollars":   {dealer.Prices{Includes: dealer.PricesComplete, Currency: "USD"}, int64(24990), nil, "null"},
		"declared us, lower":    {dealer.Prices{Includes: dealer.PricesComplete, Currency: "usd"}, int64(24990), nil, "null"},
		"in kronor, undeclared": {dealer.Prices{Currency: "SEK"}, nil, nil, "null"},
	} {
		p := oneRooftop()
		p.Prices = c.prices
		v, _ := cell(t, p, "price", "$24,990")
		fees, _ := json.Marshal(v.Fees)
		if num(v.Price) != c.price || num(v.ListPrice) != c.lst || string(fees) != c.fees {
			t.Errorf("%s: price %v list %v fees %s", name, num(v.Price), num(v.ListPrice), fees)
		}
	}
}

func TestListPriceAndFeesOfTheFeedNeverMakeAPrice(t *testing.T) {
	p := oneRooftop()
	p.Prices = dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{{Name: "Doc fee", Amount: 899}}}
	v, _ := one(t, p, "vin;year;make;model;list price;msrp;fees\n"+vinA+";2020;Honda;Civic;24990;26000;Doc fee: 85|Add-on: 1705\n")
	if v.Price != nil || num(v.ListPrice) != int64(24990) || num(v.MSRP) != int64(26000) || len(v.Fees) != 2 {
		t.Errorf("%+v", v)
	}
}

func TestFeesOfTheFeedStandBesideThePriceThatHoldsThem(t *testing.T) {
	const file = "vin|year|make|model|price|list price|fees\n" + vinA + "|2020|Honda|Civic|26780|24990|"
	v, rep := one(t, oneRooftop(), file+"Doc fee: $85; Add-on: 1,705\n")
	if num(v.Price) != int64(26780) || len(v.Fees) != 2 || v.Fees[1].Amount != 1705 || num(v.ListPrice) != int64(24990) {
		t.Errorf("%+v", v)
	}
	if warned(rep, "add up") {
		t.Errorf("85 + 1705 + 24990 is the price: %+v", rep.Warnings)
	}
	if _, rep = one(t, oneRooftop(), file+"Doc fee=85\n"); !warned(rep, "do not add up to the price") {
		t.Errorf("no warning: %+v", rep.Warnings)
	}
	for _, bad := range []string{"Doc fee", "Doc fee: x", "a: 5|a: 6", "a: -5", "a: 5%", "a: 5|b"} {
		v, rep := cell(t, oneRooftop(), "fees", bad)
		if v.Fees != nil || !warned(rep, "fees that cannot be read") {
			t.Errorf("%q: %+v", bad, v.Fees)
		}
	}
}

func TestThePriceColumnThatTheProfileNamesIsTheOneUsed(t *testing.T) {
	const file = "VIN,Year,Make,Model,MSRP,SellingPrice,Internet_Price,Invoice\n" + vinA + ",2020,Honda,Civic,30000,28500,27995,26000\n"
	p := oneRooftop()
	p.Feed.Columns = map[string]string{"price": "internet price"}
	v, _ := one(t, p, file)
	if num(v.Price) != int64(27995) || num(v.MSRP) != int64(30000) {
		t.Errorf("%+v", v)
	}
	if _, rep := one(t, oneRooftop(), file); !warned(rep, "several price columns; SellingPrice is used, not Internet_Price") {
		t.Errorf("%+v", rep.Warnings)
	}
	p.Feed.Columns["price"] = "Web Price"
	v, rep := one(t, p, file)
	if v.Price != nil || !warned(rep, "does not have: price: Web Price") {
		t.Errorf("another price stands in for the named one: %v %+v", num(v.Price), rep.Warnings)
	}
}

func TestMileageCells(t *testing.T) {
	for _, c := range []struct {
		header, value, unit string
		want                any
	}{
		{"mileage", "41250", "", int64(41250)}, {"miles", "41,250", "", int64(41250)}, {"Odometer", "2,777 miles", "", int64(2777)},
		{"mileage", "7560 km", "", int64(4698)}, {"mileage", "77000", "km", int64(47846)}, {"Odometer (km)", "77000", "", int64(47846)},
		{"odometer miles", "77000", "km", int64(77000)}, {"mileage", "77000 mi", "km", int64(77000)}, {"mileage", "192 850 km", "", int64(119831)},
		{"mileage", "41250.0", "", int64(41250)}, {"mileage", "12k", "", nil}, {"mileage", "12.345", "", nil}, {"mileage", "TMU", "", nil},
		{"mileage", "N/A", "", nil}, {"mileage", "", "", nil}, {"mileage", "0", "", nil}, {"mileage", "-5", "", nil}, {"mileage", "1,23", "", nil},
		{"mileage", "9999999", "", nil}, {"mileage", "10-20", "", nil}, {"mileage", "77000 mil", "", nil},
	} {
		p := oneRooftop()
		p.Feed.MileageUnit = c.unit
		v, rep := cell(t, p, c.header, c.value)
		if num(v.Mileage) != c.want {
			t.Errorf("%s %q unit %q: %v, want %v", c.header, c.value, c.unit, num(v.Mileage), c.want)
		}
		if c.want == nil && c.value != "" && c.value != "N/A" && len(rep.Warnings) == 0 {
			t.Errorf("%q is left out silently", c.value)
		}
	}
	v, _ := one(t, oneRooftop(), "vin,year,make,model,condition,miles\n"+vinA+",2026,Honda,Civic,New,0\n")
	if num(v.Mileage) != int64(0) {
		t.Errorf("0 miles of a new unit: %v", num(v.Mileage))
	}
	v, _ = one(t, oneRooftop(), "vin,year,make,model,mileage.value,mileage.unit\n"+vinA+",2020,Honda,Civic,1000,KM\n")
	if num(v.Mileage) != int64(621) {
		t.Errorf("unit column: %v", num(v.Mileage))
	}
}

func TestANewUnitWithMilesIsKeptAndReported(t *testing.T) {
	v, rep := one(t, oneRooftop(), "vin,year,make,model,condition,miles\n"+vinA+",2026,Honda,Civic,New,412\n")
	if num(v.Mileage) != int64(412) || v.Condition != "new" || !warned(rep, "more than 100 miles") {
		t.Errorf("%+v %+v", v, rep.Warnings)
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct{ value, order, want string }{
		{"3/5/26", "", "2026-03-05"}, {"3/5/26", "dmy", "2026-05-03"}, {"26/3/5", "ymd", "2026-03-05"}, {"12/31/2025", "mdy", "2025-12-31"},
		{"2026-03-05", "dmy", "2026-03-05"}, {"2026-03-05T10:00:00Z", "", "2026-03-05"}, {"20260305", "", "2026-03-05"}, {"Mar 5, 2026", "", "2026-03-05"},
		{"5-Mar-2026", "", "2026-03-05"}, {"05.03.2026", "dmy", "2026-03-05"}, {"3/5/2026 12:00 AM", "", "2026-03-05"},
		{"31/12/2025", "mdy", ""}, {"2/30/2026", "", ""}, {"soon", "", ""}, {"0000-00-00", "", ""}, {"45000", "", ""}, {"3/5", "", ""}, {"13/13/2025", "", ""},
	} {
		p := oneRooftop()
		p.Feed.DateOrder = c.order
		v, rep := cell(t, p, "DateInStock", c.value)
		if v.InventoryDate != c.want {
			t.Errorf("%q as %q: %q, want %q", c.value, c.order, v.InventoryDate, c.want)
		}
		if c.want == "" && !warned(rep, "inventory_date") {
			t.Errorf("%q is left out silently", c.value)
		}
	}
}

func TestUpdatedAtOfARowIsAnInstantOfTheRooftop(t *testing.T) {
	p := oneRooftop()
	for value, want := range map[string]string{
		"2026-03-01T10:00:00-07:00": "2026-03-01T17:00:00Z", "2026-03-01 10:00:00": "2026-03-01T10:00:00Z", "3/1/2026": "2026-03-01T00:00:00Z",
		"3/1/2026 3:04 PM": "2026-03-01T15:04:00Z", "whenever": "", "2030-01-01T00:00:00Z": "",
	} {
		if v, _ := cell(t, p, "last_updated", value); v.UpdatedAt != want {
			t.Errorf("%q: %q, want %q", value, v.UpdatedAt, want)
		}
	}
}

func TestPhotoLists(t *testing.T) {
	const a, b = "https://x.example.com/a.jpg", "https://x.example.com/b.jpg?w=1,2"
	for value, want := range map[string][]string{
		a + ", " + b: {a, b}, a + "," + b: {a, b}, a + "|" + b: {a, b}, a + " " + b: {a, b}, a + "|" + a: {a},
		a: {a}, b: {b}, `["` + a + `","` + b + `"]`: {a, b}, "//x.example.com/c.jpg": {"https://x.example.com/c.jpg"},
		"https://x.example.com/a b.jpg": {"https://x.example.com/a%20b.jpg"}, "https://x.example.com/é|1.jpg": {"https://x.example.com/%C3%A9%7C1.jpg"},
		"https://x.example.com/?next=http://y.example.com": {"https://x.example.com/?next=http://y.example.com"},
		"a.jpg|b.jpg": nil, "javascript:alert(1)": nil, "http://": nil, "ftp://x/a.jpg": nil, "N/A": nil, "https://[x]/a.jpg": nil,
	} {
		v, _ := one(t, oneRooftop(), "stock\tyear\tmake\tmodel\tImageList\nA1\t2020\tHonda\tCivic\t"+value+"\n")
		if diff := cmp.Diff(want, v.Photos); diff != "" && len(want)+len(v.Photos) > 0 {
			t.Errorf("%q: %s", value, diff)
		}
	}
	v, _ := one(t, oneRooftop(), "stock;year;make;model;image[0].url;image[1].url\nA1;2020;Honda;Civic;"+a+";"+b+"\n")
	if diff := cmp.Diff([]string{a, b}, v.Photos); diff != "" {
		t.Error(diff)
	}
	v, _ = one(t, oneRooftop(), "stock;year;make;model;photos\nA1;2020;Honda;Civic;"+`"`+a+";"+b+`"`+"\n")
	if diff := cmp.Diff([]string{a, b}, v.Photos); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptionsArePlainText(t *testing.T) {
	for value, want := range map[string]string{
		"<p>One <b>owner</b>.</p><ul><li>Clean</li><li>Fast &amp; good</li></ul>": "One owner.\n\nClean\n\nFast & good",
		"a<br>b<br/>c": "a\nb\nc", "5 < 6 and 7 > 2": "5 < 6 and 7 > 2", "x<script>alert('1')</script>y": "xy", "a\x00b\x1b[31mc\x07": "ab[31mc",
		"Caf&eacute; &lt;b&gt;": "Café <b>", "&#0;a": "a", "a\u200b\ufeffb\u202e": "ab", "  a \u00a0 b  ": "a b", "<!-- x -->y": "y", "N/A": "",
	} {
		v, _ := one(t, oneRooftop(), "stock\tyear\tmake\tmodel\tdescription\nA1\t2020\tHonda\tCivic\t"+value+"\n")
		if v.Description != want {
			t.Errorf("%q: %q, want %q", value, v.Description, want)
		}
	}
}

func TestNamesOfMakesAndModels(t *testing.T) {
	for _, c := range []struct{ make, model, trim, wantMake, wantModel, wantTrim string }{
		{"Mercedes", "C 300", "", "Mercedes-Benz", "C 300", ""}, {"CHEVY", "Tahoe", "LT", "Chevrolet", "Tahoe", "LT"}, {"vw", "Golf", "", "Volkswagen", "Golf", ""},
		{"HONDA", "Civic EX", "EX", "Honda", "Civic", "EX"}, {"Honda", "Honda Civic", "", "Honda", "Civic", ""}, {"Honda", "EX", "EX", "Honda", "EX", "EX"},
		{"Land", "Rover Range Rover Sport", "", "Land Rover", "Range Rover Sport", ""}, {"Acme Moto", "Grand Tourer", "", "Acme Moto", "Grand Tourer", ""},
		{"BMW", "330i", "N/A", "BMW", "330i", ""}, {"harley davidson", "Sportster", "", "Harley-Davidson", "Sportster", ""},
	} {
		v, _ := one(t, oneRooftop(), "stock;year;make;model;trim\nA1;2020;"+c.make+";"+c.model+";"+c.trim+"\n")
		if v.Make != c.wantMake || v.Model != c.wantModel || v.Trim != c.wantTrim {
			t.Errorf("%+v: %q %q %q", c, v.Make, v.Model, v.Trim)
		}
	}
}

func TestWordsThatSayNothingAreAbsent(t *testing.T) {
	for _, word := range []string{"", "-", "--", "N/A", "n/a", "NA", "null", "NULL", "None", "Unknown", "Unspecified", "no_color", "TBD", "#N/A", "?"} {
		v, _ := one(t, oneRooftop(), "stock;year;make;model;trim;color;interior;fuel;transmission;drivetrain;body;engine;vin\nA1;2020;Honda;Civic"+strings.Repeat(";"+word, 9)+"\n")
		if v.Trim+v.ExteriorColor+v.InteriorColor+v.Fuel+v.Transmission+v.Driveline+v.Body+v.Engine+v.VIN+v.VehicleID != "" {
			t.Errorf("%q: %+v", word, v)
		}
	}
}

func TestSpecWords(t *testing.T) {
	for _, c := range []struct{ header, value, member, want string }{
		{"body", "4d Sedan 2.5", "body", "sedan"}, {"body", "2d Coupe", "body", "coupe"}, {"body", "Crew Cab Pickup", "body", "truck"}, {"body", "Sport Utility", "body", "suv"},
		{"body", "Cruiser", "body", "Cruiser"}, {"body", "Other", "body", ""}, {"body", "Other", "vehicle_type", ""}, {"category", "Other", "vehicle_type", ""}, {"category", "ATV", "vehicle_type", "other"}, {"fuel", "Gasoline / Electric Hybrid", "fuel", "hybrid"}, {"fuel", "Plug-In Hybrid", "fuel", "phev"},
		{"fuel", "Gasoline Fuel", "fuel", "gas"}, {"fuel", "Electric", "fuel", "bev"}, {"fuel", "Flex Fuel Vehicle", "fuel", "flex fuel"}, {"fuel", "Diesel", "fuel", "diesel"},
		{"drivetrain", "AllWheelDriveConfiguration", "driveline", "awd"}, {"drivetrain", "4x4", "driveline", "4wd"}, {"drivetrain", "4x2", "driveline", "4x2"},
		{"drivetrain", "Front Wheel Drive", "driveline", "fwd"}, {"trans", "A", "transmission", "automatic"}, {"trans", "9 Speed Automatic", "transmission", "9-speed automatic"},
		{"trans", "CVT", "transmission", "cvt"}, {"charge port", "CCS Combo", "charge_port", "ccs"}, {"type", "Motorcycle", "vehicle_type", "motorcycle"},
		{"category", "Motorcycle/Powersports", "vehicle_type", ""}, {"category", "Travel Trailer", "vehicle_type", "rv"}, {"type", "Used", "condition", "used"},
		{"body", "Utility Trailer", "vehicle_type", "trailer"}, {"type", "Certified", "condition", "cpo"}, {"new/used", "N", "condition", "new"}, {"condition", "weird", "condition", ""},
	} {
		v, _ := one(t, oneRooftop(), "stock;year;make;model;"+c.header+"\nA1;2025;Honda;Civic;"+c.value+"\n")
		b, _ := json.Marshal(v)
		var got map[string]any
		_ = json.Unmarshal(b, &got)
		if s, _ := got[c.member].(string); s != c.want {
			t.Errorf("%s %q: %s is %q, want %q", c.header, c.value, c.member, s, c.want)
		}
	}
}

func TestStates(t *testing.T) {
	p := oneRooftop()
	p.Feed.Statuses = map[string]string{"Ready To Roll": "available", "in stock": "pending"}
	for value, want := range map[string]inventory.State{
		"": inventory.Available, "N/A": inventory.Available, "Available": inventory.Available, "ready to roll": inventory.Available, "In Stock": inventory.Pending,
		"In Transit": inventory.InTransit, "in-transit": inventory.InTransit, "Sale Pending": inventory.Pending, "SOLD": inventory.Sold, "out of stock": inventory.Sold,
		"Wholesale": inventory.Hidden, "Dealer Hold": inventory.Hidden, "On Order": inventory.Hidden, "mystery": inventory.Hidden, "preorder": inventory.Hidden,
		"Sold to J. Public": inventory.Sold, "HOLD - Public 555-0100": inventory.Hidden, "someone 415-555-0100": inventory.Hidden,
	} {
		units, rep := read(t, p, "stock;year;make;model;status\nA1;2020;Honda;Civic;"+value+"\nA2;2020;Honda;Fit;available\n")
		if units[0].State != want || units[0].Listing.Status != "" {
			t.Errorf("%q: %s, want %s", value, units[0].State, want)
		}
		if hidden := sum(rep.Hidden); (hidden == 1) == want.Listed() || rep.Visible+hidden != 2 {
			t.Errorf("%q: hidden %v, visible %d", value, rep.Hidden, rep.Visible)
		}
		js, _ := json.Marshal(rep)
		if strings.Contains(strings.ToLower(string(js)), "public") || strings.Contains(string(js), "0100") {
			t.Errorf("%q: a customer in the report: %s", value, js)
		}
		if value == "mystery" && !warned(rep, `"mystery" is unknown`) {
			t.Errorf("%+v", rep.Warnings)
		}
	}
	units, _ := read(t, oneRooftop(), "stock,year,make,model\nA1,2020,Honda,Civic\n")
	if units[0].State != inventory.Available {
		t.Errorf("no status column: %s", units[0].State)
	}
}
