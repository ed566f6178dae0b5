package inventory_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

var benchModels = [][2]string{
	{"Toyota", "Camry"}, {"Toyota", "RAV4"}, {"Toyota", "Corolla"}, {"Toyota", "Tacoma"}, {"Honda", "Civic"}, {"Honda", "CR-V"},
	{"Honda", "Accord"}, {"Ford", "F-150"}, {"Ford", "Escape"}, {"Ford", "Explorer"}, {"Chevrolet", "Silverado 1500"}, {"Chevrolet", "Equinox"},
	{"Nissan", "Rogue"}, {"Nissan", "Altima"}, {"Hyundai", "Tucson"}, {"Kia", "Sportage"}, {"Mazda", "CX-5"}, {"Subaru", "Outback"},
	{"Volkswagen", "Golf"}, {"BMW", "3 Series"}, {"Mercedes-Benz", "C-Class"}, {"Audi", "A4"}, {"Tesla", "Model 3"}, {"Jeep", "Wrangler"},
	{"Ram", "1500"}, {"GMC", "Sierra 1500"}, {"Lexus", "RX 350"}, {"Volvo", "XC60"}, {"Harley-Davidson", "Street Glide"}, {"Acura", "MDX"},
}

// lotOfSize makes plausible units of about a kilobyte of JSON each.
func lotOfSize(n int) []inventory.Vehicle {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	num := func(v int) *aap.Int { i := aap.Int(v); return &i }
	features := []string{"Heated front seats", "Apple CarPlay", "Android Auto", "Blind spot monitor", "Adaptive cruise control", "Sunroof", "Tow package", "Third row seating", "Remote start", "Leather seats", "Backup camera", "Navigation"}
	vocabulary := make([]string, 4000)
	for i := range vocabulary {
		var b strings.Builder
		for range 3 + r.IntN(7) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		vocabulary[i] = b.String()
	}
	out := make([]inventory.Vehicle, n)
	for i := range out {
		m := benchModels[min(r.IntN(len(benchModels)), r.IntN(len(benchModels)))]
		var text []string
		for range 40 {
			text = append(text, vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))])
		}
		v := aap.Vehicle{
			VIN: fmt.Sprintf("1HGFE2F5%09d", i), Stock: fmt.Sprintf("P%06d", r.IntN(n*10)),
			Year: num(2008 + r.IntN(19)), Make: m[0], Model: m[1], Trim: pick("LE", "SE", "XLE", "Limited", "Sport", "Touring", "Base", "Premium") + pick("", " AWD", " Hybrid", " Plus"),
			Condition: pick("new", "used", "used", "cpo"), Rooftop: pick("North", "South", "West"),
			Body: pick("SUV", "Sedan", "Truck", "Hatchback", "Coupe"), Transmission: pick("8-Speed Automatic", "CVT", "6-Speed Manual", "10-Speed Automatic"),
			Driveline: pick("AWD", "FWD", "4WD", "RWD"), Fuel: pick("Gasoline", "Gasoline", "Hybrid", "Electric", "Diesel"), Engine: "2.5L I4 DOHC 16V",
			ExteriorColor: pick("Crystal ", "Midnight ", "Pearl ", "") + pick("Black", "White", "Silver", "Gray", "Red", "Blue"), InteriorColor: pick("Black", "Beige", "Gray") + pick("", " Leather"),
			CityMPG: num(20 + r.IntN(20)), HighwayMPG: num(26 + r.IntN(20)),
			Features: []string{features[r.IntN(12)], features[r.IntN(12)], features[r.IntN(12)]},
			Photos:   []string{fmt.Sprintf("https://photos.example.com/%d/1.jpg", i), fmt.Sprintf("https://photos.example.com/%d/2.jpg", i)},
			VDPURL:   fmt.Sprintf("https://www.example-motors.com/inventory/%d", i), Description: strings.Join(text, " "),
		}
		if r.IntN(10) > 0 {
			v.Price = num(9000 + r.IntN(60000))
		}
		v.ListPrice = num(9000 + r.IntN(60000))
		if v.Condition != "new" {
			v.Mileage = num(r.IntN(140000))
		}
		if r.IntN(2) == 0 {
			v.UpdatedAt = noon.Add(-time.Duration(r.IntN(10000)) * time.Minute).Format(time.RFC3339)
		}
		out[i] = inventory.Vehicle{Key: v.VIN, State: inventory.State(pick("available", "available", "intransit", "pending")), Listing: v}
	}
	return out
}

func benchHead() inventory.Head {
	return inventory.Head{Revision: 1, Snapshot: 1, Vouched: map[string]time.Time{"": noon.Add(-time.Hour)}}
}

func benchIndex(b *testing.B, n int) *inventory.Index {
	b.Helper()
	x, err := inventory.NewIndex(b.Context(), lotOfSize(n), benchHead())
	if err != nil {
		b.Fatal(err)
	}
	page := x.Search(twoRooftops(), threeFilters(), noon) // builds the orders it needs
	if page.Total == 0 || page.Len() != 20 {
		b.Fatalf("%d of %d found", page.Len(), page.Total)
	}
	return x
}

func threeFilters() *aap.SearchRequest {
	top := aap.Int(35000)
	return &aap.SearchRequest{
		Filters: aap.Filters{Make: []string{"Toyota", "Honda"}, Body: []string{"SUV"}, PriceMax: &top},
		Sort:    &aap.Sort{Field: "price", Order: "asc"},
	}
}

func benchSearch(b *testing.B, n int, facets bool) {
	x, p, req := benchIndex(b, n), twoRooftops(), threeFilters()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		find := x.Search
		if facets {
			find = x.SearchWithFacets
		}
		page := find(p, req, noon)
		buf, _ = page.AppendJSON(buf[:0])
	}
	b.ReportMetric(float64(len(buf)), "answer-bytes")
}

func BenchmarkSearch1k(b *testing.B)         { benchSearch(b, 1_000, false) }
func BenchmarkSearchFacets1k(b *testing.B)   { benchSearch(b, 1_000, true) }
func BenchmarkSearch10k(b *testing.B)        { benchSearch(b, 10_000, false) }
func BenchmarkSearchFacets10k(b *testing.B)  { benchSearch(b, 10_000, true) }
func BenchmarkSearch100k(b *testing.B)       { benchSearch(b, 100_000, false) }
func BenchmarkSearchFacets100k(b *testing.B) { benchSearch(b, 100_000, true) }

func BenchmarkQuery1k(b *testing.B)   { benchQuery(b, 1_000) }
func BenchmarkQuery10k(b *testing.B)  { benchQuery(b, 10_000) }
func BenchmarkQuery100k(b *testing.B) { benchQuery(b, 100_000) }

func benchQuery(b *testing.B, n int) {
	x, p := benchIndex(b, n), twoRooftops()
	req := &aap.SearchRequest{Filters: aap.Filters{Query: "toyta suv 2020"}}
	b.ReportAllocs()
	for b.Loop() {
		x.Search(p, req, noon)
	}
}

func benchBuild(b *testing.B, n int) {
	all := lotOfSize(n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := inventory.NewIndex(b.Context(), all, benchHead()); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x, err := inventory.NewIndex(b.Context(), all, benchHead())
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "index-MB")
	runtime.KeepAlive(x)
	runtime.KeepAlive(all)
}

func BenchmarkIndexBuild1k(b *testing.B)   { benchBuild(b, 1_000) }
func BenchmarkIndexBuild10k(b *testing.B)  { benchBuild(b, 10_000) }
func BenchmarkIndexBuild100k(b *testing.B) { benchBuild(b, 100_000) }
