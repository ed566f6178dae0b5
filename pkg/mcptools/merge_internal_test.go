package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// aShare draws what one dealer found: cars of few VINs, so that dealers share
// some, with and without the values that are sorted by.
func aShare(t *rapid.T, i int) share {
	versions := aap.Versions()
	s := share{member: &member{Dealer: Dealer{Alias: fmt.Sprintf("d%d", i)}}, version: versions[rapid.IntRange(0, 2).Draw(t, "version")]}
	for n := range rapid.IntRange(0, 8).Draw(t, "cars") {
		car := map[string]any{"stock": fmt.Sprintf("d%d-%d", i, n)}
		if rapid.Bool().Draw(t, "has a VIN") {
			car["vin"] = fmt.Sprintf("1HGCV1F30KA00000%d", rapid.IntRange(0, 5).Draw(t, "vin"))
		}
		if rapid.Bool().Draw(t, "has a price") {
			car["price"] = rapid.IntRange(1, 5).Draw(t, "price")
		}
		if rapid.Bool().Draw(t, "is vouched for") {
			car["updated_at"] = fmt.Sprintf("2026-04-0%dT00:00:00Z", rapid.IntRange(1, 9).Draw(t, "day"))
		}
		raw, _ := json.Marshal(car)
		s.vehicles = append(s.vehicles, raw)
	}
	s.total = len(s.vehicles)
	return s
}

type read struct {
	Stock     string `json:"stock"`
	VIN       string `json:"vin"`
	Price     *int   `json:"price"`
	UpdatedAt string `json:"updated_at"`
}

func parsed(t *rapid.T, raw json.RawMessage) (r read) {
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMergingLosesNoCarAndShowsNoneTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shares []share
		cars := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "dealers") {
			shares = append(shares, aShare(t, i))
			cars += len(shares[i].vehicles)
		}
		q := &query{
			sort: aap.Sort{
				Field: rapid.SampledFrom([]string{"price", "updated_at", "stock"}).Draw(t, "field"),
				Order: rapid.SampledFrom([]string{"asc", "desc"}).Draw(t, "order"),
			},
			limit: 100, now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		}
		whole, answered := mergeShares(context.Background(), q, shares)
		if !answered || whole.Data.Total != cars {
			t.Fatalf("%d cars, total %d", cars, whole.Data.Total)
		}
		shown, vins := 0, map[string]bool{}
		for _, e := range whole.Data.Vehicles {
			shown += 1 + len(e.AlsoAt)
			v := parsed(t, e.Vehicle)
			if v.VIN != "" && vins[v.VIN] {
				t.Fatalf("%s is shown twice", v.VIN)
			}
			vins[v.VIN] = true
			for _, o := range e.AlsoAt {
				if o.UpdatedAt > v.UpdatedAt {
					t.Fatalf("%s was vouched for later at %s", v.VIN, o.Dealer)
				}
			}
		}
		if shown != cars {
			t.Fatalf("%d of %d cars are shown", shown, cars)
		}
		inOrder(t, q, whole.Data.Vehicles)
		// The pages, one after the other, are the whole.
		size := rapid.IntRange(1, 5).Draw(t, "page")
		var pieces []string
		for skip := 0; skip < len(whole.Data.Vehicles); skip += size {
			part := *q
			part.skip, part.limit = skip, size
			page, _ := mergeShares(context.Background(), &part, shares)
			for _, e := range page.Data.Vehicles {
				pieces = append(pieces, string(e.Vehicle))
			}
		}
		var all []string
		for _, e := range whole.Data.Vehicles {
			all = append(all, string(e.Vehicle))
		}
		if !slices.Equal(pieces, all) {
			t.Fatalf("pages %v\nwhole %v", pieces, all)
		}
	})
}

// inOrder checks the asked order by its own reading of it.
func inOrder(t *rapid.T, q *query, entries []entry) {
	value := func(e entry) (string, bool) {
		v := parsed(t, e.Vehicle)
		switch q.sort.Field {
		case "price":
			if v.Price == nil {
				return "", false
			}
			return fmt.Sprintf("%09d", *v.Price), true
		case "stock":
			return v.Stock, true
		}
		return v.UpdatedAt, v.UpdatedAt != ""
	}
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1], entries[i]
		x, hasX := value(a)
		y, hasY := value(b)
		if q.sort.Field == "price" && a.PriceIncludes != b.PriceIncludes && hasX == hasY {
			if a.PriceIncludes == "out_the_door" {
				t.Fatal("a price of another meaning comes first")
			}
			continue
		}
		if !hasX && hasY {
			t.Fatalf("a car without %s comes before one with it", q.sort.Field)
		}
		order := strings.Compare(x, y)
		if q.sort.Order == "desc" {
			order = -order
		}
		if hasX && hasY && order > 0 {
			t.Fatalf("%s before %s, %s", x, y, q.sort.Order)
		}
	}
}

// TestPricesOfTwoMeaningsAreToldWhereThereAreSome: a car without a price means
// nothing by it.
func TestPricesOfTwoMeaningsAreToldWhereThereAreSome(t *testing.T) {
	before, since := aap.V1_3, aap.V1_3
	before.PriceIsOutTheDoor = !since.PriceIsOutTheDoor
	for car, told := range map[string]bool{`{"stock":"B1"}`: false, `{"stock":"B1","price":null}`: false, `{"stock":"B1","price":2}`: true} {
		shares := []share{
			{member: &member{Dealer: Dealer{Alias: "a"}}, version: since, vehicles: []json.RawMessage{[]byte(`{"stock":"A1","price":1}`)}, total: 1},
			{member: &member{Dealer: Dealer{Alias: "b"}}, version: before, vehicles: []json.RawMessage{[]byte(car)}, total: 1},
		}
		result, _ := mergeShares(context.Background(), &query{sort: aap.Sort{Field: "stock"}, limit: 5}, shares)
		if got := len(result.Notes) == 1; got != told {
			t.Errorf("%s: notes %q", car, result.Notes)
		}
	}
}
