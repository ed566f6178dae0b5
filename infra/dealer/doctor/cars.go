package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// stale is the age past which a listing should have been vouched for anew: a
// business day, and a night.
const stale = 48 * time.Hour

// cars looks at listings one by one.
func (x *examination) cars(c *contract, all page) {
	x.hidden(c, all)
	x.fresh(c, all)
	x.prices(c, all)
	for _, v := range all.cars {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(v.raw, &members) // it was read before
		for name := range members {
			if costly(name) {
				x.warn("inventory.cost", c.of(), "listings have a member %s", quoted(name))
				return
			}
		}
	}
	x.pass("inventory.cost", c.of(), "none in %d listings", len(all.cars))
}

// costly reports whether a member's name is that of what the dealer paid.
func costly(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"cost", "invoice", "wholesale", "acv", "floorplan", "book_value", "purchase_price", "holdback"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func (x *examination) hidden(c *contract, all page) {
	for _, v := range all.cars {
		status := strings.ToLower(v.Status)
		for _, gone := range []string{"sold", "wholesale", "hold", "unavailable", "deleted"} {
			if strings.Contains(status, gone) {
				x.fail("inventory.hidden", c.of(), "a car is listed as %s", quoted(v.Status))
				return
			}
		}
	}
	x.pass("inventory.hidden", c.of(), "%d listings", len(all.cars))
}

func (x *examination) fresh(c *contract, all page) {
	oldest := time.Duration(0)
	for _, v := range all.cars {
		said := v.UpdatedAt
		if said == "" {
			said = v.LastVerifiedAt
		}
		at, err := time.Parse(time.RFC3339, said)
		if err != nil {
			x.fail("inventory.fresh", c.of(), "a car has no date")
			return
		}
		age := x.Now().Sub(at)
		if age < -time.Hour {
			x.fail("inventory.fresh", c.of(), "a car was updated in the future")
			return
		}
		oldest = max(oldest, age)
	}
	if oldest > stale {
		x.warn("inventory.fresh", c.of(), "the oldest of %d listings was vouched for %d hours ago", len(all.cars), int(oldest.Hours()))
		return
	}
	x.pass("inventory.fresh", c.of(), "the oldest of %d listings was vouched for %d hours ago", len(all.cars), int(oldest.Hours()))
}

func (x *examination) prices(c *contract, all page) {
	priced := 0
	for _, v := range all.cars {
		amount, ok := v.price()
		if !ok {
			if len(v.Price) > 0 {
				priced++ // money as an object
			}
			continue
		}
		priced++
		sum, names := 0.0, map[string]bool{}
		for _, f := range v.Fees {
			sum += float64(f.Amount)
			if names[f.Name] {
				x.fail("inventory.price", c.of(), "a car has the fee %s twice", quoted(f.Name))
				return
			}
			names[f.Name] = true
		}
		if amount <= 0 || sum > amount {
			x.fail("inventory.price", c.of(), "a car has a price of %.0f with fees of %.0f", amount, sum)
			return
		}
	}
	if priced == 0 {
		why := ""
		if slices.ContainsFunc(all.cars, func(v car) bool { return len(v.ListPrice) > 0 }) {
			why = "; there are list prices only, which become prices once the dealer declares what they hold (prices.includes of a dealer profile)"
		}
		x.warn("inventory.price", c.of(), "none of %d listings has a price: price filters find none of them%s", len(all.cars), why)
		return
	}
	x.pass("inventory.price", c.of(), "%d of %d listings have one", priced, len(all.cars))
}

// term is one value of a facet.
type term struct {
	Value json.RawMessage `json:"value"`
	Count int             `json:"count"`
}

// facets asks for the facets of everything; nil when there are none.
func (x *examination) facets(ctx context.Context, c *contract) map[string][]term {
	if !c.offers(aap.InventoryFacets) {
		return nil
	}
	answer, err := x.call(ctx, c, aap.InventoryFacets, `{}`)
	if err != nil {
		x.skip("inventory.facets", c.of(), "%v", err)
		return nil
	}
	var found struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(answer, &found) // skill.schema has judged it
	out := map[string][]term{}
	for name, raw := range found.Data {
		var terms []term
		if json.Unmarshal(raw, &terms) == nil {
			out[name] = terms
		}
	}
	return out
}

// filterOf are the facets whose values are filters as they stand.
var filterOf = [][2]string{{"makes", "make"}, {"conditions", "condition"}, {"rooftops", "rooftops"}, {"fuels", "fuel"}, {"bodies", "body"}, {"years", ""}}

// counts compares the counts of some facet values with searches for them.
func (x *examination) counts(ctx context.Context, c *contract, all page, facets map[string][]term) {
	tried := 0
	for _, pair := range filterOf {
		terms := facets[pair[0]]
		for i, t := range terms {
			if i%(len(terms)/3+1) != 0 {
				continue
			}
			filter := fmt.Sprintf(`{%q:[%s]}`, pair[1], t.Value)
			if pair[1] == "" {
				filter = fmt.Sprintf(`{"year_min":%[1]s,"year_max":%[1]s}`, t.Value)
			}
			p, err := x.search(ctx, c, filter, "", 0, 1)
			if err != nil {
				x.skip("inventory.facets", c.of(), "%v", errors.Unwrap(err))
				return
			}
			if p.total != t.Count {
				x.fail("inventory.facets", c.of(), "%s says %d of %s, a search finds %d", pair[0], t.Count, clip(string(t.Value), 60), p.total)
				return
			}
			tried++
		}
	}
	if years := slices.Clone(facets["years"]); len(years) > 0 {
		sum := 0
		for _, t := range years {
			sum += t.Count
		}
		if sum > all.total {
			x.fail("inventory.facets", c.of(), "the years count %d cars, a search finds %d", sum, all.total)
			return
		}
	}
	if tried == 0 {
		x.skip("inventory.facets", c.of(), "no values to search for")
		return
	}
	x.pass("inventory.facets", c.of(), "%d values", tried)
}
