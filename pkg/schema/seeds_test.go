package schema_test

import (
	"fmt"
	"slices"
	"testing"
)

// seed is a set of valid payloads that reach rules the released examples leave
// alone. Its parts are what versions differ in.
type seed struct {
	filters, sort, vehicle, request, agent, consent, appointment, code string
	more                                                               []string
}

// Members that stand in the parts of several versions.
const (
	seedFilters = `"make":["Kia","Ford"],"model":["Rio"],"trim":["S"],"condition":["new","cpo"],"transmission":["manual"],"fuel":["gas"],
		"driveline":["awd"],"body":["wagon"],"exterior_color":["red"],"interior_color":["tan"],"year_min":1999,"year_max":2030,"price_min":1,
		"price_max":2e4,"mileage_max":70000.0,"vin":"KNADE123456789012","stock":"K1","query":"small"`
	seedVehicle = `"vin":"KNADE123456789012","year":2021,"condition":"used","status":"pending","rooftop":null,"msrp":1,"price":2e4,"list_price":0,
		"features":["ABS"],"photos":["https://a.example/1"],"vdp_url":"https://a.example/v","electric_range_mi":10.5,"city_mpg":30,
		"inventory_date":"2026-02-28","updated_at":"2026-02-28T10:00:00Z","house":{"colour":1}`
	seedElectric = `,"vehicle_type":"car","charge_port":null,"battery_kwh":0,"motor_power_hp":1.5,"displacement_cc":0,"dc_fast_charge":false,
		"other_attributes":{"a":"x","b":1.5,"c":true,"d":["x","y"],"e":[1,2]}`
	seedAgent       = `{"name":"a","url":"https://a.example","agent_card_url":"https://a.example/c"}`
	seedAppointment = `{"appointment_type":"service","appointment_at":"2026-01-02T10:00:00-05:00","duration_minutes":15,"notes":"n"}`
	seedFacets      = `{"type":"inventory.facets.response","data":{"makes":[{"value":"Kia","count":1},{"value":7,"count":0}],"price_range":{"min":1,"max":2.5}}}`
)

var seeds = map[string]seed{
	"v1.3": {
		filters: seedFilters + seedMoreFilters, sort: "year", vehicle: seedVehicle + seedElectric + `,"fees":[{"name":"Doc","amount":1},{"name":"Prep","amount":2}]`,
		request: `"stock":"K1","vehicle_id":"k"`, agent: seedAgent, appointment: seedAppointment, code: "RATE_LIMITED",
		more: []string{seedFacets},
	},
	"v1.2": {
		filters: seedFilters + seedMoreFilters, sort: "year", vehicle: seedVehicle + seedElectric,
		request: `"stock":"K1","vehicle_id":"k"`, agent: seedAgent, appointment: seedAppointment, code: "RATE_LIMITED",
		more: []string{seedFacets},
	},
	"v1.1": {
		filters: seedFilters + `,"rooftops":["West"]`, sort: "updated_at", vehicle: seedVehicle,
		request: `"stock":"K1","vehicle_id":"k"`, agent: seedAgent, appointment: seedAppointment, code: "RATE_LIMITED",
		more: []string{seedFacets},
	},
	"v1.0": seedRegional,
	"v0.2": seedRegional,
	"v0.1": {
		filters: seedFilters, sort: "last_verified_at",
		vehicle: `"vin":"KNADE123456789012","year":2021,"condition":"used","status":"In Stock","msrp":{"amount":20000.5,"currency":"USD"},
			"price":{"amount":0,"currency":"EUR"},"list_price":{"amount":-1,"currency":"CAD"},"offered_price":{"amount":1e4,"currency":"USD"},
			"zip":"10001-1234","mileage":5,"mpg":{"city":30.5,"highway":-1},"electric_range_mi":-2.5,"photos":["https://a.example/1"],
			"vdp_url":"https://a.example/v","last_verified_at":"2026-02-28T10:00:00Z","house":{"colour":1}`,
		request: `"stock":"K1","vehicle_id":"k","zip":"anything"`, agent: `"a"`, consent: `"source_agent":"a",`,
		appointment: `{"appointment_type":"handover","requested_windows":[{"start":"2026-01-02T10:00:00Z"},
			{"start":"2026-01-02T10:00:00-05:00","end":"2026-01-02T11:00:00-05:00"}],"timezone":"America/Chicago","duration_minutes":15,"notes":"n"}`,
		code: "AUTH_REQUIRED",
		more: []string{
			seedFacets,
			`{"type":"dealer.information.response","data":{"dealer_id":"d","legal_name":"L","trade_name":"T","brands":["Kia"],
				"address":{"state":"TX","zip":"76701"},"geo":{"latitude":-90,"longitude":180},"website":"https://a.example",
				"phones":[{"name":"Sales","phone":"+12025550100","url":"https://a.example/s"}],"emails":[{"email":"a@b.example"}],
				"schedule":{"monday":{"open":"09:00","close":"18:30"},"sunday":null},"timezone":"America/Chicago","notes":"n",
				"capabilities":{"test_drive":true,"financing":false,"trade_in":true,"service":true,"delivery":false,"remote_delivery":false}}}`,
			`{"type":"lead.submit.response","data":{"lead_id":"l","status":"duplicate","appointment":{"appointment_id":"a","status":"confirmed",
				"confirmed_window":{"start":"2026-01-02T10:00:00Z","end":"2026-01-02T11:00:00Z"},"proposed_slots":[{"start":"2026-01-02T10:00:00Z"}]},
				"dealer":{"name":"D","phone":"+12025550100"}}}`,
		},
	},
}

