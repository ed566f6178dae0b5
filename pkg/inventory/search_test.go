package inventory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestSearchFiltersSortsAndPages(t *testing.T) {
	l, p := lotOf(t, units(t, sixUnits)), twoRooftops()
	for _, c := range []struct {
		name, request string
		want          string // in order
		total         int
		skip, limit   int
	}{
		{"without filters everything listed comes, newest first", `{}`, "A B C E F", 5, 0, 20},
		{"make folds case", `{"filters":{"make":["honda"]}}`, "A B", 2, 0, 20},
		{"values of one filter are alternatives", `{"filters":{"make":["honda","tesla"]}}`, "A B F", 3, 0, 20},
		{"filters combine", `{"filters":{"make":["honda","tesla"],"condition":["used"]}}`, "F", 1, 0, 20},
		{"price_max is inclusive and skips the unpriced", `{"filters":{"price_max":26780}}`, "A C E F", 4, 0, 20},
		{"price_min 0 skips the unpriced", `{"filters":{"price_min":0}}`, "A C E F", 4, 0, 20},
		{"price_min is inclusive", `{"filters":{"price_min":25999}}`, "A E", 2, 0, 20},
		{"a listing without vehicle_type is a car", `{"filters":{"vehicle_type":["car"]}}`, "A B C F", 4, 0, 20},
		{"motorcycles", `{"filters":{"vehicle_type":["motorcycle"]}}`, "E", 1, 0, 20},
		{"dc_fast_charge true constrains", `{"filters":{"dc_fast_charge":true}}`, "F", 1, 0, 20},
		{"dc_fast_charge false does not", `{"filters":{"dc_fast_charge":false}}`, "A B C E F", 5, 0, 20},
		{"charge port", `{"filters":{"charge_port":["NACS"]}}`, "F", 1, 0, 20},
		{"charge port by its other name", `{"filters":{"charge_port":["SAE J3400"]}}`, "F", 1, 0, 20},
		{"rooftops by name", `{"filters":{"rooftops":["North"]}}`, "A B F", 3, 0, 20},
		{"rooftops by alias", `{"filters":{"rooftops":["n1"]}}`, "A B F", 3, 0, 20},
		{"vin of a sold unit finds nothing", `{"filters":{"vin":"2FTEW1EP4NK300033"}}`, "", 0, 0, 20},
		{"vin is exact", `{"filters":{"vin":"5YJ3E1EB2KF500055"}}`, "F", 1, 0, 20},
		{"stock exactly", `{"filters":{"stock":"T101"}}`, "B", 1, 0, 20},
		{"stock folded", `{"filters":{"stock":"t-10 1"}}`, "B", 1, 0, 20},
		{"a crossed range finds nothing", `{"filters":{"year_min":2025,"year_max":2020}}`, "", 0, 0, 20},
		{"a year range", `{"filters":{"year_min":2021,"year_max":2022}}`, "A C", 2, 0, 20},
		{"mileage_max skips the unknown", `{"filters":{"mileage_max":40000}}`, "A C E", 3, 0, 20},
		{"displacement", `{"filters":{"displacement_cc_min":1868,"displacement_cc_max":1868}}`, "E", 1, 0, 20},
		{"electric range", `{"filters":{"electric_range_mi_min":200}}`, "F", 1, 0, 20},
		{"empty arrays are absent", `{"filters":{"make":[],"rooftops":[],"condition":[]}}`, "A B C E F", 5, 0, 20},
		{"absurd numbers keep their meaning", `{"filters":{"mileage_max":1e30}}`, "A C E F", 4, 0, 20},
		{"a color inside a paint name", `{"filters":{"exterior_color":["black"]}}`, "A", 1, 0, 20},
		{"automatic inside a transmission", `{"filters":{"transmission":["automatic"]}}`, "A", 1, 0, 20},
		{"gasoline is gas", `{"filters":{"fuel":["Gasoline"]}}`, "A C", 2, 0, 20},
		{"electric is bev", `{"filters":{"fuel":["electric"]}}`, "F", 1, 0, 20},
		{"Mazda 3 is the 3 of Mazda, not the Model 3", `{"filters":{"model":["Mazda 3"]}}`, "C", 1, 0, 20},
		{"price downwards, unpriced last", `{"sort":{"field":"price","order":"desc"}}`, "A E F C B", 5, 0, 20},
		{"price upwards, unpriced last", `{"sort":{"field":"price","order":"asc"}}`, "C F E A B", 5, 0, 20},
		{"updated_at", `{"sort":{"field":"updated_at","order":"desc"}}`, "A B C E F", 5, 0, 20},
		{"updated_at upwards", `{"sort":{"field":"updated_at","order":"asc"}}`, "F E C B A", 5, 0, 20},
		{"mileage downwards, unknown last", `{"sort":{"field":"mileage","order":"desc"}}`, "F C A E B", 5, 0, 20},
		{"make", `{"sort":{"field":"make","order":"asc"}}`, "E A B C F", 5, 0, 20},
		{"stock downwards", `{"sort":{"field":"stock","order":"desc"}}`, "F B A C E", 5, 0, 20},
		{"a later page", `{"sort":{"field":"price","order":"asc"},"pagination":{"skip":3,"limit":2}}`, "A B", 5, 3, 2},
		{"past the end", `{"pagination":{"skip":50}}`, "", 5, 50, 20},
		{"far past the end", `{"pagination":{"skip":9223372036854775807,"limit":1000}}`, "", 5, 9223372036854775807, 100},
		{"a limit over the dealer's is clamped", `{"pagination":{"limit":500}}`, "A B C E F", 5, 0, 100},
		{"privacy changes nothing", `{"privacy":{"anonymous":true}}`, "A B C E F", 5, 0, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := search(t, l, p, c.request)
			if got.stocks() != c.want || got.Data.Total != c.total {
				t.Errorf("found %q of %d, want %q of %d", got.stocks(), got.Data.Total, c.want, c.total)
			}
			if got.Data.Skip != c.skip || got.Data.Limit != c.limit {
				t.Errorf("skip %d limit %d, want %d and %d", got.Data.Skip, got.Data.Limit, c.skip, c.limit)
			}
			for _, v := range got.Data.Vehicles {
				if v.Status == "" || v.UpdatedAt == "" {
					t.Errorf("%s has status %q and updated_at %q", v.Stock, v.Status, v.UpdatedAt)
				}
			}
		})
	}
}

