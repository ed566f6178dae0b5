package machine_test

import (
	"strings"
	"testing"
)

// request is a payload of the skill with further members.
func request(skill, rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return `{"type":"` + skill + `.request"` + rest + `}`
}

func TestClosedObjectsTakeNoFurtherMembers(t *testing.T) {
	d := open(t)
	for _, v := range []struct{ payload, pointer string }{
		{request("dealer.information", `"x":1`), "/x"},
		{request("dealer.information", `"filters":{}`), "/filters"},
		{request("inventory.search", `"customer":{"first_name":"Anna"}`), "/customer"},
		{request("inventory.search", `"consent":{}`), "/consent"},
		{request("inventory.search", `"data":{}`), "/data"},
		{request("inventory.search", `"filters":{"mileage_min":1}`), "/filters/mileage_min"},
		{request("inventory.search", `"filters":{"offered_price":1}`), "/filters/offered_price"},
		{request("inventory.search", `"filters":{"a/b~c":1}`), "/filters/a~1b~0c"},
		{request("inventory.search", `"pagination":{"page":2}`), "/pagination/page"},
		{request("inventory.search", `"sort":{"field":"price","order":"asc","x":1}`), "/sort/x"},
		{request("inventory.search", `"privacy":{"x":1}`), "/privacy/x"},
		{request("inventory.facets", `"sort":{"field":"price","order":"asc"}`), "/sort"},
		{request("inventory.facets", `"privacy":{}`), "/privacy"},
		{request("inventory.facets", `"filters":{"color":["red"]}`), "/filters/color"},
		{request("inventory.vehicle", `"stock":"T100","x":1`), "/x"},
		{lead(object{"privacy": object{"anonymous": true}}), "/privacy"},
		{lead(object{"vehicles_of_interest": []object{{"vin": "1HGCV1F30KA000001"}}}), "/vehicles_of_interest"},
		{lead(object{"customer.birthday": "1990-01-01"}), "/customer/birthday"},
		{lead(object{"customer.address": object{"planet": "Mars"}}), "/customer/address/planet"},
		{lead(object{"appointment": object{"appointment_type": "sales", "requested_windows": []any{}}}), "/appointment/requested_windows"},
		{lead(object{"source_agent.version": "1"}), "/source_agent/version"},
		{lead(object{"consent.source_agent": "x"}), "/consent/source_agent"},
	} {
		d.skill(t, v.payload).want("-32602 SCHEMA_VALIDATION_FAILED " + v.pointer + " additionalProperties")
	}
}

