package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

const (
	vinA = "19XFL2H89PE020417"
	vinB = "1FTEW1EP0NKD50028"
	vinC = "7SAYGDEE7PF630039"
)

var exported = time.Date(2026, 3, 9, 5, 0, 0, 0, time.UTC)

func read(t testing.TB, p *dealer.Profile, file string) ([]inventory.Vehicle, feed.Report) {
	t.Helper()
	batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "export", Modified: exported, Body: strings.NewReader(file)}, p)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return batch.Vehicles, rep
}

// one reads a file of one unit.
func one(t testing.TB, p *dealer.Profile, file string) (aap.Vehicle, feed.Report) {
	t.Helper()
	units, rep := read(t, p, file)
	if len(units) != 1 {
		t.Fatalf("%d units: %+v", len(units), rep)
	}
	return units[0].Listing, rep
}

// cell reads a used Honda Civic of 2020 with one more column.
func cell(t testing.TB, p *dealer.Profile, header, value string) (aap.Vehicle, feed.Report) {
	t.Helper()
	return one(t, p, "vin;year;make;model;condition;"+header+"\n"+vinA+";2020;Honda;Civic;used;"+value+"\n")
}

func warned(rep feed.Report, text string) bool {
	for _, w := range rep.Warnings {
		if strings.Contains(w.Text, text) {
			return true
		}
	}
	return false
}

func num(v *aap.Int) any {
	if v == nil {
		return nil
	}
	return int64(*v)
}

func TestEveryEncodingAndLineEndGivesTheSameUnit(t *testing.T) {
	const file = "VIN,Year,Make,Model,Trim\r\n" + vinA + ",2020,Citroën,C4,Société\r\n"
	wide := func(order func(uint16) []byte, mark bool) string {
		var b []byte
		if mark {
			b = append(b, order(0xFEFF)...)
		}
		for _, u := range utf16.Encode([]rune(file)) {
			b = append(b, order(u)...)
		}
		return string(b)
	}
	little := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }
	big := func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	for name, body := range map[string]string{
		"plain UTF-8":         file,
		"UTF-8 with a mark":   "\xEF\xBB\xBF" + file,
		"UTF-16LE and a mark": wide(little, true),
		"UTF-16BE and a mark": wide(big, true),
		"UTF-16LE, no mark":   wide(little, false),
		"UTF-16BE, no mark":   wide(big, false),
		"Windows-1252":        strings.NewReplacer("ë", "\xEB", "é", "\xE9").Replace(file),
		"line feeds":          strings.ReplaceAll(file, "\r\n", "\n"),
		"carriage returns":    strings.ReplaceAll(file, "\r\n", "\r"),
		"no last line end":    strings.TrimSuffix(file, "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := one(t, oneRooftop(), body)
			if v.VIN != vinA || v.Make != "Citroën" || v.Trim != "Société" {
				t.Errorf("got %q %q %q", v.VIN, v.Make, v.Trim)
			}
		})
	}
}

func TestOneLatinCellAmongUTF8IsReadAlone(t *testing.T) {
	for _, file := range []string{
		"stock,year,make,model\n1,2020,Citroën,C3\n2,2020,Citro\xEBn,C3\n",
		`[{"stock":1,"year":2020,"make":"Citroën","model":"C3"},{"stock":2,"year":2020,"make":"Citro` + "\xEB" + `n","model":"C3"}]`,
	} {
		units, rep := read(t, oneRooftop(), file)
		if units[0].Listing.Make != "Citroën" || units[1].Listing.Make != "Citroën" {
			t.Errorf("got %q and %q", units[0].Listing.Make, units[1].Listing.Make)
		}
		if len(rep.Warnings) != 1 || rep.Warnings[0].Count != 1 || !warned(rep, "Windows-1252") {
			t.Errorf("warnings %+v", rep.Warnings)
		}
	}
}

func TestTheDelimiterIsFoundInTheHeader(t *testing.T) {
	for _, d := range []string{",", "\t", "|", ";"} {
		file := strings.ReplaceAll("stock#year#make#model#price#options\nA1#2020#Honda#Civic#20500#x y\nA2#2021#Honda#Fit#19500#\n", "#", d)
		units, rep := read(t, oneRooftop(), file)
		if len(units) != 2 || num(units[0].Listing.Price) != int64(20500) {
			t.Errorf("%q: %d units, %s", d, len(units), rep.Format)
		}
	}
	v, _ := one(t, oneRooftop(), "sep=;\nstock;year;make;model\nA1;2020;Honda;Civic\n")
	if v.Stock != "A1" {
		t.Errorf("a spreadsheet's delimiter hint: %+v", v)
	}
}

