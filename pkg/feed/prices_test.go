package feed_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// pricing publishes the price column as it stands.
func pricing() *dealer.Profile {
	p := oneRooftop()
	p.Prices = dealer.Prices{Includes: dealer.PricesComplete, Currency: "USD"}
	return p
}

func TestAPriceInsideSomethingElseIsNotTheSellingPrice(t *testing.T) {
	for _, c := range []struct {
		members string
		want    any
	}{
		{`"price":20000`, int64(20000)},
		{`"pricing":{"price":20000}`, int64(20000)},
		{`"vehicle":{"pricing":{"internetPrice":20000}}`, int64(20000)},
		{`"offers":{"price":20000,"priceCurrency":"USD"}`, int64(20000)},
		{`"lease":{"price":399}`, nil},
		{`"lease":{"price":399},"retail":{"price":20000}`, int64(20000)},
		{`"finance":{"price":19000}`, nil},
		{`"monthly":{"price":299}`, nil},
		{`"payment":{"amount":{"price":299}}`, nil},
		{`"internal":{"price":15000}`, nil},
		{`"trade":{"price":15000}`, nil},
		{`"auction":{"price":15000}`, nil},
		{`"competitor":{"price":15000}`, nil},
		{`"was":{"price":25000}`, nil},
		{`"deposit":{"price":500}`, nil},
		{`"military":{"price":19000}`, nil},
	} {
		v, _ := one(t, pricing(), `[{"vin":"`+vinA+`","year":2020,"make":"Honda","model":"Civic",`+c.members+`}]`)
		if num(v.Price) != c.want || v.ListPrice != nil && c.want == nil {
			t.Errorf("%s: price %v, list price %v, want %v", c.members, num(v.Price), num(v.ListPrice), c.want)
		}
	}
	p := pricing()
	p.Feed.Columns = map[string]string{"price": "retail.cash.price"}
	if v, _ := one(t, p, `[{"vin":"`+vinA+`","year":2020,"make":"Honda","model":"Civic","retail":{"cash":{"price":20000}}}]`); num(v.Price) != int64(20000) {
		t.Errorf("the price the profile names is %v", num(v.Price))
	}
}

func TestAForeignCurrencyInAnyOfItsColumnsWithholdsThePrice(t *testing.T) {
	for _, file := range []string{
		"vin,year,make,model,price,currency,price currency\n" + vinA + ",2020,Honda,Civic,20000,,CAD\n",
		"vin,year,make,model,price,currency,price currency\n" + vinA + ",2020,Honda,Civic,20000,USD,CAD\n",
		"vin,year,make,model,price,price currency,currency\n" + vinA + ",2020,Honda,Civic,20000,,CAD\n",
		`[{"vin":"` + vinA + `","year":2020,"make":"Honda","model":"Civic","price":20000,"currency":null,"offers":{"priceCurrency":"EUR"}}]`,
	} {
		if v, rep := one(t, pricing(), file); v.Price != nil || !warned(rep, "only US dollars") {
			t.Errorf("%s is %v dollars", file, num(v.Price))
		}
	}
	if v, _ := one(t, pricing(), "vin,year,make,model,price,currency,price currency\n"+vinA+",2020,Honda,Civic,20000,USD,usd\n"); num(v.Price) != int64(20000) {
		t.Errorf("a price in dollars is %v", num(v.Price))
	}
}
