package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	photoA = "https://x.example.com/a.jpg"
	photoB = "https://x.example.com/b.jpg"
)

func TestWhatSpreadsheetsAndScriptsMakeOfAnExportIsReadRight(t *testing.T) {
	const head = "stock,year,make,model"
	both := `{"photos":["` + photoA + `","` + photoB + `"]}`
	for _, c := range []exportCase{
		{
			name: "texts that a spreadsheet was told to leave alone",
			file: "Stock #,VIN,Year,Make,Model,Price,Miles\r\n" +
				"=\"00417\",=\"19XFL2H89PE020417\",=\"2020\",Honda,Civic,=\"21,490\",=\"12,345\"\r\n" +
				"\"=\"\"00418\"\"\",\"=\"\"1FTEW1EP0NKD50028\"\"\",2021,Ford,F-150,\"=\"\"$31,000\"\"\",20100\r\n" +
				"'00419,'7SAYGDEE7PF630039,2023,Tesla,Model Y,40000,9000\r\n420.0,,2020.0,Kia,Rio,9000.0,41000.0\r\n",
			units: map[string]string{
				"00417": `{"vin":"19XFL2H89PE020417","year":2020,"price":21490,"mileage":12345}`, "00418": `{"vin":"1FTEW1EP0NKD50028","price":31000}`,
				"00419": `{"vin":"7SAYGDEE7PF630039"}`, "420": `{"year":2020,"price":9000,"mileage":41000}`,
			},
		},
		{
			name: "a title above the header and a sum below the rows",
			file: "Smith Motors - Vehicle Inventory,,,,,\nRun date: 03/05/2026,,,,,\n,,,,,\nStock No,Year,Make,Model,Price,Miles\n" +
				"A1,2020,Honda,Civic,21490,41000\nA2,2021,Ford,F-150,31000,20000\nStock No,Year,Make,Model,Price,Miles\nA3,2021,Ford,Escape,31000,20000\nTotal,,,,83490,\n\x1a",
			found:  map[string]string{`"price_min":1`: "A1 A2 A3"},
			report: []string{"2 lines above the header were passed over", `"rejected": 2`, `"no make": 1`},
		},
		{
			name:  "names of columns on two lines",
			file:  "\"Stock\nNumber\",Year,Make,Model,\"Internet\nPrice\",\"Odometer\r\n(mi)\"\r\nA1,2020,Honda,Civic,21490,41000\r\n",
			units: map[string]string{"A1": `{"price":21490,"mileage":41000}`},
		},
		{
			name:  "names of columns in two languages, and one of them",
			file:  "No. de stock / Stock #;Année / Year;Marque (Make);Modèle/Model;Prix / Price;Prix / Mileage;Couleur\nA1;2020;Honda;Civic;21490;777;Noir\n",
			units: map[string]string{"A1": `{"year":2020,"price":21490,"exterior_color":"Noir","mileage":null}`},
		},
		{
			name:  "an export in Spanish",
			file:  "Inventario,Año,Marca,Modelo,Precio,Millaje,Condición,Combustible,Transmisión\nA1,2020,Honda,Civic,\"$21,490\",\"41,000\",Usado,Gasolina,Automática\n",
			units: map[string]string{"A1": `{"year":2020,"price":21490,"mileage":41000,"condition":"used","fuel":"gas","transmission":"automatic"}`},
		},
		{
			name: "lists of photos as programs print them",
			file: head + ",photos\n" +
				"A1,2020,Kia,Rio,\"['" + photoA + "', '" + photoB + "']\"\n" +
				"A2,2020,Kia,Rio,\"[{\"\"url\"\":\"\"" + photoA + "\"\",\"\"tag\"\":[\"\"front\"\"]},{\"\"url\"\":\"\"" + photoB + "\"\"}]\"\n" +
				"A3,2020,Kia,Rio," + photoA + "~" + photoB + "\nA4,2020,Kia,Rio," + photoA + "^" + photoB + "\n" +
				"A5,2020,Kia,Rio,\"{" + photoA + "," + photoB + "}\"\n" +
				"A6,2020,Kia,Rio,\"<img src=\"\"" + photoA + "\"\" alt=\"\"\"\"><img src=\"\"" + photoB + "\"\">\"\n" +
				"A7,2020,Kia,Rio,HTTPS://x.example.com/a.jpg|HTTPS://x.example.com/b.jpg\n" +
				"A8,2020,Kia,Rio,\"[{\"\"u\"\":\"\"https:\\/\\/x.example.com\\/a.jpg\"\"},{\"\"u\"\":\"\"https:\\/\\/x.example.com\\/b.jpg\"\"}]\"\n" +
				"A9,2020,Kia,Rio,https://x.example.com/c.jpg?a=1&amp;b=~2\nB1,2020,Kia,Rio,[]\nB2,2020,Kia,Rio,[/c.jpg]\n",
			units: map[string]string{
				"A1": both, "A2": both, "A3": both, "A4": both, "A5": both, "A6": both, "A7": both, "A8": both,
				"A9": `{"photos":["https://x.example.com/c.jpg?a=1&b=~2"]}`, "B1": `{"photos":null}`, "B2": `{"photos":null}`,
			},
			report: []string{"photo that is not an http or https address"},
		},
		{
			name: "options behind bullets",
			file: "stock,year,make,model,options\nA1,2020,Kia,Rio,\"\x95 Sunroof \x95 Leather, heated\"\nA2,2020,Kia,Rio,\"- Sunroof\n- Leather, heated\"\nA3,2020,Kia,Rio,\"Sunroof~Leather, heated\"\n",
			units: map[string]string{
				"A1": `{"features":["Sunroof","Leather, heated"]}`, "A2": `{"features":["Sunroof","Leather, heated"]}`, "A3": `{"features":["Sunroof","Leather, heated"]}`,
			},
		},
		{
			name: "the make by another name and the year in front of the model",
			file: head + "\nA1,2020,Chevrolet,Chevy Silverado 1500\nA2,2020,Volkswagen,VW Golf\nA3,2020,Mercedes-Benz,Mercedes C 300\nA4,2020,Kia,2020 Kia Soul\nA5,2008,Peugeot,2008\nA6,2020,MINI,Mini Cooper\n",
			units: map[string]string{
				"A1": `{"model":"Silverado 1500"}`, "A2": `{"model":"Golf"}`, "A3": `{"model":"C 300"}`, "A4": `{"model":"Soul"}`, "A5": `{"model":"2008"}`, "A6": `{"model":"Cooper"}`,
			},
		},
		{
			name: "what a catalogue for advertisements says of state and condition",
			file: "vehicle_id,condition,state_of_vehicle,year,make,model\nA1,EXCELLENT,NEW,2026,Kia,K5\nA2,GOOD,CPO,2024,Kia,K5\nA3,OTHER,USED,2020,Kia,Rio\n",
			units: map[string]string{
				"A1": `{"condition":"new"}`, "A2": `{"condition":"cpo"}`, "A3": `{"condition":"used"}`,
			},
		},
		{
			name:  "a column that asks whether a unit is on hold",
			file:  head + ",Hold Status,status\nA1,2020,Kia,Rio,No,\nA2,2020,Kia,Rio,Yes,In Stock\nA3,2020,Kia,Rio,N,On the lot\nA4,2020,Kia,Rio,Y,\nA5,2020,Kia,Rio,DealerHold,\nA6,2020,Kia,Rio,,https://schema.org/InStock\nA7,2020,Kia,Rio,,No\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A3 A6"},
		},
		{
			name: "words for certified and used cars",
			file: head + ",condition\nA1,2024,Kia,K5,Certified Pre-Owned (CPO)\nA2,2024,Kia,K5,Used - Certified\nA3,2024,Kia,K5,USED CARS\nA4,2024,Kia,K5,https://schema.org/UsedCondition\nA5,2024,Kia,K5,Salvage\n",
			found: map[string]string{
				`"condition":["cpo"]`: "A1 A2", `"condition":["used"]`: "A3 A4", `"condition":["new"]`: "",
			},
		},
		{
			name:  "a price with a note, and a day that is none",
			file:  head + ",price,inventory date\nA1,2020,Kia,Rio,\"$9,000*\",1/1/1900\nA2,2020,Kia,Rio,\"$9,000 + fees\",1970-01-01\nA3,2020,Kia,Rio,from $399/mo,3/5/26\n",
			units: map[string]string{"A1": `{"price":null,"inventory_date":null}`, "A2": `{"price":null,"inventory_date":null}`, "A3": `{"price":null,"inventory_date":"2026-03-05"}`},
		},
		{
			name: "units in a document for search engines",
			file: `{"@graph":[{"@type":"Car","sku":"A1","vehicleIdentificationNumber":"19XFL2H89PE020417","vehicleModelDate":"2020","brand":{"@type":"Brand","name":"Honda"},"model":"Civic","vehicleConfiguration":"EX",` +
				`"mileageFromOdometer":{"value":"66000","unitCode":"KMT"},"itemCondition":"https://schema.org/UsedCondition","vehicleTransmission":"Automatic","driveWheelConfiguration":"https://schema.org/FrontWheelDriveConfiguration",` +
				`"image":["` + photoA + `"],"offers":{"price":"21490","priceCurrency":"USD","availability":"https://schema.org/InStock"}},` +
				`{"@type":"Car","sku":"A2","vehicleModelDate":"2022","manufacturer":"Ford","model":"F-150","offers":{"price":"31000","priceCurrency":"USD","availability":"https://schema.org/SoldOut"}}]}`,
			found: map[string]string{`"year_min":1900`: "A1"},
			units: map[string]string{"A1": `{"year":2020,"make":"Honda","trim":"EX","mileage":41010,"condition":"used","transmission":"automatic","driveline":"fwd","price":21490,"photos":["` + photoA + `"]}`},
		},
		{
			name: "units inside listings",
			file: `{"listings":[{"id":"L1","price":{"amount":21490},"lease":{"price":{"value":299}},"vehicle":{"stockNumber":"A1","year":2020,"make":{"id":3,"name":"Honda"},"model":{"id":9,"name":"Civic"},"trim":{"name":"EX"},` +
				`"colors":{"exterior":{"name":"Red"},"interior":{"name":"Black"}}},"media":{"photos":[{"url":"` + photoA + `"},{"url":"` + photoB + `"}]},"dealer":{"name":"Example Motors","logo":{"image":{"url":"https://x.example.com/logo.png"}}}},` +
				`{"id":"L2","lease":{"price":{"value":299}},"trade_in":{"make":{"name":"Ford"}},"vehicle":{"stockNumber":"A2","year":2020,"make":{"name":"Kia"},"model":{"name":"Rio"}}}]}`,
			units: map[string]string{
				"A1": `{"make":"Honda","model":"Civic","trim":"EX","price":21490,"exterior_color":"Red","interior_color":"Black","photos":["` + photoA + `","` + photoB + `"]}`,
				"A2": `{"make":"Kia","model":"Rio","price":null}`,
			},
		},
		{
			name:  "prices inside a price, and one that is not for everybody",
			file:  `[{"stock":"A1","year":2023,"make":"Kia","model":"K5","price":{"selling":24000,"msrp":30000,"employee":19000}},{"stock":"A2","year":2023,"make":"Kia","model":"K5","lease":{"price":{"selling":21000}}}]`,
			units: map[string]string{"A1": `{"price":24000,"msrp":30000}`, "A2": `{"price":null}`},
		},
		{
			name:  "prices inside a pricing",
			file:  `[{"stock":"A1","year":2023,"make":"Kia","model":"K5","pricing":{"special":20000,"internet":25000}},{"stock":"A2","year":2023,"make":"Kia","model":"K5","pricing":{"special":20000}}]`,
			units: map[string]string{"A1": `{"price":25000}`, "A2": `{"price":null}`},
		},
		{
			name: "a title of one line, and names of columns of well-known systems",
			file: "\ufeffInventory export\r\nStock #,Unit Condition,Year,Make,Model,Primary Color,Drivetrain Desc,Transmission,Photo Url List\r\nA1,Pre-Owned,2020,Kia,Rio,Red,FWD,Variable," + photoA + "|" + photoB + "\r\n",
			units: map[string]string{
				"A1": `{"condition":"used","exterior_color":"Red","driveline":"fwd","transmission":"cvt","photos":["` + photoA + `","` + photoB + `"]}`,
			},
			report: []string{"1 line above the header was passed over"},
		},
		{
			name:   "one object a line, one of them broken",
			file:   `{"stock":"A1","year":2020,"make":"Kia","model":"Rio"}` + "\n{\"stock\":\"A2\",\"year\":\n" + `{"stock":"A3","year":2020,"make":"Kia","model":"Rio"}` + "\n",
			found:  map[string]string{`"make":["Kia"]`: "A1 A3"},
			report: []string{`"a line that is not a JSON object": 1`},
		},
	} {
		t.Run(c.name, c.run)
	}
}

