package machine_test

import (
	"strings"
	"testing"
)

// document submits a lead and returns its ADF.
func document(t *testing.T, d *door, edits object) string {
	t.Helper()
	a := d.skill(t, lead(edits))
	a.want("ok")
	if a.payload.Data["status"] != "received" {
		t.Fatalf("not a lead of its own: %s", a.body)
	}
	id, _ := a.payload.Data["lead_id"].(string)
	var xml string
	eventually(t, "the document is there", func() bool { xml = documents(t, d)[id]; return xml != "" })
	if !strings.Contains(xml, id+"</id>") {
		t.Errorf("the lead id is not in %s", xml)
	}
	return xml
}

// inOrder fails unless the passages stand in the text in this order.
func inOrder(t *testing.T, text string, passages ...string) {
	t.Helper()
	rest := text
	for _, p := range passages {
		_, after, found := strings.Cut(rest, p)
		if !found {
			t.Errorf("%s is not, or not in this place, in\n%s", p, text)
			return
		}
		rest = after
	}
}

func TestDocumentsSayWhatTheLeadSays(t *testing.T) {
	d := open(t)
	voi := func(v object) object { return object{"vehicle_of_interest": v} }
	visit := func(kind string, more object) object {
		a := object{"appointment_type": kind, "appointment_at": "2026-05-03T18:00:00Z"}
		for name, value := range more {
			a[name] = value
		}
		return object{"appointment": a}
	}
	for _, v := range []struct {
		name  string
		edits object
		holds []string // in this order
		not   []string
	}{
		{"parts in the order of the DTD", object{"submitted_at": "2026-05-01T11:00:00Z", "vehicle_of_interest": object{"make": "Kia"}, "trade_in": object{"year": 2010, "make": "Kia", "model": "Rio"}},
			[]string{`<prospect status="new">`, `<id sequence="1" source=`, "<requestdate>2026-05-01T04:00:00-07:00</requestdate>", `<vehicle interest="buy">`, `<vehicle interest="trade-in">`, "<customer>", "<vendor>", "<vendorname>North</vendorname>", "<phone", "+14155550100", "<provider>", "chatgpt-shopping"}, nil},
		{"the time of receipt where none is given", voi(object{"stock": "S200"}), []string{"<requestdate>2026-05-01T06:00:00-06:00</requestdate>"}, nil},
		{"contact", object{"customer.address": object{"address_line_1": "1 Main St", "address_line_2": "Apt 2", "city": "Reno", "state": "NV", "zip": "89501"}},
			[]string{`<name part="full">Anna Lee</name>`, `<name part="first">Anna</name>`, `<name part="last">Lee</name>`, "anna@example.com</email>", "+14155550123</phone>",
				`<street line="1">1 Main St</street>`, `<street line="2">Apt 2</street>`, "<city>Reno</city>", "<regioncode>NV</regioncode>", "<postalcode>89501</postalcode>", "<country>US</country>"}, nil},
		{"a country of its own", object{"customer.address": object{"city": "Toronto", "country": "CA"}, "message": "x", "customer.email": "ca@example.com", "customer.phone": nil}, []string{"<country>CA</country>"}, []string{"<country>US"}},
		{"the trio from the dealer's own listing", voi(object{"vin": "5YJ3E1EA7KF000316"}), []string{"<year>2019</year>", "<make>Tesla</make>", "<model>Model 3</model>", "<vin>5YJ3E1EA7KF000316</vin>", "<stock>T102</stock>"}, nil},
		{"what the buyer saw", voi(object{"year": 2022, "make": "Honda", "model": "Civic", "trim": "EX", "stock": "T100", "body": "sedan", "mileage": 22150, "price": 26780, "condition": "used", "transmission": "8-speed automatic"}),
			[]string{`interest="buy" status="used"`, "<year>2022</year>", "<make>Honda</make>", "<model>Civic</model>", "<stock>T100</stock>", "<trim>EX</trim>", "<bodystyle>sedan</bodystyle>", "<transmission>A</transmission>",
				`<odometer units="mi">22150</odometer>`, `<price type="quote" currency="USD">26780</price>`}, nil},
		{"a manual", voi(object{"make": "Mazda", "model": "2", "transmission": "6-speed manual"}), []string{"<transmission>M</transmission>"}, nil},
		{"a CVT", voi(object{"make": "Mazda", "model": "5", "transmission": "cvt"}), []string{"<transmission>A</transmission>"}, nil},
		{"an automated manual", voi(object{"make": "Mazda", "model": "6", "transmission": "automated manual"}), []string{"<transmission>A</transmission>"}, nil},
		{"a gearbox of another kind", voi(object{"make": "Mazda", "model": "7", "transmission": "single gear"}), []string{"single gear"}, []string{"<transmission>"}},
		{"new", voi(object{"make": "Mazda", "model": "8", "condition": "new"}), []string{`status="new"`}, nil},
		{"no condition", voi(object{"make": "Mazda", "model": "9"}), []string{`<vehicle interest="buy">`}, nil},
		{"one comment for everything of a vehicle", voi(object{"year": 2024, "make": "Acme", "model": "X", "condition": "cpo", "displacement_cc": 1868, "other_attributes": object{"wheels": []int{2, 3}, "final_drive": "belt"}}),
			[]string{`status="used"`, "<comments>certified pre-owned; Displacement: 1868cc; final_drive: belt; wheels: 2, 3</comments>", "</vehicle>", "<customer>"}, nil},
		{"certified and nothing else", voi(object{"vin": "1HGCV1F30KA000001", "condition": "cpo"}), []string{`<vehicle interest="buy" status="used">`, "<comments>certified pre-owned</comments>"}, nil},
		{"a test drive", object{"message": "Hi.", "vehicle_of_interest": object{"vin": "5YJ3E1EA7KF000316"}, "appointment": object{"appointment_type": "test_drive", "appointment_at": "2026-05-03T18:00:00Z"}},
			[]string{`<vehicle interest="test-drive"`, "<customer>", "<comments>Hi. Requested test-drive: 2026-05-03 11:00 PT."}, []string{`interest="buy"`}},
		{"a sales talk", visit("sales", object{"duration_minutes": 45, "notes": "Bring a charger."}), []string{"<customer>", "Requested appointment (sales): 2026-05-03 11:00 PT", "45", "Bring a charger."}, []string{"test-drive"}},
		{"a workshop visit", visit("service", nil), []string{"<customer>", "Requested appointment (service): 2026-05-03 11:00 PT"}, nil},
		{"an appraisal without trade-in", visit("trade_in", nil), []string{"<customer>", "Requested appointment (trade-in): 2026-05-03 11:00 PT"}, []string{`interest="trade-in"`}},
		{"winter time", object{"appointment": object{"appointment_type": "sales", "appointment_at": "2026-12-03T18:00:00Z"}}, []string{"2026-12-03 10:00 PT"}, nil},
		{"a trade-in with all of it", object{"trade_in": object{"year": 2014, "make": "Toyota", "model": "Corolla", "trim": "LE", "vin": "2T1BURHE0JC000009", "condition": "good", "mileage": 96000, "exterior_color": "red"}},
			[]string{`<vehicle interest="trade-in"`, "<year>2014</year>", "<make>Toyota</make>", "<model>Corolla</model>", "<vin>2T1BURHE0JC000009</vin>", "<trim>LE</trim>", `<odometer units="mi">96000</odometer>`, "<condition>good</condition>", "red", "</vehicle>"}, nil},
		{"marks of XML", object{"customer.last_name": `O'Neil <b> & "Co" ]]>`, "message": "a\u0001b <script>", "trade_in": object{"model": "marks"}}, []string{"O'Neil &lt;b&gt; &amp; ", "&lt;script&gt;"}, []string{"<script>", "\u0001"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			xml := document(t, d, v.edits)
			inOrder(t, xml, v.holds...)
			for _, no := range append(v.not, "I agree to be contacted", "lead_submission") {
				if strings.Contains(xml, no) {
					t.Errorf("%s is in\n%s", no, xml)
				}
			}
			if strings.Count(xml, "<comments>") > strings.Count(xml, "<vehicle ")+1 {
				t.Errorf("a vehicle or the customer has two comments:\n%s", xml)
			}
		})
	}
}

