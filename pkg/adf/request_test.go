package adf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
)

// unusual is the payload with a member no request declares, so that it is not
// read as a plain one.
func unusual(payload []byte) []byte {
	open := bytes.IndexByte(payload, '{')
	comma := ","
	if bytes.HasPrefix(bytes.TrimSpace(payload[open+1:]), []byte("}")) {
		comma = ""
	}
	return []byte(string(payload[:open]) + `{"x_unusual":0` + comma + string(payload[open+1:]))
}

func TestPlainAndUnusualRequestsGiveTheSameDocument(t *testing.T) {
	p := profile(t, "consent: true")
	rapid.Check(t, func(t *rapid.T) {
		r, _ := keep(t, requests().Draw(t, "request"))
		if rapid.Bool().Draw(t, "indented") {
			var b bytes.Buffer
			if err := json.Indent(&b, r.Request, "", "\t"); err != nil {
				t.Fatal(err)
			}
			r.Request = b.Bytes()
		}
		plain, err := adf.Render(r, p, adf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Request = unusual(r.Request)
		if other, err := adf.Render(r, p, adf.Options{}); err != nil || !bytes.Equal(plain, other) {
			t.Fatalf("read in one pass:\n%s\nread by the decoder (%v):\n%s", plain, err, other)
		}
	})
}

// TestADamagedRecordIsNeverWrittenInPart cuts a request off at every byte, and
// damages every byte of it.
func TestADamagedRecordIsNeverWrittenInPart(t *testing.T) {
	req := request()
	req.Customer.Phone, req.Customer.Address = "+14155550123", &aap.Address{AddressLine1: "1 \"Main\" St", City: "Köln", Zip: "94105"}
	req.VehicleOfInterest = &aap.Vehicle{VIN: "1HGCV1F30KA000001", Year: number(2022), Make: "Honda", Model: "Civic", Price: number(26780)}
	req.Appointment = &aap.Appointment{AppointmentType: "test_drive", AppointmentAt: "2026-05-03T18:00:00Z", DurationMinutes: number(30)}
	req.Message = "Hi.\nIs it there?"
	r, p := record(t, req), profile(t, "consent: true")
	whole := string(r.Request)
	refused := 0
	check := func(damaged string) {
		r.Request = []byte(damaged)
		doc, err := adf.Render(r, p, adf.Options{})
		if err == nil && !json.Valid(r.Request) {
			t.Fatalf("%s\nwas written as\n%s", damaged, doc)
		}
		if err != nil {
			refused++
		}
	}
	for i := range whole {
		check(whole[:i])
		check(whole[:i] + whole[i+1:])
		for _, b := range []string{`"`, `\`, `{`, `}`, `,`, `:`, `]`, "x", "0", "-", " ", "\x01", "\xff"} {
			check(whole[:i] + b + whole[i+1:])
			check(whole[:i] + b + whole[i:])
		}
	}
	if refused < 10*len(whole) {
		t.Errorf("only %d damages of %d bytes were refused", refused, len(whole))
	}
}

// FuzzRequest renders any text as a request, read in both ways.
func FuzzRequest(f *testing.F) {
	const customer = `"customer":{"first_name":"A\u00e9","last_name":"B","email":"a@example.com"}`
	for _, rest := range []string{
		``,
		`,"message":"one\ntwo \ud83d\ude97 \ud83d"`,
		`,"customer":{"phone":"+14155550123","address":{"city":"C"}}`,
		`,"customer":null`,
		`,"customer":"x"`,
		`,"customer":{"address":{"zip":"1"},"address":{"city":"D"}}`,
		`,"consent":{"allowed_channels":["sms"],"scope":[],"expires_at":"x"},"consent":{"allowed_channels":[]}`,
		`,"consent":{"allowed_channels":[null,1]}`,
		`,"vehicle_of_interest":{"year":2.022e3,"make":"M","features":["a"],"fees":[],"VIN":"1"}`,
		`,"vehicle_of_interest":{"year":"2022"}`,
		`,"vehicle_of_interest":{"price":1.5}`,
		`,"vehicle_of_interest":null,"trade_in":{}`,
		`,"appointment":{"appointment_type":"sales","duration_minutes":30.0,"notes":"n"},"appointment":{}`,
		`,"mess\u0061ge":"m","submitted_at":"2026-05-01t11:59:00z"`,
		`,"source_agent":{"name":"s","url":"u","agent_card_url":"c"},"idempotency_key":5`,
	} {
		f.Add(`{` + customer + rest + `}`)
		f.Add(" {\n" + customer + strings.ReplaceAll(rest, ":", " : ") + "\t}\r\n")
	}
	f.Add(`{}`)
	f.Add(`[]`)
	f.Add(`null`)
	f.Add(``)
	p := profile(f, "consent: true")
	f.Fuzz(func(t *testing.T, payload string) {
		r := record(t, request())
		r.Request = []byte(payload)
		plain, err := adf.Render(r, p, adf.Options{})
		if !strings.HasPrefix(strings.TrimSpace(payload), "{") {
			if err == nil {
				t.Fatalf("%q was rendered", payload)
			}
			return
		}
		r.Request = unusual([]byte(payload))
		other, otherErr := adf.Render(r, p, adf.Options{})
		if fmt.Sprint(err) != fmt.Sprint(otherErr) || !bytes.Equal(plain, other) {
			t.Fatalf("read in one pass (%v):\n%s\nread by the decoder (%v):\n%s", err, plain, otherErr, other)
		}
	})
}