func TestHeaderSpellingsDoNotCount(t *testing.T) {
	for _, header := range []string{"VIN,Stock #,Model Year,MAKE,Model", " vin ,stock_no,model_year,make,model", `"Vin","StockNumber","YEAR","Manufacturer","Model Name"`, "vin,Stock-Number,yr,brand,model"} {
		v, _ := one(t, oneRooftop(), header+"\n"+vinA+",00562,2020,Honda,Civic\n")
		if v.Stock != "00562" || num(v.Year) != int64(2020) || v.Make != "Honda" {
			t.Errorf("%s: %+v", header, v)
		}
	}
}

func TestBrokenRowsCostAtMostThemselves(t *testing.T) {
	const header = "stock,year,make,model,description,price\n"
	const next = "Z9,2021,Ford,Escape,\"fine, really\",21000\n"
	cases := []struct {
		name, row   string
		description string // of A1; "-" when the row may be rejected
	}{
		{"inch mark inside quotes", `A1,2020,Honda,Civic,"22" rims, hitch",20500`, `22" rims, hitch`},
		{"inch mark before the closing quote", `A1,2020,Honda,Civic,"alloys 17"",20500`, `alloys 17"`},
		{"doubled inch mark", `A1,2020,Honda,Civic,"17"" alloys",20500`, `17" alloys`},
		{"quote never closed", `A1,2020,Honda,Civic,"nice,20500`, `"nice`},
		{"quote never closed in the first field", `"A1,2020,Honda,Civic,nice,20500`, "-"},
		{"quote in a bare field", `A1,2020,Honda,Civic,5" lift,20500`, `5" lift`},
		{"line breaks inside quotes", "A1,2020,Honda,Civic,\"one\r\ntwo, three\",20500", "one\ntwo, three"},
		{"too many fields", `A1,2020,Honda,Civic,a,b,c,20500`, "-"},
		{"blank extra fields", `A1,2020,Honda,Civic,nice,20500,,`, "nice"},
		{"too few fields", `A1,2020,Honda,Civic`, ""},
		{"blank before the quote", `A1,2020,Honda,Civic, "a, b" ,20500`, "a, b"},
		{"a row of noise", `""",""",",",`, "-"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, rest := range []string{next, next + strings.Replace(next, "Z9", "Z8", 1)} {
				units, rep := read(t, oneRooftop(), header+c.row+"\n"+rest)
				found := map[string]aap.Vehicle{}
				for _, u := range units {
					found[u.Listing.Stock] = u.Listing
				}
				if z := found["Z9"]; z.Make != "Ford" || z.Description != "fine, really" {
					t.Fatalf("the next row was lost: %+v %+v", units, rep.RejectedRows)
				}
				if a := found["A1"]; c.description != "-" && (a.Description != c.description || a.Make != "Honda") {
					t.Errorf("description %q, want %q (%+v)", a.Description, c.description, rep.RejectedRows)
				}
				if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected {
					t.Errorf("rows do not add up: %+v", rep)
				}
			}
		})
	}
}

func TestARowThatTheFileEndsInsideIsNotHalfRead(t *testing.T) {
	units, rep := read(t, oneRooftop(), "stock,year,make,model,price,color\nA1,2020,Kia,Rio,12000,Red\nA2,2020,Kia,Rio,120")
	if len(units) != 1 || rep.RejectedBy["the file ends inside this row"] != 1 {
		t.Errorf("%+v %+v", units, rep.RejectedBy)
	}
	units, _ = read(t, oneRooftop(), "stock,year,make,model,price,color\nA1,2020,Kia,Rio,12000\nA2,2020,Kia,Rio,12000")
	if len(units) != 2 {
		t.Errorf("in a file of short rows the last one is whole: %d units", len(units))
	}
}

func TestARowOfOneMebibyteIsRejectedAndTheNextOneRead(t *testing.T) {
	units, rep := read(t, oneRooftop(), "stock,year,make,model\nA1,2020,Honda,"+strings.Repeat("x", 2<<20)+"\nA2,2020,Honda,Fit\n")
	if len(units) != 1 || units[0].Listing.Stock != "A2" || rep.Rejected != 1 || rep.RejectedRows[0].Line != 2 {
		t.Errorf("%d units, %+v", len(units), rep.RejectedRows)
	}
}

