package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExportsAsDealersSendThemAreReadRight(t *testing.T) {
	const head = "stock,year,make,model,price\n"
	for _, c := range []exportCase{
		{
			name: "a byte-order mark before the first column", file: "\ufeffvin,stock,year,make,model,price\n19XFL2H89PE020417,A1,2023,Honda,Civic,21500\n",
			units: map[string]string{"A1": `{"vin":"19XFL2H89PE020417","price":21500}`},
		},
		{
			name: "a byte-order mark inside the quotes", file: "\"\ufeffStock\",Year,Make,Model\nA1,2023,Honda,Civic\n",
			units: map[string]string{"A1": `{"model":"Civic"}`},
		},
		{
			name: "a byte-order mark that went through Windows-1252", file: "ï»¿stock,year,make,model\nA1,2023,Honda,Civic\n",
			units: map[string]string{"A1": `{"model":"Civic"}`},
		},
		{
			name: "pipes", file: "stock|year|make|model|price\nA1|2020|Kia|Rio, LX|9000\nA2|2021|Kia|Soul|9100\nA3|2022|Kia|K5|9200\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A2 A3"},
		},
		{
			name: "semicolons, with a line for the spreadsheet", file: "sep=;\nstock;year;make;model;price\nA1;2020;Kia;Rio;9000\n",
			units: map[string]string{"A1": `{"price":9000}`},
		},
		{
			name: "tabs under quoted names with commas", file: "\"stock\"\t\"year\"\t\"make\"\t\"model\"\t\"options, all\"\nA1\t2020\tKia\tRio\ta, b\n",
			units: map[string]string{"A1": `{"model":"Rio"}`},
		},
		{
			name: "prices that are none", file: head + "A1,2020,Kia,Rio,0\nA2,2020,Kia,Rio,\nA3,2020,Kia,Rio,Call\nA4,2020,Kia,Rio,$0.00\nA5,2020,Kia,Rio,POA\nA6,2020,Kia,Rio,9000\nA7,2020,Kia,Rio,See dealer\nA8,2020,Kia,Rio,1\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A2 A3 A4 A5 A6 A7 A8", `"price_max":99999`: "A6", `"price_min":0`: "A6"},
			units: map[string]string{"A1": `{"price":null,"list_price":null}`, "A3": `{"price":null,"list_price":null}`},
		},
		{
			name: "five price columns, one of them named", settings: "feed: {columns: {price: Internet_Price}}\n",
			file:  "stock,year,make,model,MSRP,BookValue,Invoice,SellingPrice,Internet_Price\nA1,2026,Kia,K5,30000,24123,26456,28500,27995\n",
			units: map[string]string{"A1": `{"price":27995,"msrp":30000,"list_price":null}`},
		},
		{
			name: "inch marks and stray quotes", file: "stock,year,make,model,description\nA1,2020,Ram,1500,\"20\" wheels, tow\"\nA2,2020,Ram,1500,6'4\" box\nA3,2020,Ram,1500,\"17\"\" alloys\"\nA4,2020,Ram,1500,\"bold\" and 22\" rims\nA5,2020,Ram,1500,plain\n",
			found:  map[string]string{`"make":["Ram"]`: "A1 A2 A3 A4 A5"},
			units:  map[string]string{"A1": `{"description":"20\" wheels, tow"}`, "A2": `{"description":"6'4\" box"}`, "A3": `{"description":"17\" alloys"}`, "A5": `{"description":"plain"}`},
			report: []string{"quotes in the wrong place"},
		},
		{
			name: "a quote that is never closed", file: "stock,year,make,model,description\nA1,2020,Ram,1500,\"20 inch wheels\nA2,2020,Ram,1500,plain\nA3,2020,Ram,1500,plain\n",
			found: map[string]string{`"stock":"A3"`: "A3", `"stock":"A2"`: "A2"},
		},
		{
			name: "lists of photos", file: "stock,year,make,model,photos\n" +
				"A1,2020,Kia,Rio,\"https://x.example.com/a.jpg, https://x.example.com/b.jpg\"\n" +
				"A2,2020,Kia,Rio,https://x.example.com/a.jpg|https://x.example.com/b.jpg\n" +
				"A3,2020,Kia,Rio,https://x.example.com/a.jpg;https://x.example.com/b.jpg\n" +
				"A4,2020,Kia,Rio,\"https://x.example.com/a.jpg?w=1,2\"\n" +
				"A5,2020,Kia,Rio,https://x.example.com/a.jpg https://x.example.com/b.jpg\n",
			units: map[string]string{
				"A1": `{"photos":["https://x.example.com/a.jpg","https://x.example.com/b.jpg"]}`, "A2": `{"photos":["https://x.example.com/a.jpg","https://x.example.com/b.jpg"]}`,
				"A3": `{"photos":["https://x.example.com/a.jpg","https://x.example.com/b.jpg"]}`, "A4": `{"photos":["https://x.example.com/a.jpg?w=1,2"]}`,
				"A5": `{"photos":["https://x.example.com/a.jpg","https://x.example.com/b.jpg"]}`,
			},
		},
		{
			name: "one id twice", file: "vehicle_id,stock,year,make,model,price\n77,A1,2020,Kia,Rio,9000\n77,A1,2020,Kia,Rio,8000\n78,A2,2020,Kia,Soul,9500\n",
			found:  map[string]string{`"make":["Kia"]`: "A1 A2"},
			units:  map[string]string{"A1": `{"price":9000}`},
			report: []string{"the same unit again; differs in price"},
		},
		{
			name: "dates with the month first", settings: "feed: {date_order: mdy}\n",
			file: "stock,year,make,model,DateInStock\nA1,2020,Kia,Rio,3/5/26\nA2,2020,Kia,Rio,soon\nA3,2020,Kia,Rio,2026-03-05T08:00:00\nA4,2020,Kia,Rio,\"Mar 5, 2026\"\nA5,2020,Kia,Rio,20260305\nA6,2020,Kia,Rio,02/30/2026\nA7,2020,Kia,Rio,5-Mar-2026\nA8,2020,Kia,Rio,3/5/2026 12:00:00 AM\nA9,2020,Kia,Rio,\"March 5, 2026\"\n",
			units: map[string]string{
				"A1": `{"inventory_date":"2026-03-05"}`, "A2": `{"inventory_date":null}`, "A3": `{"inventory_date":"2026-03-05"}`, "A4": `{"inventory_date":"2026-03-05"}`,
				"A5": `{"inventory_date":"2026-03-05"}`, "A6": `{"inventory_date":null}`, "A7": `{"inventory_date":"2026-03-05"}`, "A8": `{"inventory_date":"2026-03-05"}`, "A9": `{"inventory_date":"2026-03-05"}`,
			},
		},
		{
			name: "dates with the day first", settings: "feed: {date_order: dmy}\n",
			file:  "stock,year,make,model,DateInStock\nA1,2020,Kia,Rio,3/5/26\nA2,2020,Kia,Rio,05.03.2026\n",
			units: map[string]string{"A1": `{"inventory_date":"2026-05-03"}`, "A2": `{"inventory_date":"2026-03-05"}`},
		},
		{
			name: "a new car with miles, a used one without", file: "stock,year,make,model,condition,mileage,color\nA1,2026,Kia,K5,New,412,Red\nA2,2020,Kia,Rio,Used,,\nA3,2020,Kia,Rio,Pre-Owned,0,\n",
			found:  map[string]string{`"make":["Kia"]`: "A1 A2 A3", `"condition":["used"]`: "A2 A3"},
			units:  map[string]string{"A1": `{"mileage":412,"condition":"new"}`, "A2": `{"mileage":null,"exterior_color":null}`, "A3": `{"mileage":null}`},
			report: []string{"new"},
		},
		{
			name: "a Latin charset", file: "stock,year,make,model\nA1,2020,Citro\xebn,C3\nA2,2020,Renault,M\xe9gane\n",
			found:  map[string]string{`"make":["Citroen"]`: "A1", `"model":["Megane"]`: "A2"},
			units:  map[string]string{"A1": `{"make":"Citroën"}`, "A2": `{"model":"Mégane"}`},
			report: []string{"indows-1252"},
		},
		{
			name: "a stock number that is the VIN", file: "vin,stock,year,make,model\n19XFL2H89PE020417,19XFL2H89PE020417,2023,Honda,Civic\n",
			found: map[string]string{`"stock":"19XFL2H89PE020417"`: "19XFL2H89PE020417", `"vin":"19XFL2H89PE020417"`: "19XFL2H89PE020417", `"query":"19XFL2H89PE020417"`: "19XFL2H89PE020417"},
		},
		{
			name: "the trim inside the model", file: "stock,year,make,model,trim\nA1,2020,Honda,Civic EX,EX\nA2,2020,Honda,Accord EX-L,EX-L\nA3,2020,Ford,F-150 XLT,XLT SuperCrew\nA4,2020,Volkswagen,Golf R,R\nA5,2020,Ford,Bronco Sport,Sport\nA6,2020,Honda,CIVIC TOURING,Touring\nA7,2020,Honda,Honda Civic,LX\nA8,2020,Toyota,Camry (SE),SE\n",
			found: map[string]string{`"model":["Civic"]`: "A1 A6 A7", `"model":["Accord"]`: "A2", `"model":["F-150"]`: "A3", `"model":["Bronco Sport"]`: "A5", `"model":["Bronco"]`: "", `"model":["Golf R"]`: "A4", `"model":["Camry"]`: "A8"},
			units: map[string]string{"A1": `{"model":"Civic","trim":"EX"}`, "A2": `{"model":"Accord","trim":"EX-L"}`, "A6": `{"trim":"Touring"}`},
		},
		{
			name: "cars that lack every optional column", file: "stock,year,make,model,price,mileage,color,photos,delivery date\nA1,2020,Kia,Rio,,,,,\nA2,2020,Kia,Rio,9000,10,Red,https://x.example.com/a.jpg,2026-01-01\n",
			found:  map[string]string{`"make":["Kia"]`: "A1 A2"},
			report: []string{`"visible": 2`, `"without_photos": 1`},
		},
		{
			name: "why some do not show", file: "stock,year,make,model,status\nA1,2020,Kia,Rio,In Stock\nA2,2020,Kia,Rio,Sold\nA3,2020,Kia,Rio,Wholesale\nA4,2020,Kia,Rio,Purple\n,2020,Kia,Rio,\n",
			found:  map[string]string{`"make":["Kia"]`: "A1"},
			report: []string{`"visible": 1`, "sold", "wholesale", "Purple", "no vin, stock number or id"},
		},
		{
			name: "a VIN older than the standard and one whose check digit is wrong", file: "stock,vin,year,make,model\nA1,7R01C100001,1967,Ford,Mustang\nA2,19XFL2H81PE020417,2023,Honda,Civic\nA3,SAJKC2112,1962,Jaguar,E-Type\n",
			found:  map[string]string{`"stock":"a-1"`: "A1", `"vin":"19XFL2H81PE020417"`: "A2", `"model":["e type"]`: "A3"},
			units:  map[string]string{"A1": `{"vin":null,"stock":"A1","vehicle_id":"7R01C100001"}`, "A3": `{"vin":null,"vehicle_id":"SAJKC2112"}`},
			report: []string{"check digit"},
		},
		{
			name: "a price that holds its fees", file: "stock,year,make,model,list price,price,fees\nA1,2020,Kia,K5,24990,26780,Doc fee: 85; Protection: 1705\nA2,2020,Kia,K5,24990,26780,Doc fee: 85\n",
			units:  map[string]string{"A1": `{"price":26780,"list_price":24990}`, "A2": `{"price":26780}`},
			report: []string{"do not add up to the price"},
		},
		{
			name: "a price without its fees", prices: "{includes: none, add_fees: [{name: Doc fee, amount: 899}]}", file: head + "A1,2020,Kia,K5,24990\n",
			units: map[string]string{"A1": `{"price":25889,"list_price":24990}`},
		},
		{
			name: "a price of which nothing is declared", prices: "{currency: USD}", file: head + "A1,2020,Kia,K5,24990\n",
			units:  map[string]string{"A1": `{"price":null,"list_price":24990}`},
			report: []string{"does not say what the price column holds"},
		},
		{
			name: "money that is not US dollars", file: head + "A1,2020,Kia,K5,MXN 450000\nA2,2020,Kia,K5,24.990 €\nA3,2020,Kia,K5,\"CHF 24'990\"\nA4,2020,Kia,K5,A$24990\nA5,2020,Kia,K5,24990 zł\nA6,2020,Kia,K5,¥2400000\nA7,2020,Kia,K5,$24990 CDN\nA8,2020,Kia,K5,₹990000\nA9,2020,Kia,K5,24990 US$\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A2 A3 A4 A5 A6 A7 A8 A9", `"price_min":0`: "A9"},
		},
		{
			name: "names of columns as systems write them", file: "Stock #,Model Year,Vehicle Make,Model Name,Trim Level,Sale Price ($),Odometer Reading,Ext. Color,Int Color,Body Style,Drive Train,Fuel Type,Trans.,New/Used\nA1,2020,Kia,Rio,LX,9000,41000,Red,Black,Sedan,FWD,Gas,Automatic,U\n",
			units: map[string]string{"A1": `{"year":2020,"make":"Kia","model":"Rio","trim":"LX","mileage":41000,"exterior_color":"Red","interior_color":"Black","body":"sedan","driveline":"fwd","fuel":"gas","transmission":"automatic","condition":"used"}`},
		},
	} {
		t.Run(c.name, c.run)
	}
}

