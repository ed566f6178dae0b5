package machine_test

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestTestDrivesNeedAUnitThatIsThere(t *testing.T) {
	d := open(t)
	drive := object{"appointment_type": "test_drive"}
	const gone, unknown = "-32000 VEHICLE_UNAVAILABLE", "-32000 VEHICLE_NOT_FOUND"
	for _, v := range []struct {
		name    string
		vehicle object
		want    string
	}{
		{"by VIN", object{"vin": "1HGCV1F30KA000001"}, "ok"},
		{"by stock number, other spelling", object{"stock": "s-200"}, "ok"},
		{"by the dealer's id", object{"vehicle_id": "v-e"}, "ok"},
		{"by year, make and model", object{"year": 2019, "make": "tesla", "model": "model 3"}, "ok"},
		{"several units fit", object{"make": "honda", "model": "CIVIC", "year": 2024}, "ok"},
		{"an unknown VIN with a known stock number", object{"vin": "2T1BURHE0JC000009", "stock": "T100"}, "ok"},
		{"a sold VIN with a stock number for sale", object{"vin": "1FTFW1E50NFA00001", "stock": "T100"}, gone},
		{"sold, by stock number", object{"stock": "S201"}, gone},
		{"sold, by year, make and model", object{"year": 2022, "make": "Ford", "model": "F150"}, gone},
		{"unknown stock number", object{"stock": "nope"}, unknown},
		{"unknown make", object{"year": 2020, "make": "Kia", "model": "Soul"}, unknown},
		{"too little to name a unit", object{"model": "Soul"}, "ok"},
		{"nothing", object{}, "ok"},
	} {
		t.Run(v.name, func(t *testing.T) {
			edits := object{"vehicle_of_interest": v.vehicle, "appointment": drive}
			d.skill(t, lead(edits)).want(v.want)
			delete(edits, "appointment")
			d.skill(t, lead(edits)).want("ok")
			edits["appointment"] = object{"appointment_type": "service"}
			d.skill(t, lead(edits)).want("ok")
		})
	}
	d.skill(t, lead(object{"appointment": drive})).want("ok")
	strict := open(t, add("leads: {test_drive_needs_vehicle: true}"))
	strict.skill(t, lead(object{"appointment": drive})).want("-32602 MISSING_REQUIRED_FIELD /vehicle_of_interest required")
	strict.skill(t, lead(object{"appointment": drive, "vehicle_of_interest": object{"stock": "T100"}})).want("ok")
}

func TestABuyerIsToldWhenTheUnitIsNotThere(t *testing.T) {
	d := open(t)
	for words, vehicle := range map[string]object{"not found": {"vin": "2T1BURHE0JC000009"}, "no longer for sale": {"stock": "S201"}} {
		if a := d.skill(t, lead(object{"vehicle_of_interest": vehicle})); a.rpc.Error != nil || !strings.Contains(a.payload.Message, words) {
			t.Errorf("%v: %s, want a message with %q", vehicle, a.body, words)
		}
	}
}

func TestEveryVisitIsRequestedAndToldSo(t *testing.T) {
	d := open(t)
	for _, kind := range []string{"sales", "service", "test_drive", "trade_in"} {
		for _, at := range []string{"", "2026-05-03T18:00:00Z", "2020-01-01T00:00:00-07:00"} {
			visit := object{"appointment_type": kind}
			if at != "" {
				visit["appointment_at"] = at
			}
			a := d.skill(t, lead(object{"appointment": visit, "vehicle_of_interest": object{"stock": "S200"}}))
			a.want("ok")
			got, _ := a.payload.Data["appointment"].(object)
			id, _ := got["appointment_id"].(string)
			if a.payload.Data["status"] != "received" || got["status"] != "requested" || id == "" || got["confirmed_at"] != nil || got["proposed_times"] != nil {
				t.Errorf("%s at %q: %s", kind, at, a.body)
			}
			if contact, _ := a.payload.Data["dealer"].(object); contact["phone"] != "+13035550100" || contact["name"] != "South" || a.payload.Message == "" {
				t.Errorf("%s at %q: the rooftop and its phone are not named: %s", kind, at, a.body)
			}
		}
	}
}

