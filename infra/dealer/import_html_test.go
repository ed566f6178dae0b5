package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheReportIsAlsoAPageThatAFeedCannotChange(t *testing.T) {
	const script = `<script>alert(1)</script>`
	file := write(t, "=cmd '<img src=x onerror=alert(1)>.csv", "stock,year,make,model,price,status,photos,Invoice,\"<b onclick=\"\"alert(1)\"\">x\",\"=HYPERLINK(\"\"http://evil.example\"\")\"\n"+
		"A1,2020,Kia,Rio&\"'><svg/onload=alert(1)>,12000,,,9111,x,\n"+
		"A2,2021,Kia,\"=1+1\",1200000000,\"=cmd|' /C calc'!A0\",https://a.example.com/1.jpg,9222,,\n"+
		"A2,2021,Kia,Other,12000,sold,,9333,,\n"+
		",2021,Kia,Rio,13000,,,9444,,\n"+
		"A4,,Kia,Rio,"+script+",\"javascript:alert(1)\",,9555,,\n"+
		"A5,2020,Kia,Rio,17000,<iframe>,,9666,,\n")
	at := filepath.Join(t.TempDir(), "report.html")
	r := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", file, "--data", t.TempDir(), "--json", "--report-html", at)
	if r.code != 0 {
		t.Fatalf("%d %s%s", r.code, r.out, r.err)
	}
	raw, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	body := page[strings.Index(page, "<body>"):]
	for _, bad := range []string{"<script", "<img", "<svg", "<iframe", "<b onclick", "javascript:", "href=", "src=", "9111", "9222", "9333"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, formula := range []string{">=cmd", ">=HYPERLINK", ">=1+1", ">@"} {
		if strings.Contains(body, formula) {
			t.Errorf("a cell that a spreadsheet obeys: %q", formula)
		}
	}
	for _, want := range []string{
		"<b>6</b><span>rows in the file", "Imported", "no vin, stock number or id", "neither a model year nor a valid VIN", "the same unit again",
		"&#39;=hyperlink", "holds every mandatory charge", "without a photo", "never read", "Since the last import", "3 added",
	} {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
			t.Errorf("the page lacks %q\n%s", want, body)
		}
	}
	var report struct {
		Rows, Accepted, Merged, Rejected int
		RejectedRows                     []struct{ Line int } `json:"rejected_rows"`
		WithoutPhotos                    int                  `json:"without_photos"`
		PhotosMissing                    []struct{ Line int } `json:"photos_missing"`
		Columns                          []struct {
			Header string
			Filled int
		}
		Prices struct{ Includes, Says string }
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows != report.Accepted+report.Merged+report.Rejected || len(report.RejectedRows) != report.Rejected || report.WithoutPhotos != len(report.PhotosMissing) ||
		report.Columns[0].Filled != 5 || report.Columns[7].Filled != 0 || report.Prices.Includes != "all_mandatory_charges" {
		t.Errorf("%+v", report)
	}
}

func TestARefusedImportLeavesItsPageToo(t *testing.T) {
	at := filepath.Join(t.TempDir(), "report.html")
	r := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", write(t, "x.csv", "Colour,Weather\nred,fine\n"), "--data", t.TempDir(), "--report-html", at)
	raw, err := os.ReadFile(at)
	if r.code != 1 || err != nil || !strings.Contains(string(raw), "Refused: there is no inventory yet, buyers find no vehicle") || !strings.Contains(string(raw), "Weather") {
		t.Errorf("%d %v %s\n%s", r.code, err, r.err, raw)
	}
}

func TestARefusedImportSaysThatTheInventoryStaysOnlyWhenThereIsOne(t *testing.T) {
	at, data := filepath.Join(t.TempDir(), "report.html"), t.TempDir()
	if r := dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", write(t, "a.csv", "stock,year,make,model\nA1,2020,Kia,Rio\n"), "--data", data); r.code != 0 {
		t.Fatal(r.err)
	}
	dealerCommand(t, "", "import", "--profile", fixtureProfile, "--feed", write(t, "x.csv", "Colour,Weather\nred,fine\n"), "--data", data, "--report-html", at)
	if raw, err := os.ReadFile(at); err != nil || !strings.Contains(string(raw), "Refused: the last good inventory stays") {
		t.Errorf("%v\n%s", err, raw)
	}
}
