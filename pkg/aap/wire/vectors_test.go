package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
)

func same(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("payload differs (-want +got):\n%s", diff)
	}
}

func version(t *testing.T, label string) aap.Version {
	t.Helper()
	v, ok := aap.VersionByLabel(label)
	if !ok {
		t.Fatal(label)
	}
	return v
}

func TestRequestsGoUp(t *testing.T) {
	lead := func(s string) string { return `{"type":"lead.submit.request",` + s + `}` }
	for _, c := range []struct {
		name, version string
		skill         aap.Skill
		from, to      string
	}{
		{"prices with cents keep their meaning for whole dollars", "v0.1", aap.InventorySearch,
			`{"filters":{"price_min":20000.25,"price_max":30000.75,"make":["Kia"]}}`, `{"filters":{"price_min":20001,"price_max":30000,"make":["Kia"]}}`},
		{"facets too", "v0.1", aap.InventoryFacets, `{"filters":{"price_min":0.5}}`, `{"filters":{"price_min":1}}`},
		{"the sort by freshness has another name", "v0.1", aap.InventorySearch,
			`{"sort":{"field":"last_verified_at","order":"desc"}}`, `{"sort":{"field":"updated_at","order":"desc"}}`},
		{"a sort by offered_price leaves the default order", "v1.0", aap.InventorySearch,
			`{"type":"inventory.search.request","sort":{"field":"offered_price","order":"asc"}}`, `{"type":"inventory.search.request"}`},
		{"on v0.1 too", "v0.1", aap.InventorySearch, `{"sort":{"field":"offered_price","order":"asc"}}`, `{}`},
		{"a sort by price stays", "v1.0", aap.InventorySearch, `{"sort":{"field":"price","order":"asc"}}`, `{"sort":{"field":"price","order":"asc"}}`},
		{"the buyer's zip is not asked for any more", "v1.0", aap.InventoryVehicle, `{"vin":"X","zip":"94107"}`, `{"vin":"X"}`},
		{"the agent's name becomes an object and leaves the consent", "v1.0", aap.LeadSubmit,
			lead(`"source_agent":"shopper","consent":{"source_agent":"shopper","scope":[]}`), lead(`"source_agent":{"name":"shopper"},"consent":{"scope":[]}`)},
		{"the same on v0.2", "v0.2", aap.LeadSubmit, lead(`"source_agent":"s"`), lead(`"source_agent":{"name":"s"}`)},
		{"v1.1 has objects already", "v1.1", aap.LeadSubmit, lead(`"source_agent":{"name":"s"}`), lead(`"source_agent":{"name":"s"}`)},
		{"offers for a zip are dropped", "v1.0", aap.LeadSubmit,
			lead(`"vehicle_of_interest":{"vin":"X","offered_price":30,"zip":"94107","price":29}`), lead(`"vehicle_of_interest":{"vin":"X","price":29}`)},
		{"money objects become dollars", "v0.1", aap.LeadSubmit,
			lead(`"trade_in":{"price":{"amount":18500.5,"currency":"USD"},"msrp":{"amount":20,"currency":"EUR"},"list_price":{"amount":-1,"currency":"USD"},"offered_price":{"amount":1,"currency":"USD"}}`),
			lead(`"trade_in":{"price":18501}`)},
		{"free words about a lead's vehicle are dropped, its details taken over", "v0.1", aap.LeadSubmit,
			lead(`"vehicle_of_interest":{"status":"In Stock","mpg":{"city":28,"highway":34},"last_verified_at":"2026-04-30T07:15:00Z","equipment":["x"],"features":"leather"}`),
			lead(`"vehicle_of_interest":{"city_mpg":28,"highway_mpg":34,"updated_at":"2026-04-30T07:15:00Z","equipment":["x"]}`)},
		{"the first window is the time asked for, the others are noted", "v0.1", aap.LeadSubmit,
			lead(`"appointment":{"appointment_type":"test_drive","timezone":"America/Los_Angeles","requested_windows":[` +
				`{"start":"2026-05-03T18:00:00Z","end":"2026-05-03T19:00:00Z"},{"start":"2026-05-03T19:30:00Z","end":"2026-05-03T20:30:00Z"},{"start":"2026-05-04T19:30:00Z"}],"notes":"I bring my license."}`),
			lead(`"appointment":{"appointment_type":"test_drive","appointment_at":"2026-05-03T18:00:00Z","duration_minutes":60,` +
				`"notes":"or 2026-05-03 12:30 -07:00 to 2026-05-03 13:30 -07:00; or 2026-05-04 12:30 -07:00; I bring my license."}`)},
		{"a visit shorter than its window is noted", "v0.1", aap.LeadSubmit,
			lead(`"appointment":{"appointment_type":"trade_in_appraisal","duration_minutes":30,"requested_windows":[{"start":"2026-05-03T18:00:00Z","end":"2026-05-03T21:00:00Z"}]}`),
			lead(`"appointment":{"appointment_type":"trade_in","duration_minutes":30,"appointment_at":"2026-05-03T18:00:00Z","notes":"within 2026-05-03 18:00 +00:00 to 2026-05-03 21:00 +00:00"}`)},
		{"a handover", "v0.1", aap.LeadSubmit, lead(`"appointment":{"appointment_type":"handover"}`), lead(`"appointment":{"appointment_type":"sales","notes":"handover scheduled"}`)},
		{"a showroom visit", "v0.1", aap.LeadSubmit, lead(`"appointment":{"appointment_type":"showroom_visit"}`), lead(`"appointment":{"appointment_type":"sales","notes":"showroom visit"}`)},
		{"a phone call", "v0.1", aap.LeadSubmit, lead(`"appointment":{"appointment_type":"phone_call"}`), lead(`"appointment":{"appointment_type":"sales","notes":"phone call"}`)},
		{"a video call", "v0.1", aap.LeadSubmit, lead(`"appointment":{"appointment_type":"video_call"}`), lead(`"appointment":{"appointment_type":"sales","notes":"video call"}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.Up(version(t, c.version), c.skill, []byte(c.from))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, c.to)
		})
	}
}

const listing = `{"vin":"1HGCV1F30KA000001","status":"available","price":26780,"list_price":24990,"fees":[{"name":"Doc","amount":500}],"city_mpg":30,` +
	`"vehicle_type":"car","rooftop":"North","updated_at":"2026-04-30T10:15:00Z"}`

const facets = `{"makes":[{"value":"Honda","count":1}],"vehicle_types":[{"value":"car","count":1}],"dc_fast_charge":[],"charge_ports":[],` +
	`"displacement_cc_range":{"min":1,"max":2},"electric_range_mi_range":{"min":1,"max":2},"rooftops":[{"value":"North","count":1}],` +
	`"statuses":[{"value":"available","count":3},{"value":"intransit","count":1},{"value":"pending","count":1}],"price_range":{"min":1,"max":2}}`

func TestAnswersGoDown(t *testing.T) {
	envelope := func(s string) string { return `{"type":"x","data":` + s + `}` }
	cut := func(s string, parts ...string) string {
		for _, part := range parts {
			s = strings.Replace(s, part, "", 1)
		}
		return s
	}
	const fees, price = `"fees":[{"name":"Doc","amount":500}],`, `"price":26780,`
	const electric = `"vehicle_types":[{"value":"car","count":1}],"dc_fast_charge":[],"charge_ports":[],"displacement_cc_range":{"min":1,"max":2},"electric_range_mi_range":{"min":1,"max":2},`
	const visit = `{"lead_id":"l","status":"received","appointment":{"appointment_id":"a","status":"confirmed","confirmed_at":"2026-05-03T18:00:00Z"}}`
	const offer = `{"lead_id":"l","status":"received","appointment":{"appointment_id":"a","status":"proposed","proposed_times":["2026-05-03T18:00:00Z","2026-05-04T18:00:00Z"]}}`
	priced := wire.Context{DealerID: "harbor-auto", Brands: []string{"Honda"}, Priced: true}
	unpriced := wire.Context{DealerID: "harbor-auto"}
	for _, c := range []struct {
		name, version string
		skill         aap.Skill
		context       wire.Context
		from, to      string
	}{
		{"v1.2 has no fees", "v1.2", aap.InventoryVehicle, priced, listing, cut(listing, fees)},
		{"nor a price that is not out-the-door", "v1.2", aap.InventoryVehicle, unpriced, listing, cut(listing, fees, price)},
		{"in a search neither", "v1.2", aap.InventorySearch, unpriced, `{"total":1,"vehicles":[` + listing + `]}`, `{"total":1,"vehicles":[` + cut(listing, fees, price) + `]}`},
		{"nor a range of prices", "v1.2", aap.InventoryFacets, unpriced, facets, cut(facets, `,"price_range":{"min":1,"max":2}`)},
		{"v1.1 has no facets of motorcycles and electric cars", "v1.1", aap.InventoryFacets, priced, facets, cut(facets, electric)},
		{"nor has v1.0", "v1.0", aap.InventoryFacets, priced, facets, cut(facets, electric)},
		{"v0.1 has money objects, the time of verification and free words", "v0.1", aap.InventoryVehicle, priced, listing,
			`{"vin":"1HGCV1F30KA000001","status":"In Stock","price":{"amount":26780,"currency":"USD"},"list_price":{"amount":24990,"currency":"USD"},` +
				`"mpg":{"city":30},"vehicle_type":"car","rooftop":"North","last_verified_at":"2026-04-30T10:15:00Z"}`},
		{"and counts by those words", "v0.1", aap.InventoryFacets, priced, facets, strings.NewReplacer(`"available"`, `"In Stock"`, `"intransit"`, `"In Transit"`, `"pending"`, `"Pending"`).
			Replace(cut(facets, electric, `"rooftops":[{"value":"North","count":1}],`))},
		{"a booking is a window", "v0.1", aap.LeadSubmit, priced, visit, strings.Replace(visit, `"confirmed_at":"2026-05-03T18:00:00Z"`, `"confirmed_window":{"start":"2026-05-03T18:00:00Z"}`, 1)},
		{"proposals are slots", "v0.1", aap.LeadSubmit, priced, offer,
			strings.Replace(offer, `"proposed_times":["2026-05-03T18:00:00Z","2026-05-04T18:00:00Z"]`, `"proposed_slots":[{"start":"2026-05-03T18:00:00Z"},{"start":"2026-05-04T18:00:00Z"}]`, 1)},
		{"v0.2 has times", "v0.2", aap.LeadSubmit, priced, visit, visit},
		{"rooftops have no fees in v1.2", "v1.2", aap.DealerInformation, priced, `{"name":"G","rooftops":[{"name":"N","fees":[]},{"name":"S"}]}`, `{"name":"G","rooftops":[{"name":"N"},{"name":"S"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.Down(version(t, c.version), c.skill, []byte(envelope(c.from)), c.context)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, envelope(c.to))
		})
	}
}

func TestAGroupBecomesOneDealer(t *testing.T) {
	const group = `{"type":"dealer.information.response","data":{"name":"Harbor Auto Group","welcome_message":"Hello.","rooftops":[
		{"name":"Seattle","legal_name":"Harbor Seattle LLC","website":"https://harbor.example","timezone":"America/Los_Angeles","notes":"Ring twice.",
		 "address":{"address_line_1":"1 Pier","city":"Seattle","state":"WA","zip":"98101","country":"US"},"geo":{"latitude":47.6,"longitude":-122.3},
		 "phones":[{"name":"Sales","value":"+12065550140"},{"value":"call us"}],"emails":[{"value":"sales@harbor.example"},{"value":"nobody"}],
		 "schedules":[{"name":"Sales","value":{"monday":{"open":"09:00","close":"18:00"},"sunday":null}},{"value":{"monday":null}}],
		 "capabilities":["financing","trade_in","motorcycle_sales"],"fees":[]},
		{"name":"Boise","address":{"city":"Boise","state":"ID"},"phones":[{"value":"+12085550140"}]}]}}`
	got, err := wire.Down(version(t, "v0.1"), aap.DealerInformation, []byte(group), wire.Context{DealerID: "harbor-auto", Brands: []string{"Honda", "Kia"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, `{"type":"dealer.information.response","message":"Hello.","data":{"dealer_id":"harbor-auto","legal_name":"Harbor Seattle LLC",
		"trade_name":"Harbor Auto Group","brands":["Honda","Kia"],"website":"https://harbor.example","timezone":"America/Los_Angeles",
		"address":{"address_line_1":"1 Pier","city":"Seattle","state":"WA","zip":"98101"},"geo":{"latitude":47.6,"longitude":-122.3},
		"phones":[{"name":"Sales","phone":"+12065550140"}],"emails":[{"email":"sales@harbor.example"}],
		"schedule":{"monday":{"open":"09:00","close":"18:00"},"sunday":null},"capabilities":{"financing":true,"trade_in":true},
		"notes":"Ring twice.\nAlso at: Boise, Boise, ID, +12085550140."}}`)
}

func TestNotesOfAVisitStayWithinTheirLength(t *testing.T) {
	windows := strings.Repeat(`{"start":"2026-05-03T18:00:00Z"},`, 40)
	request := `{"type":"lead.submit.request","appointment":{"appointment_type":"handover","requested_windows":[` + strings.TrimSuffix(windows, ",") +
		`],"notes":"` + strings.Repeat("é", 2000) + `"}}`
	got, err := wire.Up(version(t, "v0.1"), aap.LeadSubmit, []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	var up aap.LeadRequest
	if err := json.Unmarshal(got, &up); err != nil {
		t.Fatal(err)
	}
	notes := up.Appointment.Notes
	if n := len([]rune(notes)); n != 2000 || !strings.HasPrefix(notes, "handover scheduled; or 2026-05-03 18:00 +00:00; ") ||
		!strings.Contains(notes, "; and 31 more times; é") || !strings.HasSuffix(notes, "é…") {
		t.Errorf("%d characters: %.200s", n, notes)
	}
}