func TestANewUploadIsFoundSoonAndTheReportSaysWhyTheRestIsNot(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	const first = "stock,year,make,model,status,price\nA1,2020,Kia,Rio,,9000\n"
	if report, code := d.importText(t, exportCase{file: first}); code != 0 {
		t.Fatal(report)
	}
	feed := filepath.Join(d.dir, "export.txt")
	url, stop := d.serveFeed(t, feed)
	defer stop()
	if got := stocksFound(t, url, `"make":["Kia"]`); got != "A1" {
		t.Fatalf("%q before the upload", got)
	}
	second := first + "A2,2021,Kia,Soul,,\nA3,2021,Kia,K5,Sold,\nA4,2021,Kia,K5,Wholesale,\nA5,2021,,K5,,\n"
	if err := os.WriteFile(feed, []byte(second), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(2 * time.Second)
	if err := os.Chtimes(feed, later, later); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if got := stocksFound(t, url, `"make":["Kia"]`); got == "A1 A2" {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%q is found of an upload of A1 and A2", got)
		}
	}
	r := dealerCommand(t, "", "import", "--profile", filepath.Join(d.dir, "dealer.yaml"), "--feed", feed, "--data", filepath.Join(t.TempDir(), "other"), "--dry-run", "--json")
	for _, want := range []string{`"accepted": 4`, `"visible": 2`, `"sold": 1`, `"wholesale": 1`, `"no make": 1`} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the report lacks %s:\n%s", want, r.out)
		}
	}
}

