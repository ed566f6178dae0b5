package adf_test

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// parsed is the document as a strict parser outside this package reads it.
type parsed struct {
	Prospect struct {
		Status   string `xml:"status,attr"`
		ID       string `xml:"id"`
		Date     string `xml:"requestdate"`
		Vehicles []struct {
			Interest     string   `xml:"interest,attr"`
			Status       string   `xml:"status,attr"`
			Year         []string `xml:"year"`
			Make         string   `xml:"make"`
			Model        string   `xml:"model"`
			VIN          string   `xml:"vin"`
			Stock        string   `xml:"stock"`
			Trim         string   `xml:"trim"`
			Body         string   `xml:"bodystyle"`
			Transmission string   `xml:"transmission"`
			Condition    string   `xml:"condition"`
			Exterior     string   `xml:"colorcombination>exteriorcolor"`
			Interior     string   `xml:"colorcombination>interiorcolor"`
			Odometer     string   `xml:"odometer"`
			Price        string   `xml:"price"`
			Comments     []string `xml:"comments"`
		} `xml:"vehicle"`
		Customer struct {
			Names []struct {
				Part string `xml:"part,attr"`
				Text string `xml:",chardata"`
			} `xml:"contact>name"`
			Email    string   `xml:"contact>email"`
			Phone    string   `xml:"contact>phone"`
			Streets  []string `xml:"contact>address>street"`
			City     string   `xml:"contact>address>city"`
			Region   string   `xml:"contact>address>regioncode"`
			Postal   string   `xml:"contact>address>postalcode"`
			Country  string   `xml:"contact>address>country"`
			Comments []string `xml:"comments"`
		} `xml:"customer"`
		Vendor struct {
			Name string `xml:"vendorname"`
		} `xml:"vendor"`
		Provider struct {
			Name    string `xml:"name"`
			Service string `xml:"service"`
			URL     string `xml:"url"`
		} `xml:"provider"`
	} `xml:"prospect"`
}

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc string) parsed {
	t.Helper()
	var p parsed
	if err := xml.Unmarshal([]byte(doc), &p); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	return p
}

