package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// uncovered are reference files in formats that this reader refuses.
var uncovered = []string{"meta-listings-day1.xml", "meta-listings-day2.xml", "meta-listings-day3.xml"}

// referenceDay is when the reference files are taken to have been exported.
var referenceDay = time.Date(2026, 8, 23, 6, 0, 0, 0, time.UTC)

type expected struct {
	Rows           int              `json:"rows"`
	Accepted       int              `json:"accepted"`
	Visible        int              `json:"visible"`
	Hidden         int              `json:"hidden"`
	Merged         int              `json:"merged"`
	Rejected       map[string]int   `json:"rejected"`
	WithoutVIN     int              `json:"without_vin"`
	WithoutPrice   int              `json:"without_price"`
	WithoutMileage int              `json:"without_mileage"`
	Spots          []map[string]any `json:"spots"`
}

// referenceDir finds the folder with the reference exports, or skips.
func referenceDir(t testing.TB) string {
	t.Helper()
	roots := []string{os.Getenv("AAP_REFERENCE")}
	if wd, err := os.Getwd(); err == nil {
		for d := wd; d != filepath.Dir(d); d = filepath.Dir(d) {
			roots = append(roots, filepath.Join(filepath.Dir(d), "shared"))
		}
	}
	for _, r := range roots {
		dir := filepath.Join(r, "cases", "feeds")
		if _, err := os.Stat(filepath.Join(dir, "expected.json")); r != "" && err == nil {
			return dir
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("reference exports not found; set AAP_REFERENCE")
	}
	t.Skip("reference exports not found; set AAP_REFERENCE")
	return ""
}

func oneRooftop() *dealer.Profile {
	return &dealer.Profile{
		ID: "example", Name: "Example Motors",
		Rooftops: []dealer.Rooftop{{Name: "Example Motors"}},
		Prices:   dealer.Prices{Includes: dealer.PricesComplete},
	}
}

// referenceProfiles are the settings a dealer with such a file would write.
var referenceProfiles = map[string]func(t *testing.T, file []byte, p *dealer.Profile){
	"oem-network.json": func(t *testing.T, file []byte, p *dealer.Profile) {
		p.Feed.Constants = map[string]string{"make": "Toyota", "model": "4Runner", "condition": "new"}
		p.Feed.Columns = map[string]string{"trim": "Model", "price": "Dealer Price"}
		var rows []struct{ Dealer string }
		if err := json.Unmarshal(file, &rows); err != nil {
			t.Fatal(err)
		}
		p.Rooftops = nil
		seen := map[string]bool{}
		for _, r := range rows {
			if !seen[r.Dealer] {
				seen[r.Dealer] = true
				p.Rooftops = append(p.Rooftops, dealer.Rooftop{Name: r.Dealer})
			}
		}
	},
	"scraped-multiline-bom.csv": func(_ *testing.T, _ []byte, p *dealer.Profile) {
		p.Feed.MileageUnit, p.Prices.Currency = "km", "CAD"
	},
	"swedish-semicolon-cp1252-composed.csv": func(_ *testing.T, _ []byte, p *dealer.Profile) {
		p.Prices.Currency = "SEK"
		p.Feed.Columns = map[string]string{
			"stock": "Regnr", "make": "Märke", "model": "Modell", "year": "Årsmodell", "mileage": "Mätarställning (km)",
			"price": "Pris", "transmission": "Växellåda", "fuel": "Bränsle", "body": "Kaross", "description": "Beskrivning", "photos": "Bilder",
		}
	},
	"homenet-composed.csv": func(_ *testing.T, _ []byte, p *dealer.Profile) {
		p.Feed.Columns = map[string]string{"price": "Internet_Price"}
	},
}

type lot struct {
	store   *inventorytest.Memory
	profile *dealer.Profile
	now     time.Time
}

func newLot(p *dealer.Profile) *lot {
	return &lot{store: &inventorytest.Memory{}, profile: p, now: referenceDay}
}

func (l *lot) take(t testing.TB, name string, body []byte) (feed.Report, error) {
	t.Helper()
	im := feed.Importer{Store: l.store, Profiles: dealer.Fixed(l.profile), Now: func() time.Time { return l.now }}
	return im.Import(t.Context(), feed.Source{Name: name, Size: int64(len(body)), Modified: l.now, Body: bytes.NewReader(body)}, false)
}

// units are the stored units of the current generation.
func (l *lot) units(t testing.TB) []inventory.Vehicle {
	t.Helper()
	head, err := l.store.Head(t.Context(), l.profile.ID)
	if errors.Is(err, inventory.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.store.Snapshot(t.Context(), l.profile.ID, head)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func referenceFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(referenceDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func referenceLot(t *testing.T, name string, file []byte) *lot {
	p := oneRooftop()
	if set := referenceProfiles[name]; set != nil {
		set(t, file, p)
	}
	return newLot(p)
}

func TestReferenceExportsGiveTheExpectedInventory(t *testing.T) {
	dir := referenceDir(t)
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]expected
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			file := referenceFile(t, name)
			l := referenceLot(t, name, file)
			rep, err := l.take(t, name, file)
			if slices.Contains(uncovered, name) {
				if !errors.Is(err, feed.ErrRefused) {
					t.Fatalf("not refused clearly: %v", err)
				}
				t.Skip("format not read yet")
			}
			if refused := want.Accepted == 0; refused != (err != nil) || refused && !errors.Is(err, feed.ErrRefused) {
				t.Fatalf("error %v", err)
			}
			if rep.Rows != want.Rows || rep.Accepted != want.Accepted || rep.Visible != want.Visible || rep.Merged != want.Merged {
				t.Errorf("rows %d accepted %d visible %d merged %d, want %d %d %d %d",
					rep.Rows, rep.Accepted, rep.Visible, rep.Merged, want.Rows, want.Accepted, want.Visible, want.Merged)
			}
			if total := sum(rep.Hidden); total != want.Hidden {
				t.Errorf("hidden %d %v, want %d", total, rep.Hidden, want.Hidden)
			}
			if sum(rep.RejectedBy) != sum(want.Rejected) {
				t.Errorf("rejected %v, want %v", rep.RejectedBy, want.Rejected)
			}
			for reason, n := range want.Rejected {
				if rep.RejectedBy[reason] != n {
					t.Errorf("rejected %v, want %d for %q", rep.RejectedBy, n, reason)
				}
			}
			units := l.units(t)
			if len(units) != want.Accepted {
				t.Errorf("%d units stored, want %d", len(units), want.Accepted)
			}
			missing := map[string]int{}
			for _, u := range units {
				if u.Listing.VIN == "" {
					missing["vin"]++
				}
				if u.Listing.Price == nil && u.Listing.ListPrice == nil {
					missing["price"]++
				}
				if u.Listing.Mileage == nil {
					missing["mileage"]++
				}
			}
			if err == nil && (missing["vin"] != want.WithoutVIN || missing["price"] != want.WithoutPrice || missing["mileage"] != want.WithoutMileage) {
				t.Errorf("without vin, price, mileage: %v, want %d %d %d", missing, want.WithoutVIN, want.WithoutPrice, want.WithoutMileage)
			}
			for _, spot := range want.Spots {
				checkSpot(t, units, spot)
			}
			noFeedWordReachesAListing(t, units)
		})
	}
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// checkSpot finds the unit a spot names and compares each member it gives.
func checkSpot(t *testing.T, units []inventory.Vehicle, spot map[string]any) {
	t.Helper()
	u := findSpot(units, spot)
	if u == nil {
		t.Errorf("no unit for %v", spot)
		return
	}
	b, err := json.Marshal(u.Listing)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	got["photos"] = float64(len(u.Listing.Photos))
	got["status"] = string(u.State)
	got["visible"] = u.State.Listed()
	if got["vehicle_type"] == nil {
		got["vehicle_type"] = "car" // AAP reads an absent type so
	}
	for name, want := range spot {
		if text, ok := want.(string); ok && len(text) > 50 {
			got[name] = cutTo(got[name], len(text)) // given shortened
		}
		if got[name] != want {
			t.Errorf("%v: %s is %v, want %v", u.Key, name, got[name], want)
		}
	}
}

func cutTo(v any, n int) any {
	if s, ok := v.(string); ok && len(s) > n {
		return s[:n]
	}
	return v
}

func findSpot(units []inventory.Vehicle, spot map[string]any) *inventory.Vehicle {
	for i := range units {
		l := &units[i].Listing
		switch {
		case spot["vin"] != nil && l.VIN == spot["vin"],
			spot["vin"] == nil && spot["stock"] != nil && l.Stock == spot["stock"],
			spot["vin"] == nil && spot["stock"] == nil && spot["vehicle_id"] != nil && (l.VehicleID == spot["vehicle_id"] ||
				len(spot["vehicle_id"].(string)) > 50 && strings.HasPrefix(l.VehicleID, spot["vehicle_id"].(string))):
			return &units[i]
		}
	}
	return nil
}

// noFeedWordReachesAListing: no placeholder, lost character or zero price.
func noFeedWordReachesAListing(t *testing.T, units []inventory.Vehicle) {
	t.Helper()
	for _, u := range units {
		b, err := json.Marshal(u.Listing)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{`:"N/A"`, `:"null"`, `:"-"`, `:"Unknown"`, `:"Unspecified"`, "no_color", "\uFFFD", "\uFEFF", "\u00a0"} {
			if bytes.Contains(b, []byte(bad)) {
				t.Errorf("%s shows %q", u.Key, bad)
			}
		}
		for _, n := range []*aap.Int{u.Listing.Price, u.Listing.ListPrice, u.Listing.MSRP} {
			if n != nil && *n == 0 {
				t.Errorf("%s shows a zero amount", u.Key)
			}
		}
	}
}

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

func TestReferenceKilometresAreRoundedHalfUp(t *testing.T) {
	if got := math.Floor(77000*0.621371 + 0.5); got != 47846 {
		t.Fatal("the reference figure is wrong")
	}
	name := "scraped-multiline-bom.csv"
	file := referenceFile(t, name)
	l := referenceLot(t, name, file)
	if _, err := l.take(t, name, file); err != nil {
		t.Fatal(err)
	}
	checkSpot(t, l.units(t), map[string]any{"stock": "L10693", "mileage": 47846.0})
}
