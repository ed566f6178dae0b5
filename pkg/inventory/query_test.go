package inventory_test

import (
	"strings"
	"testing"
)

const worded = `[
{"stock":"NAME","make":"Ford","model":"Maverick","year":2022,"updated_at":"2026-04-01T00:00:00Z"},
{"stock":"TRIM","make":"Rover","model":"Mini","trim":"Maverick","year":2020,"updated_at":"2026-04-02T00:00:00Z"},
{"stock":"COLOR","make":"Kia","model":"Soul","exterior_color":"Maverick Red","year":2021,"updated_at":"2026-04-03T00:00:00Z"},
{"stock":"TEXT","make":"Kia","model":"Rio","description":"Drives like a maverick under 30k miles, 2022 tires","year":2019,"price":9000,"updated_at":"2026-04-04T00:00:00Z"},
{"stock":"OLD","make":"Ford","model":"Maverick","year":1975,"price":21000,"updated_at":"2026-03-01T00:00:00Z"}
]`

func TestAQueryBringsTheBestMatchesFirst(t *testing.T) {
	l, p := lotOf(t, units(t, worded)), twoRooftops()
	for _, c := range []struct{ request, want string }{
		{`{"filters":{"query":"maverick"}}`, "NAME OLD TRIM COLOR TEXT"},
		{`{"filters":{"query":"MAVERICK"},"pagination":{"skip":1,"limit":2}}`, "OLD TRIM"},
		{`{"filters":{"query":"maverick"},"pagination":{"skip":9}}`, ""},
		{`{"filters":{"query":"maverik"}}`, "NAME OLD TRIM COLOR TEXT"}, // one typing error
		{`{"filters":{"query":"mavrik"}}`, ""},                          // two
		{`{"filters":{"query":"maverick 2022"}}`, "NAME TEXT"},
		{`{"filters":{"query":"maverick 2023"}}`, ""}, // no typing error in a number
		{`{"filters":{"query":"maverick red"}}`, "COLOR"},
		{`{"filters":{"query":"kia maverick"}}`, "COLOR TEXT"},
		{`{"filters":{"query":"old"}}`, "OLD"},
		{`{"filters":{"query":"under 30k"}}`, "TEXT"},
		// An order that was asked for is kept.
		{`{"filters":{"query":"maverick"},"sort":{"field":"price","order":"asc"}}`, "TEXT OLD COLOR NAME TRIM"},
		{`{"filters":{"query":"maverick"},"sort":{"field":"year","order":"asc"}}`, "OLD TEXT TRIM COLOR NAME"},
	} {
		got := search(t, l, p, c.request)
		if got.stocks() != c.want {
			t.Errorf("%s finds %q, want %q", c.request, got.stocks(), c.want)
		}
	}
}

func TestAQueryThatReadsLikeALimitIsToldWhatToUse(t *testing.T) {
	l, p := lotOf(t, units(t, worded)), twoRooftops()
	for query, said := range map[string]string{
		"maverick under 30k": `"under 30k"`, "$25,000 ford": `"$25,000"`, "less than 20000": `"than 20000"`, "<30000": `"<30000"`, "30K miles": `"30K"`,
		"Kia UNDER 9000 dollars": `"UNDER 9000"`, "at least 2019": `"least 2019"`,
		"ford f-150": "", "maverick 2022": "", "mazda 3": "", "under": "", "k5": "", "1500": "", "over the moon": "",
	} {
		got := search(t, l, p, `{"filters":{"query":`+encoded(query)+`}}`).Message
		if has := strings.Contains(got, "is not read as a limit"); has != (said != "") || !strings.Contains(got, said) {
			t.Errorf("%q: %s", query, got)
		}
	}
}

func TestAQueryMayCutANameOrJoinIt(t *testing.T) {
	l, p := lotOf(t, units(t, `[
{"stock":"VAN","make":"Dodge","model":"Grand Caravan","year":2018,"body":"minivan","driveline":"fwd","updated_at":"2026-04-09T00:00:00Z"},
{"stock":"MINI","make":"MINI","model":"Cooper","year":2018,"body":"Hatchback","driveline":"fwd","description":"One of two models in this van-free lot","updated_at":"2026-04-08T00:00:00Z"},
{"stock":"RAV","make":"Toyota","model":"RAV4 Prime","year":2022,"fuel":"phev","driveline":"awd","updated_at":"2026-04-07T00:00:00Z"},
{"stock":"CRV","make":"Honda","model":"CR-V Hybrid","year":2021,"fuel":"hybrid","driveline":"awd","updated_at":"2026-04-06T00:00:00Z"},
{"stock":"HD","make":"Chevrolet","model":"Silverado 2500HD","year":2020,"body":"Crew Cab Pickup","driveline":"4wd","updated_at":"2026-04-05T00:00:00Z"},
{"stock":"LIG","make":"Ford","model":"F-150 Lightning","year":2022,"body":"Truck","driveline":"awd","updated_at":"2026-04-04T00:00:00Z"},
{"stock":"RUN","make":"Toyota","model":"4Runner","year":2020,"driveline":"4wd","updated_at":"2026-04-03T00:00:00Z"},
{"stock":"TS","make":"Tesla","model":"Model S","year":2020,"driveline":"awd","updated_at":"2026-04-02T00:00:00Z"},
{"stock":"COR V","make":"Chevrolet","model":"Corvette","year":2021,"transmission":"manual","driveline":"rwd","updated_at":"2026-04-01T00:00:00Z"}
]`)), twoRooftops()
	for query, want := range map[string]string{
		"mini van": "VAN MINI", "mini cooper": "MINI", "rav 4": "RAV", "rav4": "RAV", "crv": "CRV", "silverado 2500": "HD", "f150": "LIG", "f150 lightning": "LIG",
		"all wheel drive hybrid": "CRV", "plug-in hybrid": "RAV", "4 wheel drive": "HD RUN", "pick up truck": "HD LIG", "stick shift": "COR V", "model s": "TS",
		"4runer": "RUN", "5runner": "", "toyta 4 runner": "RUN", "corv": "COR V", "silverado 3500": "", "mini prime": "",
	} {
		if got := search(t, l, p, `{"filters":{"query":`+encoded(query)+`}}`).stocks(); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
