package sample_test

import (
	"bytes"
	"encoding/csv"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// rows reads the sample feed as maps by column.
func rows(t *testing.T) []map[string]string {
	t.Helper()
	name, data := sample.Feed()
	if name != "inventory.csv" {
		t.Errorf("name = %s", name)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, cell := range record {
			row[records[0][i]] = cell
		}
		out = append(out, row)
	}
	return out
}

func profile(t *testing.T) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse(sample.Profile())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheLotHasThePromisedMix(t *testing.T) {
	counts := map[string]int{}
	for _, r := range rows(t) {
		counts["all"]++
		counts["rooftop "+r["Rooftop"]]++
		counts["type "+r["Type"]]++
		counts["status "+r["Status"]]++
		switch {
		case r["Vehicle Type"] == "Motorcycle":
			counts["motorcycle"]++
			if r["Fuel Type"] == "Electric" {
				counts["electric motorcycle"]++
			} else if cc, _ := strconv.Atoi(r["Displacement CC"]); cc < 300 {
				t.Errorf("motorcycle %s has %q cc", r["Stock"], r["Displacement CC"])
			}
		case r["Fuel Type"] == "Electric":
			counts["ev"]++
		case r["Body"] == "Truck":
			counts["truck"]++
		default:
			counts["car"]++
		}
		if r["Fuel Type"] == "Electric" && (r["EV Range"] == "" || r["Charge Port"] == "" || r["DC Fast Charge"] == "") {
			t.Errorf("EV %s lacks range, port or fast charge", r["Stock"])
		}
		if n, _ := strconv.Atoi(r["Selling Price"]); n == 0 {
			counts["no price "+r["Selling Price"]]++
		}
		counts["dated"] += min(1, len(r["Last Modified"]))
	}
	for what, want := range map[string]int{
		"all": 330, "car": 190, "truck": 60, "ev": 45, "motorcycle": 35,
		"status In Transit": 18, "status Sale Pending": 12, "status Sold": 9, "status Dealer Hold": 5, "status In Stock": 286,
		"no price ": 5, "no price Call": 5, "no price 0": 5,
	} {
		if counts[what] != want {
			t.Errorf("%s: %d, want %d", what, counts[what], want)
		}
	}
	for what, least := range map[string]int{
		"type New": 100, "type Used": 100, "type Certified": 30, "electric motorcycle": 5, "dated": 10,
		"rooftop Larkspur Ridge Fort Collins": 130, "rooftop Larkspur Ridge Bend": 130,
	} {
		if counts[what] < least {
			t.Errorf("%s: %d, want at least %d", what, counts[what], least)
		}
	}
}

func TestEveryVINIsWellFormedAndUnique(t *testing.T) {
	form := regexp.MustCompile(`^[A-HJ-NPR-Z0-9]{17}$`)
	// Values and weights of 49 CFR 565.15, by letter and position.
	values := map[byte]int{'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'J': 1, 'K': 2, 'L': 3, 'M': 4, 'N': 5, 'P': 7, 'R': 9,
		'S': 2, 'T': 3, 'U': 4, 'V': 5, 'W': 6, 'X': 7, 'Y': 8, 'Z': 9}
	weights := []int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	years := map[string]string{"2013": "D", "2014": "E", "2015": "F", "2016": "G", "2017": "H", "2018": "J", "2019": "K", "2020": "L", "2021": "M",
		"2022": "N", "2023": "P", "2024": "R", "2025": "S", "2026": "T"}
	seen := map[string]bool{}
	for _, r := range rows(t) {
		vin := r["VIN"]
		if !form.MatchString(vin) || seen[vin] || seen[r["Stock"]] {
			t.Fatalf("%s (stock %s) is malformed or here twice", vin, r["Stock"])
		}
		seen[vin], seen[r["Stock"]] = true, true
		sum := 0
		for i, weight := range weights {
			v, letter := values[vin[i]]
			if !letter {
				v = int(vin[i] - '0')
			}
			sum += v * weight
		}
		if want := "0123456789X"[sum%11]; vin[8] != want {
			t.Errorf("%s has the check digit %c, want %c", vin, vin[8], want)
		}
		if vin[9:10] != years[r["Year"]] {
			t.Errorf("%s is a %s by column, not by VIN", vin, r["Year"])
		}
		if passenger := r["Vehicle Type"] == "Car"; passenger && strings.ContainsAny(vin[6:7], "0123456789") {
			t.Errorf("%s has a digit in position 7, which is for years before 2010", vin)
		}
	}
}

func TestEveryRowIsPlausible(t *testing.T) {
	p := profile(t)
	for _, r := range rows(t) {
		year, _ := strconv.Atoi(r["Year"])
		miles, err := strconv.Atoi(r["Miles"])
		switch {
		case err != nil || miles < 0 || miles > 200_000:
			t.Errorf("%s: %q miles", r["Stock"], r["Miles"])
		case r["Type"] == "New" && (year < 2025 || miles > 100 || r["MSRP"] == ""):
			t.Errorf("%s is new, of %d with %d miles and MSRP %q", r["Stock"], year, miles, r["MSRP"])
		case r["Type"] != "New" && (year > 2025 || miles < 1000):
			t.Errorf("%s is %s, of %d with %d miles", r["Stock"], r["Type"], year, miles)
		case r["Type"] == "Certified" && (year < 2021 || miles > 75_000):
			t.Errorf("%s is certified, of %d with %d miles", r["Stock"], year, miles)
		}
		if price, _ := strconv.Atoi(r["Selling Price"]); price != 0 && (price < 900 || price > 80_000) {
			t.Errorf("%s costs %d", r["Stock"], price)
		}
		if r["Make"] == "" || r["Model"] == "" || r["Body"] == "" || r["Exterior Color"] == "" || r["Features"] == "" {
			t.Errorf("%s lacks what every car has", r["Stock"])
		}
		if rooftop := p.Rooftop(r["Rooftop"]); rooftop == nil || rooftop.Name != r["Rooftop"] {
			t.Errorf("%s stands at %q, which the profile does not know", r["Stock"], r["Rooftop"])
		}
		for _, link := range append(strings.Split(r["Photos"], "|"), r["VDP URL"]) {
			if u, err := url.Parse(link); link != "" && (err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Host, ".example.com")) {
				t.Errorf("%s links to %s", r["Stock"], link)
			}
		}
		if (r["Photos"] == "") != (r["Status"] == "In Transit") {
			t.Errorf("%s is %s and has photos %q", r["Stock"], r["Status"], r["Photos"])
		}
	}
}

