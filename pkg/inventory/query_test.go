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
