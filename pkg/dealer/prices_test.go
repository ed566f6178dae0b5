package dealer_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"pgregory.net/rapid"
)

func show(price, list *aap.Int, fees []aap.Fee) string {
	number := func(n *aap.Int) string {
		if n == nil {
			return "absent"
		}
		return fmt.Sprint(int64(*n))
	}
	disclosed := fmt.Sprint(fees)
	if fees == nil {
		disclosed = "absent"
	}
	return fmt.Sprintf("price %s, list_price %s, fees %s", number(price), number(list), disclosed)
}

func TestTheFeedsNumberBecomesAPriceOnlyByDeclaration(t *testing.T) {
	doc := dealer.Fee{Name: "Doc", Amount: 899}
	for _, c := range []struct {
		name    string
		prices  dealer.Prices
		selling int64
		want    string
	}{
		{"undeclared", dealer.Prices{}, 24990, "price absent, list_price 24990, fees absent"},
		{"complete", dealer.Prices{Includes: dealer.PricesComplete}, 24990, "price 24990, list_price absent, fees absent"},
		{"fees to add", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{doc}}, 24990, "price 25889, list_price 24990, fees [{Doc 899}]"},
		{"no charges at all", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{}}, 24990, "price 24990, list_price absent, fees []"},
		{"no number", dealer.Prices{Includes: dealer.PricesComplete}, 0, "price absent, list_price absent, fees absent"},
		{"no number, fees to add", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{doc}}, -5, "price absent, list_price absent, fees absent"},
		{"sum beyond counting", dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{doc}}, math.MaxInt64, "price absent, list_price 9223372036854775807, fees absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(c.prices.Publish(c.selling)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFeesAreInsideThePriceExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fees := rapid.SliceOf(rapid.Custom(func(t *rapid.T) dealer.Fee {
			return dealer.Fee{Name: rapid.StringN(1, 20, 40).Draw(t, "name"), Amount: rapid.Int64Range(0, math.MaxInt64).Draw(t, "amount")}
		})).Draw(t, "fees")
		prices := dealer.Prices{
			Includes: rapid.SampledFrom([]string{"", dealer.PricesComplete, dealer.PricesWithoutFees}).Draw(t, "includes"),
			AddFees:  fees,
		}
		selling := rapid.Int64().Draw(t, "selling")
		price, list, told := prices.Publish(selling)
		if price == nil {
			if told != nil {
				t.Fatalf("fees without a price: %s", show(price, list, told))
			}
			if list != nil && int64(*list) != selling {
				t.Fatalf("list_price is not the column: %s", show(price, list, told))
			}
			return
		}
		if selling <= 0 || prices.Includes == "" {
			t.Fatalf("a price nobody declared: %s", show(price, list, told))
		}
		rest := int64(*price)
		for _, f := range told {
			if f.Amount < 0 {
				t.Fatalf("negative fee: %s", show(price, list, told))
			}
			rest -= int64(f.Amount)
		}
		if rest != selling {
			t.Fatalf("price less fees is %d, not the column %d", rest, selling)
		}
		if (prices.Includes == dealer.PricesComplete) != (told == nil) || len(told) > 0 && len(told) != len(fees) {
			t.Fatalf("fees are not the profile's: %s", show(price, list, told))
		}
	})
}

func TestPublishedFeesAreACopy(t *testing.T) {
	prices := dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{{Name: "Doc", Amount: 5}}}
	_, _, one := prices.Publish(100)
	one[0].Amount = 7
	if got := show(prices.Publish(100)); got != "price 105, list_price 100, fees [{Doc 5}]" {
		t.Errorf("got %s", got)
	}
}

func TestAPriceIsShownWhereTheContractMeansIt(t *testing.T) {
	for _, v := range aap.Versions() {
		for _, p := range []dealer.Prices{{Includes: dealer.PricesComplete}, {Includes: dealer.PricesComplete, OutTheDoor: true}} {
			if want := !v.PriceIsOutTheDoor || p.OutTheDoor; p.Shown(v) != want {
				t.Errorf("%s with %+v: %v", v.Label, p, !want)
			}
		}
	}
}
