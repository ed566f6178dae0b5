package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Pages reads the dealer's own pages.
type Pages interface {
	// Page is the HTML of a vehicle's page.
	Page(ctx context.Context, url string) ([]byte, error)
}

// comparePages warns of listed vehicles whose page in the web offers them at
// another price than buyers' agents are told. It looks at the first limit
// vehicles that have both a page and a price.
func (r *Report) comparePages(ctx context.Context, units []inventory.Vehicle, pages Pages, limit int) {
	for i := range units {
		v := &units[i]
		shown := shownOf(v)
		if limit == 0 || ctx.Err() != nil {
			return
		}
		if !v.State.Listed() || v.Listing.VDPURL == "" || shown == nil {
			continue
		}
		limit--
		html, err := pages.Page(ctx, v.Listing.VDPURL)
		if err != nil {
			r.warn(0, "the page of "+unitName(&v.Listing)+" could not be read, so its price was not compared")
			continue
		}
		offered := pagePrices(html, v.Listing.VIN, v.Listing.Stock)
		switch {
		case len(offered) == 0:
			r.warn(0, "the page of "+unitName(&v.Listing)+" states no price for machines (JSON-LD offers in USD), so it was not compared")
		case !shown.among(offered):
			r.warn(0, fmt.Sprintf("%s: %s here, but %s on its page", unitName(&v.Listing), shown, dollars(offered[0])))
		}
	}
}

// among reports whether one of the published prices is one of those offered.
func (s *Shown) among(offered []aap.Int) bool {
	return s.Price != nil && slices.Contains(offered, *s.Price) || s.ListPrice != nil && slices.Contains(offered, *s.ListPrice)
}

var ldScript = regexp.MustCompile(`(?is)<script[^>]*\btype\s*=\s*["']?application/ld\+json["']?[^>]*>(.*?)</script>`)

// offering is one thing on a page that is for sale.
type offering struct {
	ids    []string
	prices []aap.Int
}

// pagePrices are the prices in whole US dollars at which a page offers a
// vehicle by schema.org's JSON-LD: of what carries its VIN or stock number, else
// of the only thing on offer.
func pagePrices(html []byte, vin, stock string) []aap.Int {
	var all []offering
	for _, script := range ldScript.FindAllSubmatch(html, 50) {
		var doc any
		if json.Unmarshal(script[1], &doc) == nil {
			all = offerings(all, doc, 0)
		}
	}
	for _, id := range []string{vin, stock} {
		for _, o := range all {
			if id != "" && slices.ContainsFunc(o.ids, func(s string) bool { return inventory.FoldID(s) == inventory.FoldID(id) }) {
				return o.prices
			}
		}
	}
	if len(all) == 1 && len(all[0].ids) == 0 {
		return all[0].prices
	}
	return nil
}

// offerings collects what has offers, at any depth that pages have.
func offerings(all []offering, value any, depth int) []offering {
	if depth > 32 {
		return all
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			all = offerings(all, element, depth+1)
		}
	case map[string]any:
		if prices := offerPrices(nil, v["offers"], 0); len(prices) > 0 {
			o := offering{prices: prices}
			for _, name := range []string{"vehicleIdentificationNumber", "sku", "productID", "mpn"} {
				if id, ok := v[name].(string); ok && id != "" {
					o.ids = append(o.ids, id)
				}
			}
			return append(all, o)
		}
		for _, name := range sortedKeys(v) {
			all = offerings(all, v[name], depth+1)
		}
	}
	return all
}

// offerPrices are the prices in US dollars of one offer or a list of them.
func offerPrices(out []aap.Int, offers any, depth int) []aap.Int {
	if depth > 8 {
		return out
	}
	switch v := offers.(type) {
	case []any:
		for _, offer := range v {
			out = offerPrices(out, offer, depth+1)
		}
	case map[string]any:
		if currency, _ := v["priceCurrency"].(string); currency == "" || strings.EqualFold(currency, "USD") {
			if n, ok := offerPrice(v["price"]); ok {
				out = append(out, n)
			}
		}
		for _, inner := range []string{"priceSpecification", "offers"} {
			out = offerPrices(out, v[inner], depth+1)
		}
	}
	return out
}

func offerPrice(value any) (aap.Int, bool) {
	var f float64
	switch v := value.(type) {
	case float64:
		f = v
	case string:
		var err error
		if f, err = strconv.ParseFloat(strings.NewReplacer("$", "", ",", "", " ", "").Replace(v), 64); err != nil {
			return 0, false
		}
	}
	return aap.Int(math.Round(f)), f >= 1 && f < 1e9
}
