package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/feed"
)

// mapped runs `dealer feed map` on a file and imports the file by what it proposes.
func mapped(t *testing.T, file string) (feed.Proposal, importReport) {
	t.Helper()
	r := dealerCommand(t, "", "feed", "map", file, "--json")
	var p feed.Proposal
	if err := json.Unmarshal([]byte(r.out), &p); err != nil || r.code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", r.code, err, r.out, r.err)
	}
	if text := dealerCommand(t, "", "feed", "map", file); text.code != 0 || !strings.HasSuffix(text.out, "\nInto the profile:\n\n"+p.YAML) {
		t.Fatalf("the text does not end in the same lines: %s%s", text.out, text.err)
	}
	dir := t.TempDir()
	profile := filepath.Join(dir, "dealer.yaml")
	const dealership = "id: example\nname: Example Motors\nrooftops: [{name: Example Motors, timezone: America/Denver, phones: [{value: \"+13035550100\"}]}]\n" +
		"prices: {includes: all_mandatory_charges}\ndelivery: [{name: outbox, type: file, folder: outbox}]\n"
	if err := os.WriteFile(profile, []byte(dealership+p.YAML), 0o600); err != nil {
		t.Fatal(err)
	}
	r = dealerCommand(t, "", "import", "--profile", profile, "--feed", file, "--data", filepath.Join(dir, "data"), "--json")
	var report importReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("the proposed lines do not load: %s%s\n%s", r.out, r.err, p.YAML)
	}
	return p, report
}

func write(t *testing.T, name, body string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

func column(t *testing.T, p feed.Proposal, header string) feed.ProposedColumn {
	t.Helper()
	for _, c := range p.Columns {
		if c.Header == header {
			return c
		}
	}
	t.Fatalf("no column %q in %+v", header, p.Columns)
	return feed.ProposedColumn{}
}

func TestTheProposedMapLoadsAndReadsTheFile(t *testing.T) {
	for name, cars := range map[string]int{
		"homenet-composed.csv": 17, "meta-listings-day1.xml": 18, "dealer-site-flat.json": 17, "google-vehicle-ads-utf16le.txt": 39, "scraped-multiline-bom.csv": 111,
		"powersports-listings.csv": 15, "small-dealer-v2.csv": 10, "meta-vehicles-sv.csv": 16, "listing-history-pipe-composed.txt": 12,
		// No header of this one is known; the values say what is in it.
		"swedish-semicolon-cp1252-composed.csv": 16,
	} {
		t.Run(name, func(t *testing.T) {
			p, report := mapped(t, filepath.Join(aaptest.Reference(t, "cases", "feeds"), name))
			if report.Accepted != cars || p.Rows != min(cars, 500) || report.Refused != "" {
				t.Errorf("%d cars by the proposal, want %d (%q)\n%s", report.Accepted, cars, report.Refused, p.YAML)
			}
		})
	}
}

func TestColumnsAreToldWithSamplesAndWhatIsPrivateWithout(t *testing.T) {
	file := write(t, "cars.csv", "Stock #,Invoice,Customer Name,Rep,Kontakt,\"Ref: \"\"x\"\" #1\",YR,Marke,Modelo,Asking,Sale Price,Odo (km)\n"+
		"A1,18111,Pat Sample,x,pat@example.com,r1,2020,Honda,Civic,20500,19500,50000\nA2,18222,Lee Sample,x,+1 (303) 555-0101,r2,2021,Ford,F-150,30500,29500,60000\n")
	p, report := mapped(t, file)
	if report.Accepted != 2 {
		t.Errorf("%+v\n%s", report, p.YAML)
	}
	for header, want := range map[string]string{"Stock #": "stock", "YR": "year", "Marke": "make", "Odo (km)": "mileage"} {
		if c := column(t, p, header); c.Member != want || c.Confidence < feed.ProposedFrom || len(c.Samples) != 2 || c.Filled != 1 {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	for header, want := range map[string]string{"Invoice": feed.DroppedCost, "Customer Name": feed.DroppedPersonal, "Kontakt": feed.DroppedPersonal} {
		if c := column(t, p, header); c.Dropped != want || len(c.Samples) > 0 || !strings.Contains(p.YAML, "# dropped: "+header) {
			t.Errorf("%+v, want it dropped as %q\n%s", c, want, p.YAML)
		}
	}
	if c := column(t, p, "Sale Price"); c.Member != "" || !strings.Contains(c.Why, "some buyers") {
		t.Errorf("%+v", c)
	}
	all := dealerCommand(t, "", "feed", "map", file).out + dealerCommand(t, "", "feed", "map", file, "--json").out
	for _, secret := range []string{"18111", "18222", "Pat", "Lee", "pat@", "555"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is shown:\n%s", secret, all)
		}
	}
}

func TestAFileWithoutHeaderGetsItsColumnsNamedByTheirValues(t *testing.T) {
	p, report := mapped(t, write(t, "plain.txt", "K1|1HGCV1F30KA000001|2019|Honda|Accord|$20,500|51,000 mi|https://a.example.com/1.jpg\nK2|1FTEW1EP0NKD50028|2022|Ford|F-150|$40,000|11,000 mi|https://a.example.com/2.jpg\n"))
	if !p.NoHeader || p.Rows != 2 || !strings.Contains(p.YAML, "  header: [stock, vin, year, make, \"-\", price, mileage, photos]\n") {
		t.Errorf("%d rows\n%s", p.Rows, p.YAML)
	}
	// A model cannot be told from any other word: the dealer writes it.
	if report.Rows != 2 || report.Rejected != 2 || report.RejectedBy["no model"] != 2 {
		t.Errorf("%+v", report)
	}
}

func TestHeadersOfAnyKindComeBackFromTheProposal(t *testing.T) {
	headers := []string{"Stock: #1", "'make'", `mod"el"`, "Yéar ✓", "- price", "@vin", "# color", "no", "{a: b}", "trim\\x"}
	var quoted []string
	for _, h := range headers {
		quoted = append(quoted, `"`+strings.ReplaceAll(h, `"`, `""`)+`"`)
	}
	p, report := mapped(t, write(t, "odd.csv", strings.Join(quoted, ",")+"\nA1,Kia,Rio,2020,12000,1HGCV1F30KA000001,Red,x,y,EX\n"))
	if report.Accepted != 1 {
		t.Errorf("%+v\n%s", report, p.YAML)
	}
}

func TestAFileThatIsNoExportIsToldSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("Shopping\nmilk\nbread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "feed", "map", file)
	if r.code != 0 || !strings.HasSuffix(r.out, "\nNo column could be told; is this the export of an inventory?\n") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
}

func TestAFileThatIsNoTableIsRefusedWithTheReason(t *testing.T) {
	for name, body := range map[string]string{"empty.csv": "", "page.html": "<!doctype html><p>log in", "dtd.xml": "<!DOCTYPE x><x/>", "cut.zip": "PK\x03\x04"} {
		if r := dealerCommand(t, "", "feed", "map", write(t, name, body)); r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "dealer: feed refused: ") {
			t.Errorf("%s: exit code %d %s%s", name, r.code, r.out, r.err)
		}
	}
}
