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
	"github.com/dealer-agent/dealer/pkg/lead"
)

// hostile makes text that breaks careless writers.
func hostile() *rapid.Generator[string] {
	pieces := rapid.OneOf(
		rapid.SampledFrom([]string{
			"]]>", "<![CDATA[", "&amp;", "&#0;", "&lt", "<!--", "-->", "<?adf?>", "</comments>", "\r\n", "\r", "\n", "\t", "\x00", "\x1b[31m",
			"\ufffe", "\uffff", "\u2028", "\u202e", "Núñez", "🚗", "\"'", "\\", "{{name}}", "\x7f", "\u0085", " ", "a", "é",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, "pieces"), "")
	})
}

// written is what of a text XML can carry and the writer lets pass.
func written(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
}

func vehicles(conditions ...string) *rapid.Generator[*aap.Vehicle] {
	return rapid.Custom(func(t *rapid.T) *aap.Vehicle {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		text := func(name string) string { return hostile().Draw(t, name) }
		amount := func(name string) *aap.Int {
			if rapid.Bool().Draw(t, "has "+name) {
				return nil
			}
			return number(rapid.Int64Range(0, 1<<40).Draw(t, name))
		}
		v := &aap.Vehicle{
			VIN: text("vin"), Stock: text("stock"), VehicleID: text("id"), Year: amount("year"), Make: text("make"), Model: text("model"),
			Trim: text("trim"), Condition: rapid.SampledFrom(conditions).Draw(t, "condition"), Body: text("body"),
			Transmission: rapid.SampledFrom([]string{"", "automatic", "6-speed manual", "x<y"}).Draw(t, "transmission"),
			Mileage:      amount("mileage"), Price: amount("price"), MSRP: amount("msrp"), DisplacementCC: amount("cc"),
			ExteriorColor: text("exterior"), InteriorColor: text("interior"), Notes: text("notes"), VDPURL: text("url"),
		}
		if rapid.Bool().Draw(t, "attributes") {
			v.OtherAttributes = map[string]any{text("name"): text("value"), "list": []any{1, true, text("item")}}
		}
		return v
	})
}

func requests() *rapid.Generator[aap.LeadRequest] {
	return rapid.Custom(func(t *rapid.T) aap.LeadRequest {
		text := func(name string) string { return hostile().Draw(t, name) }
		r := request()
		r.Customer.FirstName, r.Customer.LastName = text("first"), text("last")
		switch rapid.IntRange(0, 2).Draw(t, "contact") {
		case 0:
			r.Customer.Phone = "+14155550123"
		case 1:
			r.Customer.Phone, r.Customer.Email = "+14155550123", ""
		}
		r.Customer.PreferredContact = rapid.SampledFrom([]string{"", "email", "phone", "sms", "any"}).Draw(t, "preferred")
		r.Consent.AllowedChannels = rapid.SampledFrom([][]string{{"email"}, {"phone"}, {"sms"}, {"email", "phone", "sms"}}).Draw(t, "channels")
		if rapid.Bool().Draw(t, "address") {
			r.Customer.Address = &aap.Address{
				AddressLine1: text("line1"), AddressLine2: text("line2"), City: text("city"), State: text("state"), Zip: text("zip"), Country: text("country"),
			}
		}
		r.VehicleOfInterest = vehicles("", "new", "used", "cpo").Draw(t, "wanted")
		r.TradeIn = vehicles("", "excellent", "good", "fair", "poor").Draw(t, "trade")
		r.Message = text("message")
		r.SourceAgent = aap.SourceAgent{Name: "a" + text("agent"), URL: text("agent url"), AgentCardURL: text("card")}
		if rapid.Bool().Draw(t, "appointment") {
			r.Appointment = &aap.Appointment{
				AppointmentType: rapid.SampledFrom([]string{"sales", "service", "test_drive", "trade_in"}).Draw(t, "type"),
				AppointmentAt:   rapid.SampledFrom([]string{"", "2026-05-03T18:00:00Z", "2026-11-01T01:30:00-07:00"}).Draw(t, "at"),
				Notes:           text("appointment notes"),
			}
		}
		return r
	})
}