func TestTheProfileKnowsTheFeedsColumnsAndWords(t *testing.T) {
	p, all := profile(t), rows(t)
	for member, column := range p.Feed.Columns {
		if _, ok := all[0][column]; !ok {
			t.Errorf("%s is mapped to the column %s, which the feed lacks", member, column)
		}
	}
	var words []string
	for _, r := range all {
		words = append(words, r["Status"])
	}
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		if p.Feed.Statuses[word] == "" {
			t.Errorf("the status %q is not explained in the profile", word)
		}
	}
}

func TestContactsAreFictional(t *testing.T) {
	p := profile(t)
	fictional := regexp.MustCompile(`^\+1[0-9]{3}55501[0-9]{2}$`)
	for _, r := range p.Rooftops {
		for _, c := range r.Phones {
			if !fictional.MatchString(c.Value) {
				t.Errorf("%s could be somebody's number", c.Value)
			}
		}
		for _, c := range r.Emails {
			if !strings.HasSuffix(c.Value, "@example.com") {
				t.Errorf("%s could be somebody's mailbox", c.Value)
			}
		}
	}
}

func TestCallersCannotChangeTheSample(t *testing.T) {
	sample.Profile()[0] = '!'
	_, data := sample.Feed()
	data[0] = '!'
	if _, again := sample.Feed(); sample.Profile()[0] == '!' || again[0] == '!' {
		t.Error("a caller's change stays")
	}
}

func TestTheSampleNamesEveryContract(t *testing.T) {
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	if line := "# versions: [" + strings.Join(labels, ", ") + "]\n"; !bytes.Contains(sample.Profile(), []byte(line)) {
		t.Errorf("no line %s", line)
	}
}
