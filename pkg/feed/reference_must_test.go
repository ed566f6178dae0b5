package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestReferenceDealerWithoutMakeColumnIsRefusedUntilTheProfileNamesTheMake(t *testing.T) {
	file := referenceFile(t, "oem-network.json")
	rep, err := newLot(oneRooftop()).take(t, "oem-network.json", file)
	if !errors.Is(err, feed.ErrRefused) || rep.RejectedBy["no make"] != 5024 {
		t.Fatalf("error %v, rejected %v", err, rep.RejectedBy)
	}
}

func TestReferenceNetworkStatesComeFromThreeColumns(t *testing.T) {
	file := referenceFile(t, "oem-network.json")
	l := referenceLot(t, "oem-network.json", file)
	if _, err := l.take(t, "oem-network.json", file); err != nil {
		t.Fatal(err)
	}
	states := map[inventory.State]int{}
	for _, u := range l.units(t) {
		states[u.State]++
	}
	if states[inventory.Available] != 500 || states[inventory.InTransit] != 2485 {
		t.Errorf("states %v, want 500 available and 2485 in transit", states)
	}
}

func TestReferenceForeignCurrencyIsReportedOnceAndNeverShownAsDollars(t *testing.T) {
	for _, name := range []string{"google-vehicle-ads.tsv", "google-vehicle-ads-utf16le.txt", "meta-vehicles-sv.csv"} {
		file := referenceFile(t, name)
		l := referenceLot(t, name, file)
		rep, err := l.take(t, name, file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, w := range rep.Warnings {
			if strings.Contains(w.Text, "only US dollars") {
				found++
				if w.Count != rep.Accepted {
					t.Errorf("%s: counted %d of %d", name, w.Count, rep.Accepted)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: %d currency warnings: %v", name, found, rep.Warnings)
		}
	}
}

func TestReferenceBothEncodingsOfOneExportGiveTheSameUnits(t *testing.T) {
	var got [2][]byte
	for i, name := range []string{"google-vehicle-ads.tsv", "google-vehicle-ads-utf16le.txt"} {
		file := referenceFile(t, name)
		l := referenceLot(t, name, file)
		if _, err := l.take(t, name, file); err != nil {
			t.Fatal(err)
		}
		got[i], _ = json.Marshal(l.units(t))
	}
	if !bytes.Equal(got[0], got[1]) {
		t.Error("units differ")
	}
}

func TestReferenceFinancedPriceIsNotTheOneShown(t *testing.T) {
	name := "scraped-multiline-bom.csv"
	file := referenceFile(t, name)
	l := referenceLot(t, name, file)
	l.profile.Prices.Currency = "USD"
	rep, err := l.take(t, name, file)
	if err != nil {
		t.Fatal(err)
	}
	checkSpot(t, l.units(t), map[string]any{"stock": "L10693", "price": 20770.0})
	if !slices.ContainsFunc(rep.Warnings, func(w feed.Warning) bool { return strings.Contains(w.Text, "Sale Price") }) {
		t.Errorf("the sale price column is not mentioned: %v", rep.Warnings)
	}
	for _, u := range l.units(t) {
		if strings.Contains(u.Listing.Description, "\uFEFF") {
			t.Errorf("%s: mark in the description", u.Key)
		}
	}
}

func TestReferenceRefusedExportsKeepTheLastInventory(t *testing.T) {
	before := referenceFile(t, "powersports-meta-products.csv")
	for _, name := range []string{"header-only.csv", "no-identity.csv"} {
		l := newLot(oneRooftop())
		if _, err := l.take(t, "before.csv", before); err != nil {
			t.Fatal(err)
		}
		kept := l.units(t)
		rep, err := l.take(t, name, referenceFile(t, name))
		if !errors.Is(err, feed.ErrRefused) || rep.Refused == "" || len(rep.Columns) == 0 {
			t.Errorf("%s: error %v, report %q", name, err, rep.Refused)
		}
		if after := l.units(t); len(after) != 5 || len(kept) != 5 {
			t.Errorf("%s: %d units after, %d before", name, len(after), len(kept))
		}
	}
}

func TestReferenceSecondExportWithoutPricesShowsNoOldPrice(t *testing.T) {
	l := newLot(oneRooftop())
	if _, err := l.take(t, "v1", referenceFile(t, "small-dealer-v1.csv")); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(24 * time.Hour)
	rep, err := l.take(t, "v2", referenceFile(t, "small-dealer-v2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"price is gone", "year is gone"} {
		if !slices.ContainsFunc(rep.Warnings, func(w feed.Warning) bool { return strings.Contains(w.Text, want) }) {
			t.Errorf("no warning %q in %v", want, rep.Warnings)
		}
	}
	units := l.units(t)
	if len(units) != 10 {
		t.Errorf("%d units", len(units))
	}
	for _, u := range units {
		if u.Listing.Price != nil || u.Listing.Year != nil {
			t.Errorf("%s keeps an old price or year", u.Key)
		}
		if b, _ := json.Marshal(u.Listing); bytes.Contains(b, []byte("2024-0")) {
			t.Errorf("%s shows a purchase date: %s", u.Key, b)
		}
	}
}

func TestReferenceSwedishExportNeedsItsColumnsNamed(t *testing.T) {
	name := "swedish-semicolon-cp1252-composed.csv"
	file := referenceFile(t, name)
	rep, err := newLot(oneRooftop()).take(t, name, file)
	if !errors.Is(err, feed.ErrRefused) || !strings.Contains(rep.Refused, "Årsmodell") {
		t.Fatalf("error %v", err)
	}
	composed := referenceLot(t, name, file)
	if _, err := composed.take(t, name, file); err != nil {
		t.Fatal(err)
	}
	original := newLot(oneRooftop())
	if _, err := original.take(t, "sv", referenceFile(t, "meta-vehicles-sv.csv")); err != nil {
		t.Fatal(err)
	}
	type car struct {
		stock, make, model string
		year, miles        aap.Int
	}
	read := func(l *lot) (out []car) {
		for _, u := range l.units(t) {
			v := u.Listing
			out = append(out, car{v.Stock, v.Make, v.Model, *v.Year, *v.Mileage})
		}
		return out
	}
	if a, b := read(composed), read(original); !slices.Equal(a, b) {
		t.Errorf("cars differ:\n%v\n%v", a, b)
	}
}

func TestReferenceHomeNetMoneyOfTheDealerIsNowhere(t *testing.T) {
	name := "homenet-composed.csv"
	file := referenceFile(t, name)
	l := referenceLot(t, name, file)
	rep, err := l.take(t, name, file)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(l.units(t))
	r, _ := json.Marshal(rep)
	for _, secret := range []string{"11195", "10495", "13195", "26000"} {
		if bytes.Contains(b, []byte(secret)) || bytes.Contains(r, []byte(secret)) {
			t.Errorf("%s is shown", secret)
		}
	}
	dropped := 0
	for _, c := range rep.Columns {
		if c.Use == feed.UseDropped {
			dropped++
		}
	}
	if dropped != 2 {
		t.Errorf("%d dropped columns, want Invoice and BookValue", dropped)
	}
}

func TestReferenceNothingIsMinedFromDescriptions(t *testing.T) {
	for _, name := range []string{"powersports-listings.csv", "powersports-meta-products.csv"} {
		l := newLot(oneRooftop())
		if _, err := l.take(t, name, referenceFile(t, name)); err != nil {
			t.Fatal(err)
		}
		trailers := 0
		for _, u := range l.units(t) {
			if u.Listing.VIN != "" || u.Listing.Mileage != nil {
				t.Errorf("%s: VIN %q, mileage %v", u.Key, u.Listing.VIN, u.Listing.Mileage)
			}
			if u.Listing.VehicleType == "trailer" {
				trailers++
			}
		}
		if name == "powersports-listings.csv" && trailers != 4 {
			t.Errorf("%d trailers", trailers)
		}
	}
}