const seedMoreFilters = `,"rooftops":["West"],"vehicle_type":["car","rv"],"electric_range_mi_min":10,"electric_range_mi_max":400,
	"dc_fast_charge":true,"charge_port":["nacs"],"displacement_cc_min":100,"displacement_cc_max":2000`

// seedRegional is for the versions with prices by region.
var seedRegional = seed{
	filters: seedFilters + `,"rooftops":["West"]`, sort: "offered_price", vehicle: seedVehicle + `,"offered_price":3,"zip":"10001"`,
	request: `"stock":"K1","vehicle_id":"k","zip":"anything"`, agent: `"a"`, consent: `"source_agent":"a",`, appointment: seedAppointment,
	code: "RATE_LIMITED", more: []string{seedFacets},
}

// extraSeeds are the payloads of the version's seed.
func extraSeeds(t testing.TB, label string) []example {
	t.Helper()
	s, ok := seeds[label]
	if !ok {
		t.Fatalf("no seed for %s", label)
	}
	texts := []string{
		`{"type":"inventory.search.request","filters":{` + s.filters + `},"pagination":{"skip":0,"limit":1000},
			"sort":{"field":"` + s.sort + `","order":"desc"},"privacy":{"anonymous":true}}`,
		`{"type":"inventory.facets.request","filters":{` + s.filters + `}}`,
		`{"type":"inventory.vehicle.request",` + s.request + `}`,
		`{"type":"inventory.vehicle.response","data":{` + s.vehicle + `}}`,
		`{"type":"lead.submit.request","customer":{"first_name":"","last_name":"","email":"a@b.example","phone":"+12025550100",
			"preferred_contact":"any","address":{"state":"TX","city":"Waco","address_line_1":"1 A St","address_line_2":"2","zip":"76701"}},
			"consent":{` + s.consent + `"granted_at":"2026-01-01T00:00:00+01:00","allowed_channels":["email","sms"],"consent_text":"ok",
			"scope":["lead_submission"],"expires_at":"2027-01-01T00:00:00Z"},"source_agent":` + s.agent + `,
			"vehicle_of_interest":{` + s.vehicle + `},"trade_in":{"condition":"fair","year":1990.0},"message":"hi","appointment":` + s.appointment + `,
			"submitted_at":"2026-01-01T00:00:00Z","idempotency_key":"k"}`,
		`{"type":"aap.event","event_kind":"appointment.status_changed","entity_id":"e","status":"no_show","occurred_at":"2026-01-01T00:00:00Z","payload":{}}`,
		`{"type":"aap.error","error_id":"e","code":"` + s.code + `","message":"m","retryable":true,"details":[1],"created_at":"2026-01-01T00:00:00Z"}`,
	}
	var out []example
	for i, text := range slices.Concat(texts, s.more) {
		payload := decode(t, text).(map[string]any)
		out = append(out, example{fmt.Sprintf("seed %d", i), fileOf(t, payload["type"].(string)), payload})
	}
	return out
}