func TestWhatMakesALeadAnother(t *testing.T) {
	d := open(t)
	base := object{"vehicle_of_interest": object{"stock": "T100"}, "trade_in": object{"year": 2014, "make": "Toyota", "model": "Corolla"},
		"appointment":              object{"appointment_type": "sales", "appointment_at": "2026-05-03T18:00:00Z"},
		"consent.allowed_channels": []string{"email", "phone"}}
	first := d.skill(t, lead(base))
	first.want("ok")
	for _, v := range []struct {
		name, status string
		edits        object
	}{
		{"the same again", "duplicate", nil},
		{"another key", "duplicate", object{"idempotency_key": "k"}},
		{"another spelling of the address", "duplicate", object{"customer.email": "ANNA@example.com", "customer.phone": nil}},
		{"the phone alone", "duplicate", object{"customer.email": nil, "customer.preferred_contact": nil, "consent.allowed_channels": []string{"phone"}}},
		{"the same instant in another zone", "duplicate", object{"appointment": object{"appointment_type": "sales", "appointment_at": "2026-05-03T11:00:00-07:00"}}},
		{"the address alone", "duplicate", object{"customer.phone": nil}},
		{"fewer channels", "duplicate", object{"consent.allowed_channels": []string{"email"}}},
		{"one more channel", "received", object{"consent.allowed_channels": []string{"email", "sms"}}},
		{"another number", "received", object{"customer.phone": "+14155550199"}},
		{"another buyer", "received", object{"customer.email": "ben@example.com", "customer.phone": nil}},
		{"another car", "received", object{"vehicle_of_interest": object{"stock": "S200"}}},
		{"another trade-in", "received", object{"trade_in": object{"year": 2015, "make": "Toyota", "model": "Corolla"}}},
		{"another time", "received", object{"appointment": object{"appointment_type": "sales", "appointment_at": "2026-05-04T18:00:00Z"}}},
		{"another kind of visit", "received", object{"appointment": object{"appointment_type": "test_drive", "appointment_at": "2026-05-03T18:00:00Z"}}},
		{"no visit", "received", object{"appointment": nil}},
	} {
		t.Run(v.name, func(t *testing.T) {
			edits := maps.Clone(base)
			maps.Copy(edits, v.edits)
			a := d.skill(t, lead(edits))
			a.want("ok")
			same := a.payload.Data["lead_id"] == first.payload.Data["lead_id"]
			if a.payload.Data["status"] != v.status || same != (v.status == "duplicate") {
				t.Errorf("%s, want %s", a.body, v.status)
			}
			if v.status == "duplicate" && !equalJSON(t, a.payload.Data["appointment"], first.payload.Data["appointment"]) {
				t.Errorf("the visit is answered as %v, first as %v", a.payload.Data["appointment"], first.payload.Data["appointment"])
			}
		})
	}
	eventually(t, "each lead is one document", func() bool { return len(documents(t, d)) == 9 })
	time.Sleep(50 * time.Millisecond)
	if n := len(documents(t, d)); n != 9 {
		t.Errorf("%d documents, want one for each of 9 leads", n)
	}
}

func TestTheDuplicateWindowIsADayOrAsSet(t *testing.T) {
	for _, v := range []struct {
		profile string
		after   time.Duration
		status  string
	}{
		{"", 23 * time.Hour, "duplicate"},
		{"", 25 * time.Hour, "received"},
		{"leads: {duplicate_window: 1h}", 2 * time.Hour, "received"},
	} {
		c := startClock(noon)
		d := openLot(t, readFile(t, "testdata/feed.json"), 5, c.now, add(v.profile))
		d.skill(t, lead(nil)).want("ok")
		c.advance(v.after)
		if a := d.skill(t, lead(nil)); a.payload.Data["status"] != v.status {
			t.Errorf("after %s with %q: %s, want %s", v.after, v.profile, a.body, v.status)
		}
	}
}

func TestAKeyBelongsToThePayloadNotItsSpelling(t *testing.T) {
	d := open(t)
	body := lead(object{"idempotency_key": "spelling", "submitted_at": "2026-05-01T12:00:00Z", "vehicle_of_interest": object{"mileage": 3}})
	first := d.skill(t, body)
	first.want("ok")
	respelt := strings.Replace(strings.Replace(body, `"mileage":3`, `"mileage": 3.0`, 1), `"type":"lead.submit.request"`, ` "type" : "lead.submit\u002erequest"`, 1)
	if again := d.skill(t, respelt); !equalJSON(t, first.payload, again.payload) {
		t.Errorf("another spelling is another answer: %s", again.body)
	}
	conflict := d.skill(t, strings.Replace(body, "2026-05-01T12:00:00Z", "2026-05-01T12:00:01Z", 1))
	conflict.want("-32000 IDEMPOTENCY_CONFLICT")
	if conflict.fault.Retryable {
		t.Error("a conflict is not retryable")
	}
}