func TestFilesThatAreRefusedSayWhyAndWhatWasFound(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"empty":                   {"", "empty"},
		"blank lines":             {"\n\n  \n", "empty"},
		"header only":             {"vin,make,model\n", "no row"},
		"no identity":             {"year,make,model,price\n2020,Kia,Rio,12000\n", "map one in feed.columns (columns found: year, make, model, price)"},
		"nothing known":           {"foo,bar\n1,2\n", "foo, bar"},
		"no vehicle":              {"vin,make\n" + vinA + ",Kia\n", "no model"},
		"XML":                     {"<?xml version=\"1.0\"?><listings/>", "XML"},
		"gzip":                    {"\x1f\x8b\x08\x00", "gzip"},
		"zip":                     {"PK\x03\x04....", "zip"},
		"JSON that breaks off":    {`[{"vin":"` + vinA + `","year":2020,"make":"Kia","model":"Rio"},{"vi`, "breaks off"},
		"JSON without a vehicle":  {`{"ok":true}`, "columns found: ok"},
		"JSON with trailing junk": {`nonsense`, "nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(c.file)}, oneRooftop())
			if !errors.Is(err, feed.ErrRefused) || !strings.Contains(err.Error(), c.says) || rep.Refused != err.Error() {
				t.Errorf("%v; report %q; want %q", err, rep.Refused, c.says)
			}
			if len(batch.Vehicles) != 0 {
				t.Error("a refused file gives vehicles")
			}
		})
	}
}

func TestWhatTheDealerPaidIsNowhere(t *testing.T) {
	headers := []string{"Cost", "Dealer Cost", "unit_cost", "VehicleCost", "price_cost", "Invoice", "Dealer Invoice Price", "InvoiceAmount", "price_wholesale", "Wholesale",
		"BookValue", "Book Value", "KBB", "NADA Retail", "BlackBook", "MMR", "Holdback", "ACV", "Purchase Price", "purchaseprice", "Purchase_Date", "Acquisition Source",
		"Profit", "Floorplan Date", "Pack", "Trade Value", "attr:cost", "Minimum Price"}
	const secret = 987650
	head, row := "vin,year,make,model,price", vinA+",2020,Honda,Civic,20500"
	object := `{"vin":"` + vinB + `","year":2020,"make":"Ford","model":"F-150","pricing":{`
	for i, h := range headers {
		head += "," + h
		row += fmt.Sprintf(",%d", secret+i)
		object += fmt.Sprintf("%q:%d,", h, secret+i)
	}
	object += `"price":30000},"costs":[{"name":"a","amount":987650}]}`
	p := oneRooftop()
	p.Feed.Columns = map[string]string{"msrp": "Invoice", "other_attributes.kept": "Cost", "list_price": "price_wholesale"}
	for _, file := range []string{head + "\n" + row + "\n", "[" + object + "]"} {
		batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Modified: exported, Body: strings.NewReader(file)}, p)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(batch)
		r, _ := json.Marshal(rep)
		var text bytes.Buffer
		if err := rep.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for i, h := range headers {
			n := fmt.Sprint(secret + i)
			if bytes.Contains(b, []byte(n)) || bytes.Contains(r, []byte(n)) || bytes.Contains(text.Bytes(), []byte(n)) {
				t.Errorf("%s: %s is shown\n%s\n%s", h, n, b, r)
			}
		}
		if len(batch.Vehicles) != 1 || batch.Vehicles[0].Listing.OtherAttributes != nil {
			t.Errorf("%s", b)
		}
	}
	_, rep := read(t, p, head+"\n"+row+"\n")
	if !warned(rep, "never read: Invoice") {
		t.Errorf("a map on a cost column is not reported: %+v", rep.Warnings)
	}
}

func TestReportOfARunIsTheSameEachTime(t *testing.T) {
	file := exportOf(50)
	var last []byte
	for range 3 {
		_, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Modified: exported, Body: bytes.NewReader(file)}, oneRooftop())
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(rep)
		if last != nil && !bytes.Equal(last, b) {
			t.Fatalf("reports differ: %s", cmp.Diff(string(last), string(b)))
		}
		last = b
	}
}
