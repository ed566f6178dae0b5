package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestPricesThatDifferFromTheDealersOwnPagesAreReported(t *testing.T) {
	pages := map[string]string{
		"/same":    `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Car","sku":"A1","offers":{"@type":"Offer","price":"9,000.00","priceCurrency":"USD"}}</script>`,
		"/other":   `<script data-x="1" type='application/ld+json'>{"@graph":[{"@type":"WebPage"},{"@type":["Product","Car"],"vehicleIdentificationNumber":"19xfl2h89pe020417","offers":[{"price":9500,"priceCurrency":"USD"}]}]}</script>`,
		"/foreign": `<script type="application/ld+json">{"@type":"Car","sku":"A3","offers":{"price":9000,"priceCurrency":"CAD"}}</script>`,
		"/related": `<script type="application/ld+json">[{"@type":"Car","sku":"Z9","offers":{"price":1000}},{"@type":"Car","sku":"A4","offers":{"price":9000}}]</script>`,
		"/broken":  `<script type="application/ld+json">{"offers":{</script><script type="application/ld+json">{"@type":"Car","offers":{"@type":"Offer","priceSpecification":{"price":8800,"priceCurrency":"usd"}}}</script>`,
	}
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		page, ok := pages[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusGone)
		}
		fmt.Fprint(w, "<html><head>", page, "</head></html>")
	}))
	defer site.Close()
	var file strings.Builder
	file.WriteString("stock,vin,year,make,model,price,vdp url\n")
	for i, path := range []string{"/same", "/other", "/foreign", "/related", "/broken", "/gone"} {
		fmt.Fprintf(&file, "A%d,%s,2020,Kia,Rio,9000,%s%s\n", i+1, map[bool]string{true: "19XFL2H89PE020417"}[path == "/other"], site.URL, path)
	}
	profile := write(t, "dealer.yaml", "id: example\nname: Example Motors\nrooftops:\n  - {name: Example Motors, timezone: America/Denver, website: \""+site.URL+"\", phones: [{value: \"+13035550100\"}]}\n"+
		"prices: {includes: all_mandatory_charges}\ndelivery:\n  - {name: outbox, type: file, folder: outbox}\n")
	run := func(flags ...string) string {
		r := dealerCommand(t, "", append([]string{"import", "--profile", profile, "--feed", write(t, "export.csv", file.String()), "--data", filepath.Join(t.TempDir(), "data")}, flags...)...)
		if r.code != 0 {
			t.Fatal(r.out + r.err)
		}
		return r.out
	}
	if report := run(); asked.Load() != 0 || strings.Contains(report, "page") {
		t.Errorf("%d pages were read without being asked to:\n%s", asked.Load(), report)
	}
	report := run("--check-pages", "100")
	for _, want := range []string{
		"2020 Kia Rio, A2: $9,000 here, but $9,500 on its page", "2020 Kia Rio, A5: $9,000 here, but $8,800 on its page",
		"the page of 2020 Kia Rio, A3 states no price", "the page of 2020 Kia Rio, A6 could not be read",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if strings.Contains(report, "A1") || strings.Contains(report, "A4") {
		t.Errorf("a page that agrees is reported:\n%s", report)
	}
	before := asked.Load()
	run("--check-pages", "2")
	if n := asked.Load() - before; n != 2 {
		t.Errorf("%d pages were read, want 2", n)
	}
}