func TestWhatTheDealerPaidIsInNoAnswer(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	report, code := d.importText(t, exportCase{file: "stock,year,make,model,Invoice,BookValue,Dealer Cost,price\nA1,2026,Kia,K5,26456,24123,25111,28500\n"})
	if code != 0 {
		t.Fatal(report)
	}
	url, stop := d.serve(t)
	defer stop()
	all := report
	for skill, request := range map[string]string{"inventory.search": `{}`, "inventory.facets": `{}`, "inventory.vehicle": `{"stock":"A1"}`} {
		all += dealerCommand(t, "", "call", url, skill, request).out
	}
	for _, amount := range []string{"26456", "24123", "25111"} {
		if strings.Contains(all, amount) {
			t.Errorf("%s is told:\n%s", amount, all)
		}
	}
}

func TestAnUnusableFileLeavesTheLastInventoryOnOffer(t *testing.T) {
	for name, file := range map[string]string{
		"no known column":                 "Colour^Weather\nred^fine\n",
		"no column that tells cars apart": "year,make,model\n2020,Kia,Rio\n",
		"a header and no row":             "stock,year,make,model\n",
		"nothing":                         "",
		"a page that asks for a login":    "<!DOCTYPE html><html><body>Sign in</body></html>",
		"half the cars gone":              "stock,year,make,model\nA1,2020,Kia,Rio\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
			if report, code := d.importText(t, exportCase{file: "stock,year,make,model\nA1,2020,Kia,Rio\nA2,2020,Kia,Rio\nA3,2020,Kia,Rio\n"}); code != 0 {
				t.Fatal(report)
			}
			report, code := d.importText(t, exportCase{file: file})
			if code != 1 || !strings.Contains(report, "refused") {
				t.Errorf("exit code %d: %s", code, report)
			}
			url, stop := d.serve(t)
			defer stop()
			if got := stocksFound(t, url, ``); got != "A1 A2 A3" {
				t.Errorf("on offer: %q", got)
			}
		})
	}
}

func TestDoctorSaysWhyThereAreListPricesOnly(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	d.importText(t, exportCase{prices: "{currency: USD}", file: "stock,year,make,model,price\nA1,2020,Kia,K5,24990\n"})
	url, stop := d.serve(t)
	defer stop()
	if r := dealerCommand(t, "", "doctor", url, "--deep"); !strings.Contains(strings.Join(strings.Fields(r.out), " "), "list prices only, which become prices once the dealer declares") {
		t.Errorf("%s%s", r.out, r.err)
	}
}