func TestMappingRows(t *testing.T) {
	voi := func(v aap.Vehicle) func(*aap.LeadRequest) {
		return func(r *aap.LeadRequest) { r.VehicleOfInterest = &v }
	}
	visit := func(kind, at string) func(*aap.LeadRequest) {
		return func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Year: number(2022), Make: "Honda", Model: "Civic"}
			r.Message = "Hi."
			r.Appointment = &aap.Appointment{AppointmentType: kind, AppointmentAt: at}
		}
	}
	at := func(rooftop string) func(*lead.Record) { return func(r *lead.Record) { r.Rooftop = rooftop } }
	tests := []struct {
		name     string
		settings string
		change   func(*aap.LeadRequest)
		keep     func(*lead.Record)
		want     []string
		absent   []string
	}{
		{name: "first and last name are joined by one space", change: func(r *aap.LeadRequest) { r.Customer.FirstName, r.Customer.LastName = "Anna", "Lee" },
			want: []string{`<name part="full">Anna Lee</name>`}},
		{name: "certified is used with a comment", change: voi(aap.Vehicle{Condition: "cpo", Make: "Honda", Model: "Civic", Year: number(2022)}),
			want: []string{`<vehicle interest="buy" status="used">`, `<comments>certified pre-owned</comments>`}},
		{name: "no condition leaves the status open", change: voi(aap.Vehicle{Make: "Honda"}), want: []string{`<vehicle interest="buy">`}},
		{name: "vehicle comments merge into one", change: voi(aap.Vehicle{Condition: "cpo", Make: "Acme Moto", Model: "Grand Tourer", Year: number(2024), DisplacementCC: number(1868), OtherAttributes: map[string]any{"final_drive": "belt"}}),
			want: []string{`<comments>certified pre-owned; Displacement: 1868cc; final_drive: belt</comments>`}},
		{name: "8-speed automatic", change: voi(aap.Vehicle{Transmission: "8-speed automatic"}), want: []string{`<transmission>A</transmission>`}},
		{name: "6-speed manual", change: voi(aap.Vehicle{Transmission: "6-speed manual"}), want: []string{`<transmission>M</transmission>`}},
		{name: "cvt", change: voi(aap.Vehicle{Transmission: "cvt"}), want: []string{`<transmission>A</transmission>`}},
		{name: "automated manual", change: voi(aap.Vehicle{Transmission: "Automated Manual"}), want: []string{`<transmission>A</transmission>`}},
		{name: "another transmission goes to the comments", change: voi(aap.Vehicle{Transmission: "single speed"}),
			want: []string{`Transmission: single speed`}, absent: []string{`<transmission>`}},
		{name: "mileage in miles", change: voi(aap.Vehicle{Mileage: number(22150)}), want: []string{`<odometer units="mi">22150</odometer>`}},
		{name: "price is a quote in dollars", change: voi(aap.Vehicle{Price: number(32995)}), want: []string{`<price type="quote" currency="USD">32995</price>`}},
		{name: "colours are the first choice", change: voi(aap.Vehicle{ExteriorColor: "Red"}), want: []string{"<exteriorcolor>Red</exteriorcolor>\n        <preference>1</preference>"}},
		{name: "test drive in Pacific time", change: visit("test_drive", "2026-05-03T18:00:00Z"),
			want: []string{`interest="test-drive"`, `<comments>Hi. Requested test-drive: 2026-05-03 11:00 PT.</comments>`}},
		{name: "test drive on the previous day in Denver", change: visit("test_drive", "2026-05-04T03:30:00Z"), keep: at("South"),
			want: []string{`Requested test-drive: 2026-05-03 21:30 MT.`}},
		{name: "winter time", change: visit("sales", "2026-12-03T18:00:00Z"), want: []string{`Requested appointment (sales): 2026-12-03 10:00 PT.`}},
		{name: "the hour that daylight saving skips", change: visit("sales", "2026-03-08T10:00:00Z"), want: []string{`2026-03-08 03:00 PT.`}},
		{name: "Central time", change: visit("sales", "2026-05-03T18:00:00Z"), keep: at("Gulf"), want: []string{`13:00 CT.`}},
		{name: "Eastern time", change: visit("service", "2026-05-03T18:00:00Z"), keep: at("East"), want: []string{`(service): 2026-05-03 14:00 ET.`}},
		{name: "Arizona has no daylight saving", change: visit("sales", "2026-05-03T18:00:00Z"), keep: at("Desert"), want: []string{`11:00 MT.`}},
		{name: "a zone without a common label", change: visit("sales", "2026-05-03T18:00:00Z"), keep: at("Island"), want: []string{`08:00 -10:00.`}},
		{name: "UTC", change: visit("sales", "2026-05-03T18:00:00Z"), keep: at("Smith & Sons <Autos>"), want: []string{`18:00 UTC.`}},
		{name: "a visit without a time", change: visit("test_drive", ""), want: []string{`Requested test-drive: time to be agreed.`}},
		{name: "an appraisal without a trade-in", change: visit("trade_in", "2026-05-03T18:00:00Z"), want: []string{`Requested appointment (trade-in): 2026-05-03 11:00 PT.`},
			absent: []string{`interest="trade-in"`}},
		{name: "a test drive of nothing in particular", change: func(r *aap.LeadRequest) { r.Appointment = &aap.Appointment{AppointmentType: "test_drive"} },
			want: []string{`<vehicle interest="buy">`, `Requested test-drive: time to be agreed.`}},
		{name: "trade-in", change: func(r *aap.LeadRequest) {
			r.TradeIn = &aap.Vehicle{Year: number(2014), Make: "Toyota", Model: "Corolla", Condition: "good", Mileage: number(96000)}
		}, want: []string{`<vehicle interest="trade-in">`, "<odometer units=\"mi\">96000</odometer>\n      <condition>good</condition>"}},
		{name: "direct provider", change: func(r *aap.LeadRequest) { r.SourceAgent.Name = "chatgpt-shopping" },
			want: []string{`<name part="full">chatgpt-shopping</name>`}, absent: []string{`<service>`}},
		{name: "provider by way of a network", settings: "provider_name: NetCo", change: func(r *aap.LeadRequest) { r.SourceAgent.Name = "chatgpt-shopping" },
			want: []string{`<name part="full">NetCo</name>`, `<service>chatgpt-shopping</service>`, `<vendorname>North</vendorname>`}},
		{name: "the vendor is the rooftop of the unit", change: voi(aap.Vehicle{Stock: "S200"}), keep: at("South"), want: []string{`<vendorname>South</vendorname>`}},
		{name: "the listing's rooftop when the record names none", keep: func(r *lead.Record) { r.Rooftop, r.Listing = "", &aap.Vehicle{Rooftop: "south"} },
			want: []string{`<vendorname>South</vendorname>`}},
		{name: "the first rooftop otherwise", keep: at("Closed"), want: []string{`<vendorname>North</vendorname>`}},
		{name: "consent stays out of the document", absent: []string{"I agree", "consent", "2026-05-01T11:59:00Z"}},
		{name: "the idempotency key stays out of the document", change: func(r *aap.LeadRequest) { r.IdempotencyKey = "key-4711" }, absent: []string{"key-4711"}},
		{name: "the request date is the buyer's, without fraction", change: func(r *aap.LeadRequest) { r.SubmittedAt = "2026-04-30T10:15:10.123Z" },
			want: []string{`<requestdate>2026-04-30T03:15:10-07:00</requestdate>`}},
		{name: "the request date is the receipt's when the buyer gave none", want: []string{`<requestdate>2026-05-01T05:00:00-07:00</requestdate>`}},
		{name: "a year the inventory corrects", change: voi(aap.Vehicle{VIN: "1HGCV1F30KA000001", Year: number(2021)}), keep: func(r *lead.Record) { r.Listing = civic() },
			want: []string{`<year>2022</year>`, `buyer stated 2021`}, absent: []string{`<year>2021</year>`}},
		{name: "a phone without consent is marked", change: func(r *aap.LeadRequest) {
			r.Customer.Phone, r.Consent.AllowedChannels = "+14155550123", []string{"email"}
		}, want: []string{`<phone>+14155550123</phone>`, `<comments>Contact by email only.</comments>`}},
		{name: "sms is not covered by phone", change: func(r *aap.LeadRequest) {
			r.Customer.Phone, r.Consent.AllowedChannels = "+14155550123", []string{"email", "phone"}
		}, want: []string{`Contact by email or phone only.`}},
		{name: "consent for every channel needs no remark", change: func(r *aap.LeadRequest) { r.Customer.Phone = "+14155550123" }, absent: []string{"Contact by"}},
		{name: "the preferred channel is an attribute", change: func(r *aap.LeadRequest) { r.Customer.PreferredContact = "email" },
			want: []string{`<email preferredcontact="1">mary@example.com</email>`}},
		{name: "any preference is none", change: func(r *aap.LeadRequest) { r.Customer.PreferredContact = "any" }, absent: []string{"preferredcontact"}},
		{name: "no vehicle, left out as the profile says", settings: "no_vehicle: omit", absent: []string{"<vehicle"}},
		{name: "no vehicle, empty as the profile says", settings: "no_vehicle: empty", want: []string{"<year></year>", "<make></make>", "<model></model>"}},
		{name: "a missing country is US", change: func(r *aap.LeadRequest) { r.Customer.Address = &aap.Address{City: "Reno"} }, want: []string{"<street line=\"1\"></street>", "<country>US</country>"}},
		{name: "an empty address is left out", change: func(r *aap.LeadRequest) { r.Customer.Address = &aap.Address{} }, keep: at("South"), absent: []string{"<address>"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := render(t, twist{change: tt.change, keep: tt.keep}.record(t), profile(t, tt.settings), adf.Options{})
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s is missing in\n%s", want, out)
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(out, absent) {
					t.Errorf("%s stands in\n%s", absent, out)
				}
			}
		})
	}
}

