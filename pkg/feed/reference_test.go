package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

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

func TestReferenceExportsGiveTheExpectedInventory(t *testing.T) {
	dir := aaptest.Reference(t, "cases", "feeds")
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