// keep stores a generated request; bytes that are no UTF-8 are replaced by
// the JSON encoder as they are on the wire.
func keep(t *rapid.T, req aap.LeadRequest) (lead.Record, aap.LeadRequest) {
	payload, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var stored aap.LeadRequest
	if err := json.Unmarshal(payload, &stored); err != nil {
		t.Fatal(err)
	}
	return lead.Record{ID: "L-1", DealerID: "lakeside", ReceivedAt: received, Request: payload, Rooftop: "North"}, stored
}

func TestAnyLeadReadsBackEqual(t *testing.T) {
	p := profile(t, "")
	rapid.Check(t, func(t *rapid.T) {
		r, req := keep(t, requests().Draw(t, "request"))
		out, err := adf.Render(r, p, adf.Options{ASCII: rapid.Bool().Draw(t, "ascii"), Resend: rapid.Bool().Draw(t, "resend")})
		if err != nil {
			t.Fatal(err)
		}
		same := func(what, got, want string) {
			if got != written(want) {
				t.Fatalf("%s: got %q, want %q", what, got, written(want))
			}
		}
		got := parse(t, string(out)).Prospect
		c := req.Customer
		for _, name := range got.Customer.Names {
			switch name.Part {
			case "first":
				same("first name", name.Text, c.FirstName)
			case "last":
				same("last name", name.Text, c.LastName)
			case "full":
				if c.FirstName != "" && c.LastName != "" {
					same("full name", name.Text, c.FirstName+" "+c.LastName)
				}
			}
		}
		same("email", got.Customer.Email, c.Email)
		same("phone", got.Customer.Phone, c.Phone)
		if a := c.Address; a != nil && *a != (aap.Address{}) {
			same("street", got.Customer.Streets[0], a.AddressLine1)
			same("city", got.Customer.City, a.City)
			same("region", got.Customer.Region, a.State)
			same("postal code", got.Customer.Postal, a.Zip)
		}
		if req.Message != "" {
			if !strings.HasPrefix(got.Customer.Comments[0], written(req.Message)) {
				t.Fatalf("comments %q do not begin with %q", got.Customer.Comments[0], written(req.Message))
			}
		}
		if len(got.Customer.Comments) > 1 {
			t.Fatal("more than one customer comment")
		}
		next := 0
		for _, v := range []*aap.Vehicle{req.VehicleOfInterest, req.TradeIn} {
			if v == nil {
				continue
			}
			g := got.Vehicles[next]
			next++
			same("vin", g.VIN, v.VIN)
			same("stock", g.Stock, v.Stock)
			same("trim", g.Trim, v.Trim)
			if v.Make != "" && v.Model != "" && v.Year != nil {
				same("make", g.Make, v.Make)
				same("model", g.Model, v.Model)
				same("year", g.Year[0], fmt.Sprint(int64(*v.Year)))
			}
			if v.Mileage != nil {
				same("mileage", g.Odometer, fmt.Sprint(int64(*v.Mileage)))
			}
			if len(g.Comments) > 1 || len(g.Year) != 1 {
				t.Fatal("a single element is repeated")
			}
			if v == req.TradeIn {
				same("condition", g.Condition, v.Condition)
			} else {
				same("body", g.Body, v.Body)
				same("exterior", g.Exterior, v.ExteriorColor)
				same("interior", g.Interior, v.InteriorColor)
			}
		}
		same("provider", got.Provider.Name, req.SourceAgent.Name)
		same("vendor", got.Vendor.Name, "North")

		prospects, faults, err := adf.Read(bytes.NewReader(out))
		if err != nil && !hasFault(faults, "placeholders") {
			t.Fatalf("the own reader refuses it: %v, %v", err, faults)
		}
		if err == nil {
			same("e-mail as read", prospects[0].Customer.Email, c.Email)
			if len(got.Customer.Comments) == 1 {
				same("comments as read", prospects[0].Comments, got.Customer.Comments[0])
			}
		}
	})
}