const spellings = `[
{"stock":"CHEV","make":"Chevrolet","model":"Silverado 1500","year":2020,"body":"4dr Crew Cab Pickup","driveline":"4WD"},
{"stock":"CHEVY","make":"Chevy","model":"1500","year":2019},
{"stock":"RAM","make":"Ram","model":"1500","year":2021,"trim":"Big Horn"},
{"stock":"F150","make":"Ford","model":"F-150","trim":"XLT","year":2020,"driveline":"4x4","fuel":"Gas/Electric Hybrid"},
{"stock":"GOLF","make":"Volkswagen","model":"Golf","year":2018,"exterior_color":"Magnetic Gray"},
{"stock":"GOLFR","make":"VW","model":"Golf R","year":2019,"exterior_color":"Blizzard Pearl","other_attributes":{"exterior_color_generic":"White"}},
{"stock":"CRV","make":"Honda","model":"CR-V","year":2021,"body":"Sport Utility","driveline":"All Wheel Drive","fuel":"Regular Unleaded"},
{"stock":"RAV4","make":"Toyota","model":"RAV4","year":2021,"body":"SUV","driveline":"AWD","fuel":"Plug-In Hybrid"},
{"stock":"M3","make":"Mazda","model":"Mazda3","year":2020,"transmission":"6-Speed Manual"},
{"stock":"330I","make":"BMW","model":"3 Series","trim":"330i xDrive","year":2021,"interior_color":"Black Leather"},
{"stock":"WRU","make":"Jeep","model":"Wrangler Unlimited","year":2020},
{"stock":"WR","make":"Jeep","model":"Wrangler","trim":"Sport","year":2020},
{"stock":"BENZ","make":"Mercedes-Benz","model":"300 TE 4-Matic","year":1992,"transmission":"Automatic"},
{"stock":"CCLASS","make":"Mercedes-Benz","model":"C-Class","trim":"C 300","year":2020},
{"stock":"COR","make":"Toyota","model":"Corolla","trim":"LE","year":2020},
{"stock":"CORX","make":"Toyota","model":"Corolla Cross","year":2023},
{"stock":"MEG","make":"Renault","model":"Mégane","year":2019},
{"stock":"TES","make":"Tesla","model":"Model 3","year":2022,"fuel":"Electric"},
{"stock":"VERSA","make":"Nissan","model":"Versa","trim":"S","year":2020,"vehicle_type":"car"}
]`

