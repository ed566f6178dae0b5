package feed_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// site answers for every page with the same text.
type site string

func (s site) Page(context.Context, string) ([]byte, error) { return []byte(s), nil }

// told is what an import says about the page of its one vehicle of $20,000; ""
// when the page agrees.
func told(t testing.TB, html string) string {
	t.Helper()
	p := pricing()
	im := feed.Importer{Store: &inventorytest.Memory{}, Profiles: dealer.Fixed(p), Now: func() time.Time { return exported }, Pages: site(html), ComparePages: 1}
	rep, err := im.Import(t.Context(), feed.Source{Name: "x", Body: strings.NewReader("vin,stock,year,make,model,price,url\n" + vinA + ",A1,2020,Kia,Rio,20000,https://www.example.com/a1\n")}, true)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, w := range rep.Warnings {
		if strings.Contains(w.Text, "page") {
			said = append(said, w.Text)
		}
	}
	return strings.Join(said, "; ")
}

func ld(json string) string { return `<script type="application/ld+json">` + json + "</script>" }

const ownOffer = `{"@type":"Car","vehicleIdentificationNumber":"` + vinA + `","offers":{"price":20000,"priceCurrency":"USD"}}`

var otherPrice = regexp.MustCompile(`: \$20,000 here, but \$[1-9][0-9]{0,2}(,[0-9]{3}){0,3} on its page$`)

// FuzzPagePrices: whatever a page holds, it agrees, states no price, or states
// another one; nothing else of it is told. Text without scripts and offers of
// other cars hide no offer of this one.
func FuzzPagePrices(f *testing.F) {
	for _, seed := range []string{
		ownOffer, strings.Replace(ownOffer, "20000", `"$19,999.50"`, 1), `{"@graph":[{"offers":[{"price":"1e99"},{"price":-1},{"offers":{"priceSpecification":{"price":5}}}]}]}`,
		strings.Repeat(`{"offers":[`, 40), strings.Repeat("[", 5000), `{"sku":"a1","offers":{"price":"NaN"}}`, `{"offers":{"price":"0x1p9","priceCurrency":"EUR"}}`, "</script>\xff\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, html := range []string{text, ld(text), "<SCRIPT TYPE='application/ld+json' >" + text} {
			if said := told(t, html); said != "" && !strings.Contains(said, "states no price for machines") && !otherPrice.MatchString(said) {
				t.Errorf("%q", said)
			}
		}
		if fold := strings.ToLower(text); !strings.Contains(fold, "script") && !strings.Contains(fold, strings.ToLower(vinA)) && !strings.Contains(text, `\`) {
			if said := told(t, text+ld(text)+ld(ownOffer)); said != "" {
				t.Errorf("the offer beside it is passed over: %q", said)
			}
		}
	})
}