func TestFeesInsideThePriceAreListedAndNeverAddedAgain(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	report, code := d.importText(t, exportCase{file: "stock,year,make,model,list price,price,fees\nA1,2020,Kia,K5,24990,26780,Doc fee: 85; Protection: 1705\n"})
	if code != 0 || strings.Contains(report, "do not add up") {
		t.Fatalf("24990 + 85 + 1705 is 26780:\n%s", report)
	}
	url, stop := d.serve(t)
	defer stop()
	hasMembers(t, url, "A1", `{"price":26780,"list_price":24990,"fees":[{"name":"Doc fee","amount":85},{"name":"Protection","amount":1705}]}`)
	for filters, want := range map[string]string{`"price_max":26780`: "A1", `"price_max":26779`: "", `"price_min":26781`: ""} {
		if got := stocksFound(t, url, filters); got != want {
			t.Errorf("%s finds %q, want %q", filters, got, want)
		}
	}
	said := report
	for skill, request := range map[string]string{"inventory.search": `{}`, "inventory.facets": `{}`, "inventory.vehicle": `{"stock":"A1"}`} {
		said += dealerCommand(t, "", "call", url, skill, request).out
	}
	for _, twice := range []string{"28570", "26865", "28485", "28,570"} { // with both fees again, or one of them
		if strings.Contains(said, twice) {
			t.Errorf("%s is told:\n%s", twice, said)
		}
	}
}