func TestDocumentsFollowTheDealersSettings(t *testing.T) {
	for _, v := range []struct {
		name, adf  string
		edits      object
		holds, not []string
	}{
		{"a placeholder where no vehicle is named", "", nil, []string{`<vehicle interest="buy">`, "<year>2026</year>", "<make>Unknown</make>", "<model>General inquiry</model>"}, nil},
		{"an empty vehicle", "{no_vehicle: empty}", nil, []string{"<vehicle"}, []string{"General inquiry"}},
		{"no vehicle", "{no_vehicle: omit}", nil, []string{"<customer>"}, []string{"<vehicle"}},
		{"a full name", "{names: full}", nil, []string{`<name part="full">Anna Lee</name>`}, []string{`part="first"`, `part="last"`}},
		{"two names", "{names: split}", nil, []string{`<name part="first">Anna</name>`, `<name part="last">Lee</name>`, "<provider>"}, []string{`<name part="full">Anna`}},
		{"a network's brand", "{provider_name: NetCo}", nil, []string{"<vendorname>North</vendorname>", "<provider>", `<name part="full">NetCo</name>`, "<service>chatgpt-shopping</service>"}, []string{`<name part="full">chatgpt-shopping`}},
	} {
		t.Run(v.name, func(t *testing.T) {
			edit := add("")
			if v.adf != "" {
				edit = add("adf: " + v.adf)
			}
			xml := document(t, open(t, edit), v.edits)
			inOrder(t, xml, v.holds...)
			for _, no := range v.not {
				if strings.Contains(xml, no) {
					t.Errorf("%s is in\n%s", no, xml)
				}
			}
		})
	}
	ascii := open(t, replace("folder: outbox}", "folder: outbox, ascii: true}"))
	if xml := document(t, ascii, object{"customer.first_name": "Zoë"}); !strings.Contains(xml, "Zo&#") || strings.ContainsFunc(xml, func(r rune) bool { return r > 127 }) {
		t.Errorf("not ASCII:\n%s", xml)
	}
}