func TestFormsOfValues(t *testing.T) {
	d := open(t)
	filter := func(f string) string { return request("inventory.search", `"filters":{`+f+`}`) }
	const invalid = "-32602 SCHEMA_VALIDATION_FAILED "
	for _, v := range []struct{ name, payload, want string }{
		{"an integer with a zero fraction", filter(`"year_min":2020.0`), "ok"},
		{"an integer with an exponent", filter(`"price_max":3e4`), "ok"},
		{"an integer beyond every machine word", filter(`"price_max":1` + strings.Repeat("0", 30)), "ok"},
		{"a fraction", filter(`"year_min":2020.5`), invalid + "/filters/year_min type"},
		{"a number in quotes", filter(`"price_max":"30000"`), invalid + "/filters/price_max type"},
		{"null", filter(`"vin":null`), invalid + "/filters/vin type"},
		{"null in a list", filter(`"make":[null]`), invalid + "/filters/make/0 type"},
		{"a single value in place of a list", filter(`"make":"Honda"`), invalid + "/filters/make type"},
		{"a year out of range", filter(`"year_min":1899,"year_max":2101`), invalid + "/filters/year_max maximum, /filters/year_min minimum"},
		{"negative amounts", filter(`"price_min":-1,"mileage_max":-1,"displacement_cc_min":-1,"electric_range_mi_max":-1`),
			invalid + "/filters/displacement_cc_min minimum, /filters/electric_range_mi_max minimum, /filters/mileage_max minimum, /filters/price_min minimum"},
		{"a condition of trade-ins", filter(`"condition":["fair"]`), invalid + "/filters/condition/0 enum"},
		{"a vehicle type nobody has", filter(`"vehicle_type":["boat"]`), invalid + "/filters/vehicle_type/0 enum"},
		{"a VIN with the letter O", filter(`"vin":"1HGCV1F30KAO00001"`), invalid + "/filters/vin pattern"},
		{"a VIN of 16 characters", request("inventory.vehicle", `"vin":"1HGCV1F30KA00001"`), invalid + "/vin pattern"},
		{"sort without its two members", request("inventory.search", `"sort":{}`), invalid + "/sort/field required, /sort/order required"},
		{"sort by distance", request("inventory.search", `"sort":{"field":"distance","order":"near"}`), invalid + "/sort/field enum, /sort/order enum"},
		{"a fractional page", request("inventory.search", `"pagination":{"skip":0.5,"limit":"10"}`), invalid + "/pagination/limit type, /pagination/skip type"},
		{"an anonymous flag that is a text", request("inventory.search", `"privacy":{"anonymous":"yes"}`), invalid + "/privacy/anonymous type"},
		{"a member twice", request("inventory.search", `"filters":{"make":["Kia"],"make":["Honda"]}`), invalid + "/filters/make duplicateKey"},
		{"a member in other case", filter(`"Make":["Honda"]`), invalid + "/filters/Make caseMismatch"},
		{"nested too deep", filter(`"make":` + strings.Repeat("[", 40) + strings.Repeat("]", 40)), invalid + "/filters/make/0 type, /filters/make" + strings.Repeat("/0", 30) + " maxDepth"},
		{"a time with an offset", lead(object{"submitted_at": "2026-05-01T05:00:00-07:00", "message": "offset"}), "ok"},
		{"a time without seconds", lead(object{"submitted_at": "2026-05-01T12:00Z"}), invalid + "/submitted_at format"},
		{"a date for a time", lead(object{"submitted_at": "2026-05-01"}), invalid + "/submitted_at format"},
		{"a day that does not exist", lead(object{"submitted_at": "2026-02-30T12:00:00Z"}), invalid + "/submitted_at format"},
		{"a mail address that is none", lead(object{"customer.email": "anna"}), invalid + "/customer/email format"},
		{"a site that is no URI", lead(object{"source_agent.url": "not a site", "source_agent.agent_card_url": "/card"}),
			invalid + "/source_agent/agent_card_url format, /source_agent/url format"},
		{"a phone beyond 15 digits", lead(object{"customer.phone": "+1234567890123456"}), invalid + "/customer/phone pattern"},
		{"a channel of no contract", lead(object{"customer.preferred_contact": "fax"}), invalid + "/customer/preferred_contact enum"},
		{"an empty key", lead(object{"idempotency_key": ""}), invalid + "/idempotency_key minLength"},
		{"an agent without a name", lead(object{"source_agent": object{"name": ""}}), invalid + "/source_agent/name minLength"},
		{"a visit of ten minutes with a long note", lead(object{"appointment": object{"appointment_type": "sales", "duration_minutes": 10, "notes": strings.Repeat("x", 2001)}}),
			invalid + "/appointment/duration_minutes minimum, /appointment/notes maxLength"},
		{"two vehicles in one lead", lead(object{"vehicle_of_interest": []object{{}, {}}}), invalid + "/vehicle_of_interest type"},
		{"nested attributes of a vehicle", lead(object{"vehicle_of_interest": object{"other_attributes": object{"a": object{}}}}), invalid + "/vehicle_of_interest/other_attributes/a anyOf"},
		{"a rooftop of null", lead(object{"vehicle_of_interest": object{"rooftop": nil, "charge_port": nil}}), "ok"},
	} {
		t.Run(v.name, func(t *testing.T) { d.skill(t, v.payload).want(v.want) })
	}
}

func TestErrorsAreNewInstancesWithATime(t *testing.T) {
	d := open(t)
	first, second := d.skill(t, request("inventory.vehicle", `"stock":"nope"`)), d.skill(t, request("inventory.vehicle", `"stock":"nope"`))
	if first.fault.ErrorID == "" || first.fault.ErrorID == second.fault.ErrorID {
		t.Errorf("error ids %q and %q", first.fault.ErrorID, second.fault.ErrorID)
	}
	if first.fault.Retryable || first.fault.Message == "" || first.rpc.Error.Message == "" {
		t.Errorf("error %s", first.body)
	}
	if !strings.Contains(string(first.body), `"created_at":"2026-05-01T12:00:00Z"`) {
		t.Errorf("no time of the agent's clock in %s", first.body)
	}
}

func TestReadingSkillsNeedNoBuyer(t *testing.T) {
	d := open(t)
	for _, payload := range []string{
		information, request("inventory.facets", ``), request("inventory.search", ``), request("inventory.vehicle", `"stock":"T100"`),
		request("inventory.search", `"privacy":{"anonymous":true}`), request("inventory.search", `"privacy":{"anonymous":false}`), request("inventory.search", `"privacy":{}`),
	} {
		d.skill(t, payload).want("ok")
	}
}