func TestFiltersUnderstandUsualSpellings(t *testing.T) {
	l, p := lotOf(t, units(t, spellings)), twoRooftops()
	for _, c := range []struct{ filters, want string }{
		{`"make":["Chevy"]`, "CHEV CHEVY"},
		{`"make":["CHEVROLET"]`, "CHEV CHEVY"},
		{`"make":["VW"]`, "GOLF GOLFR"},
		{`"make":["Mercedes"]`, "BENZ CCLASS"},
		{`"make":["Benz"]`, "BENZ CCLASS"},
		{`"make":["mercedes benz"]`, "BENZ CCLASS"},
		{`"model":["F150"]`, "F150"},
		{`"model":["f 150"]`, "F150"},
		{`"model":["Ford F-150"]`, "F150"},
		{`"model":["CRV"]`, "CRV"},
		{`"model":["RAV-4"]`, "RAV4"},
		{`"model":["Mazda 3"]`, "M3"},
		{`"model":["3"]`, "M3"},
		{`"model":["C"]`, ""},
		{`"model":["CR"]`, ""},
		{`"model":["Model"]`, ""},
		{`"model":["Golf"]`, "GOLF GOLFR"},
		{`"model":["Golf R"]`, "GOLFR"},
		{`"model":["VW Golf"]`, "GOLF GOLFR"},
		{`"model":["Wrangler"]`, "WR WRU"},
		{`"model":["Wrangler Unlimited"]`, "WRU"},
		{`"model":["Corolla"]`, "COR"},
		{`"model":["1500"]`, "CHEVY RAM"},
		{`"make":["Ram"],"model":["1500"]`, "RAM"},
		{`"model":["Ram 1500"]`, "RAM"},
		{`"model":["Silverado"]`, "CHEV"},
		{`"model":["330i"]`, "330I"},
		{`"model":["330"]`, ""},
		{`"model":["C 300"]`, "CCLASS"},
		{`"model":["C-Klasse"]`, "CCLASS"},
		{`"model":["S"]`, ""},
		{`"model":["300TE-4-Matic"]`, "BENZ"},
		{`"model":["300 Te 4 Matic"]`, "BENZ"},
		{`"model":["Megane"]`, "MEG"},
		{`"trim":["330i"]`, ""},
		{`"trim":["330I X-Drive"]`, "330I"},
		{`"body":["suv"]`, "CRV RAV4"},
		{`"body":["sport utility vehicle"]`, "CRV RAV4"},
		{`"body":["pickup"]`, "CHEV"},
		{`"driveline":["4x4"]`, "CHEV F150"},
		{`"driveline":["awd"]`, "CRV RAV4"},
		{`"fuel":["gasoline"]`, "CRV"},
		{`"fuel":["hybrid"]`, "F150 RAV4"},
		{`"fuel":["phev"]`, "RAV4"},
		{`"fuel":["electric"]`, "TES"},
		{`"exterior_color":["grey"]`, "GOLF"},
		{`"exterior_color":["gray"]`, "GOLF"},
		{`"exterior_color":["white"]`, "GOLFR"},
		{`"exterior_color":["ray"]`, ""},
		{`"interior_color":["black"]`, "330I"},
		{`"transmission":["manual"]`, "M3"},
		{`"transmission":["auto"]`, "BENZ"},
		{`"query":"f150 xlt"`, "F150"},
		{`"query":"F-150"`, "F150"},
		{`"query":"chevy"`, "CHEV CHEVY"},
		{`"query":"toyta corolla"`, "COR CORX"},
		{`"query":"Toyota 2020"`, "COR"},
		{`"query":"suv awd"`, "CRV RAV4"},
		{`"query":"grey golf"`, "GOLF"},
		{`"query":"2002"`, ""},
		{`"query":"meg-ane"`, "MEG"},
		{`"query":"ccl-ass"`, "CCLASS"},
		{`"query":"honda toyota"`, ""},
	} {
		t.Run(c.filters, func(t *testing.T) {
			if got := search(t, l, p, `{"filters":{`+c.filters+`}}`).sorted(); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestOneRooftopOwnsCarsThatNameNone(t *testing.T) {
	l, p := lotOf(t, units(t, `[{"stock":"1","make":"Kia"},{"stock":"2","make":"Kia","rooftop":"Elsewhere"}]`)), twoRooftops()
	if got := search(t, l, p, `{"filters":{"rooftops":["North"]}}`).sorted(); got != "" {
		t.Errorf("with two rooftops North has %q", got)
	}
	p.Rooftops = p.Rooftops[:1]
	if got := search(t, l, p, `{"filters":{"rooftops":["north"]}}`).sorted(); got != "1" {
		t.Errorf("the only rooftop has %q, want 1", got)
	}
}

func TestMessagesTellWhatIsShownAndWhatFailed(t *testing.T) {
	var rows []string
	for range 37 {
		rows = append(rows, `{"stock":"X`+strings.Repeat("i", len(rows))+`","make":"Toyota","model":"Corolla","price":20000}`)
	}
	l, p := lotOf(t, units(t, "["+strings.Join(rows, ",")+"]")), twoRooftops()
	for _, c := range []struct{ request, want string }{
		{`{}`, "37 match; showing 1-20."},
		{`{"pagination":{"skip":20}}`, "37 match; showing 21-37."},
		{`{"pagination":{"skip":40}}`, "37 match; none from skip 40 on."},
		{`{"pagination":{"limit":1}}`, "37 match; showing 1."},
		{`{"filters":{"make":["Toyta"]}}`, `0 match: the filter make left none of 37. No listing has the make "Toyta"; the closest known is "Toyota".`},
		{`{"filters":{"make":["Hnda"]}}`, `0 match: the filter make left none of 37. No listing has the make "Hnda"; the closest known is "Honda".`},
		{`{"filters":{"make":["Toyota"],"model":["Corola"]}}`, `0 match: the filter model left none of 37. No listing has the model "Corola"; the closest known is "Corolla".`},
		{`{"filters":{"make":["Toyota"],"year_min":2020,"price_max":90}}`, `0 match: the filter year_min left none of 37.`},
		{`{"filters":{"make":["Toyota"],"price_min":5,"price_max":90}}`, `0 match: the filter price_min and price_max left none of 37.`},
		{`{"filters":{"query":"diesel"}}`, `0 match: the filter query left none of 37.`},
		{`{"filters":{"price_max":30000},"pagination":{"limit":3}}`, "37 match; showing 1-3. price includes every mandatory dealer charge and excludes tax, title and registration."},
	} {
		if got := search(t, l, p, c.request).Message; got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.request, got, c.want)
		}
	}
	empty := lotOf(t, nil)
	if got := search(t, empty, p, `{}`).Message; got != "0 match: the dealer lists no vehicles now." {
		t.Errorf("an empty lot says %q", got)
	}
}

func TestOldFeedsWarnAndTooOldOnesClaimNothing(t *testing.T) {
	all := units(t, `[{"stock":"1","make":"Kia","rooftop":"North"},{"stock":"2","make":"Kia","rooftop":"South"}]`)
	l, p := lotOf(t, all), twoRooftops()
	p.Inventory.MaxAge = dealer.Duration(30 * time.Minute)
	got := search(t, l, p, `{}`)
	if !strings.Contains(got.Message, "Warning: not confirmed by the dealer's system for 1 hour (North, South)") || got.Data.Total != 2 {
		t.Errorf("%d found with message %q", got.Data.Total, got.Message)
	}
	if at := got.Data.Vehicles[0].UpdatedAt; at != "2026-05-01T11:00:00Z" {
		t.Errorf("updated_at %q is not the time of the feed", at)
	}
	p.Inventory.HardMaxAge = dealer.Duration(45 * time.Minute)
	got = search(t, l, p, `{}`)
	if got.Data.Total != 0 || !strings.Contains(got.Message, "Nothing can be claimed available") {
		t.Errorf("%d found with message %q", got.Data.Total, got.Message)
	}
}

func TestUnpricedCarsAreNeitherCheapNorHidden(t *testing.T) {
	l, p := lotOf(t, units(t, `[{"stock":"A","price":18000},{"stock":"B","list_price":100},{"stock":"C","price":25000}]`)), twoRooftops()
	if got := search(t, l, p, `{"filters":{"price_max":20000}}`).stocks(); got != "A" {
		t.Errorf("up to 20000: %q", got)
	}
	if got := search(t, l, p, `{"sort":{"field":"price","order":"asc"}}`).stocks(); got != "A C B" {
		t.Errorf("by price: %q", got)
	}
	p.Prices = dealer.Prices{}
	if got := search(t, l, p, `{"sort":{"field":"price","order":"asc"}}`).Message; !strings.Contains(got, "no complete price") {
		t.Errorf("without a price policy the message is %q", got)
	}
}

func TestACarWithoutAFullVINIsFoundByItsStockNumber(t *testing.T) {
	l, p := lotOf(t, units(t, `[{"stock":"67-MUST","vehicle_id":"7R01C100001","year":1967,"make":"Ford","model":"Mustang"}]`)), twoRooftops()
	for _, filters := range []string{`"stock":"67 must"`, `"query":"67-MUST"`, `"make":["ford"],"year_max":1980`} {
		if got := search(t, l, p, `{"filters":{`+filters+`}}`).stocks(); got != "67-MUST" {
			t.Errorf("%s finds %q", filters, got)
		}
	}
}

func TestHostileFiltersStayCheap(t *testing.T) {
	l, p := lotOf(t, units(t, spellings)), twoRooftops()
	values := strings.Repeat(`"Chevroleet","Golf",`, 6000)
	began := time.Now()
	got := search(t, l, p, `{"filters":{"make":[`+values+`"x"],"model":[`+values+`"x"],"trim":[`+values+`"x"],"query":"`+strings.Repeat("qqqqq ", 33)+`"}}`)
	if spent := time.Since(began); spent > 5*time.Second {
		t.Errorf("answered after %v", spent)
	}
	if n := strings.Count(got.Message, "closest"); n > 3 || got.Data.Total != 0 {
		t.Errorf("%d found, %d names explained: %q", got.Data.Total, n, got.Message)
	}
}