func TestCountryIsTheISOCodeWhereItIsKnown(t *testing.T) {
	for given, want := range map[string]string{
		"": "US", "US": "US", "us": "US", "USA": "US", "U.S.A.": "US", "United States": "US", "The United States of America": "US",
		"Canada": "CA", "CAN": "CA", "ca": "CA", "México": "MX", "Germany": "DE", "Freedonia": "Freedonia",
	} {
		req := request()
		req.Customer.Address = &aap.Address{City: "x", Country: given}
		equal(t, given, parse(t, render(t, record(t, req), profile(t, ""), adf.Options{})).Prospect.Customer.Country, want)
	}
}

func TestResendKeepsTheID(t *testing.T) {
	r, p := record(t, request()), profile(t, "")
	first, again := parse(t, render(t, r, p, adf.Options{})), parse(t, render(t, r, p, adf.Options{Resend: true}))
	equal(t, "first status", first.Prospect.Status, "new")
	equal(t, "second status", again.Prospect.Status, "resend")
	equal(t, "id", again.Prospect.ID, first.Prospect.ID)
}

func TestASCIIWritesNothingElse(t *testing.T) {
	req := request()
	req.Customer.LastName = "Núñez"
	req.Message = "“Curly” – 你好 🚗"
	out := render(t, record(t, req), profile(t, ""), adf.Options{ASCII: true})
	if i := strings.IndexFunc(out, func(r rune) bool { return r > 0x7e }); i >= 0 {
		t.Errorf("byte %d is beyond ASCII", i)
	}
	if !strings.Contains(out, "N&#250;&#241;ez") {
		t.Error("the name is not written with decimal references")
	}
	equal(t, "message", parse(t, out).Prospect.Customer.Comments[0], req.Message)
}

func TestRequestDateFormHoldsInEveryZone(t *testing.T) {
	form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$`)
	for _, rooftop := range []string{"North", "Island", "Smith & Sons <Autos>"} {
		r := record(t, request())
		r.Rooftop, r.ReceivedAt = rooftop, received.Add(123*time.Millisecond)
		if date := parse(t, render(t, r, profile(t, ""), adf.Options{})).Prospect.Date; !form.MatchString(date) {
			t.Errorf("%s: %s", rooftop, date)
		}
	}
}
