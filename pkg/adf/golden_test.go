package adf_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var update = flag.Bool("update", false, "write the golden files anew")

// twist is one form a lead can take, with the profile settings it needs.
type twist struct {
	name     string
	settings string
	options  adf.Options
	change   func(*aap.LeadRequest)
	keep     func(*lead.Record)
}

func twists() []twist {
	return []twist{
		{name: "minimal"},
		{name: "no-vehicle-empty", settings: "no_vehicle: empty"},
		{name: "no-vehicle-omit-with-trade-in", settings: "no_vehicle: omit", change: func(r *aap.LeadRequest) {
			r.TradeIn = &aap.Vehicle{Year: number(2014), Make: "Toyota", Model: "Corolla"}
		}},
		{name: "names-full", settings: "names: full"},
		{name: "names-split", settings: "names: split"},
		{name: "name-missing", change: func(r *aap.LeadRequest) { r.Customer.FirstName, r.Customer.LastName = "", "" }, settings: "names: split"},
		{name: "resend", options: adf.Options{Resend: true}},
		{name: "network", settings: "provider_name: NetCo", change: func(r *aap.LeadRequest) {
			r.SourceAgent = aap.SourceAgent{Name: "shopper", URL: "https://shopper.example?a=1&b=2", AgentCardURL: "https://shopper.example/card.json?t=1#x"}
		}},
		{name: "card-only", change: func(r *aap.LeadRequest) { r.SourceAgent.AgentCardURL = "https://shopper.example/card.json" }},
		{name: "consent", settings: "consent: true"},
		{name: "ascii", options: adf.Options{ASCII: true}, change: func(r *aap.LeadRequest) {
			r.Customer.LastName, r.Message = "Núñez", "I’d like it. 🚗"
		}},
		{name: "hostile", change: func(r *aap.LeadRequest) {
			r.Customer.FirstName = "A\x00\x1b<b>&\"'"
			r.Message = "R&D says \"ok\" <b>now</b> ]]> done\r\nline two\ttab &amp; <!DOCTYPE x> \ufffe"
			r.SourceAgent.Name = "<script>alert(1)</script>"
		}, keep: func(r *lead.Record) { r.Rooftop = "Smith & Sons <Autos>" }},
		{name: "address", change: func(r *aap.LeadRequest) {
			r.Customer.Phone, r.Customer.PreferredContact = "+14155550123", "phone"
			r.Customer.Address = &aap.Address{AddressLine1: "200 Folsom St", AddressLine2: "Apt 4", City: "San Francisco", State: "CA", Zip: "94105", Country: "United States"}
		}},
		{name: "address-zip-only", change: func(r *aap.LeadRequest) { r.Customer.Address = &aap.Address{Zip: "94105"} }},
		{name: "email-only", change: func(r *aap.LeadRequest) {
			r.Customer.Phone, r.Customer.PreferredContact = "+14155550123", "email"
			r.Consent.AllowedChannels = []string{"email"}
			r.Message = "Is it still there?"
		}},
		{name: "sms", change: func(r *aap.LeadRequest) {
			r.Customer.Email, r.Customer.Phone, r.Customer.PreferredContact = "", "+14155550123", "sms"
			r.Consent.AllowedChannels = []string{"sms"}
		}},
		{name: "vehicle-whole", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{
				Year: number(2024), Make: "Acme Moto", Model: "Grand Tourer", Trim: "LT", VIN: "1AM1KRM19NB654321", Stock: "M300",
				VehicleID: "v-e", Condition: "cpo", Body: "touring", Transmission: "6-speed manual", Mileage: number(3), Price: number(25999),
				MSRP: number(27999), ListPrice: number(24999), Fees: []aap.Fee{{Name: "Documentation", Amount: 500}, {Name: "Preparation", Amount: 500}},
				DisplacementCC: number(1868), Engine: "V-twin", Fuel: "gas", Driveline: "belt", ExteriorColor: "Red", InteriorColor: "Black",
				OtherAttributes: map[string]any{"final_drive": "belt", "abs": true, "seats": 2, "colors": []string{"red", "black"}, "none": nil},
				VDPURL:          "https://north.lakeside.example/m300?utm=1#photos", Notes: "The red one.",
			}
		}},
		{name: "vehicle-electric", change: func(r *aap.LeadRequest) {
			charges := true
			r.VehicleOfInterest = &aap.Vehicle{
				Year: number(2025), Make: "Volta", Model: "One", VIN: "1AM1KRM19NB654322", Condition: "new", VehicleType: "car", Fuel: "electric",
				CityMPG: number(120), HighwayMPG: number(105), ElectricRangeMi: decimal(301.5), BatteryKWh: decimal(77.4), MotorPowerHP: decimal(320),
				DCFastCharge: &charges, ChargePort: "NACS", Features: []string{"Heated seats", "Tow hitch <2\" & up>"},
				Photos:          []string{"https://cdn.example/1.jpg?w=1&h=2", "https://cdn.example/2.jpg"},
				OtherAttributes: map[string]any{"doors": 5, "warranty_years": 8}, Description: "As new.",
				Extra: map[string]json.RawMessage{"winter_tires": json.RawMessage(`true`)},
			}
		}},
		{name: "vehicle-thin", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Make: "Honda", Transmission: "single speed"}
		}},
		{name: "vehicle-by-vin", change: func(r *aap.LeadRequest) { r.VehicleOfInterest = &aap.Vehicle{VIN: "1HGCV1F30KA000001"} },
			keep: func(r *lead.Record) { r.Listing = civic() }},
		{name: "vehicle-misremembered", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Stock: "t-100", Year: number(2021), Make: "HONDA", Model: "Civic", Trim: "LX", Condition: "cpo"}
		}, keep: func(r *lead.Record) { r.Listing = civic() }},
		{name: "vehicle-one-of-several", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Year: number(2022), Make: "honda", Model: "civic"}
		}, keep: func(r *lead.Record) { r.Listing = civic() }},
		{name: "trade-in", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Year: number(2022), Make: "Honda", Model: "Civic", Condition: "new"}
			r.TradeIn = &aap.Vehicle{
				Year: number(2014), Make: "Toyota", Model: "Corolla", Trim: "LE", VIN: "2T1BURHE0EC000001", Condition: "good", Mileage: number(96000),
				Body: "sedan", Transmission: "cvt", ExteriorColor: "Blue", DisplacementCC: number(1798), Notes: "One owner.",
			}
			r.Appointment = &aap.Appointment{AppointmentType: "trade_in"}
		}},
		{name: "trade-in-unknown", change: func(r *aap.LeadRequest) { r.TradeIn = &aap.Vehicle{Make: "Toyota"} }},
		{name: "test-drive", change: func(r *aap.LeadRequest) {
			r.VehicleOfInterest = &aap.Vehicle{Year: number(2022), Make: "Honda", Model: "Civic", Condition: "used"}
			r.Message, r.SubmittedAt = "Hi.", "2026-05-01t05:00:00.25-07:00"
			r.Appointment = &aap.Appointment{AppointmentType: "test_drive", AppointmentAt: "2026-05-03T18:00:00Z", DurationMinutes: number(45), Notes: "Bringing my partner."}
		}},
		{name: "service", change: func(r *aap.LeadRequest) {
			r.Appointment = &aap.Appointment{AppointmentType: "service", AppointmentAt: "2026-05-03T18:00:00Z"}
		}, keep: func(r *lead.Record) { r.Rooftop = "South" }},
	}
}

func (tw twist) record(t testing.TB) lead.Record {
	req := request()
	if tw.change != nil {
		tw.change(&req)
	}
	r := record(t, req)
	if tw.keep != nil {
		tw.keep(&r)
	}
	return r
}

func TestEveryTwistIsWrittenAsItsGoldenFile(t *testing.T) {
	for _, tw := range twists() {
		t.Run(tw.name, func(t *testing.T) {
			got, err := adf.Render(tw.record(t), profile(t, tw.settings), tw.options)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", tw.name+".xml")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
			if _, faults, err := adf.Read(bytes.NewReader(got)); err != nil || len(faults) > 0 && tw.name != "no-vehicle-empty" {
				t.Errorf("read back: %v, faults %v", err, faults)
			}
		})
	}
}

// validate runs xmllint with the repaired ADF 1.0 DTD over documents.
func validate(t testing.TB, files ...string) {
	t.Helper()
	dtd := aaptest.Reference(t, "cases", "adf", "adf-1.0-mended.dtd")
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		aaptest.Missing(t, "xmllint")
	}
	if out, err := exec.Command(lint, append([]string{"--noout", "--nonet", "--dtdvalid", dtd}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

func TestEveryTwistIsValidByTheDTD(t *testing.T) {
	files, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(files) != len(twists()) {
		t.Fatalf("%d golden files for %d twists, %v", len(files), len(twists()), err)
	}
	validate(t, files...)
}

func TestDocumentFrame(t *testing.T) {
	out := render(t, record(t, request()), profile(t, ""), adf.Options{})
	lines := strings.Split(out, "\n")
	want := []string{`<?xml version="1.0" encoding="UTF-8"?>`, `<?adf version="1.0"?>`, `<adf>`}
	if diff := cmp.Diff(want, lines[:3]); diff != "" {
		t.Error(diff)
	}
	dec := xml.NewDecoder(strings.NewReader(out))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("a strict parser refuses it: %v", err)
		}
	}
}

// The minimal lead may hold the request, the profile and the words ADF needs,
// and nothing left over from a template.
func TestMinimalLeadHasNoForeignText(t *testing.T) {
	out := render(t, record(t, request()), profile(t, ""), adf.Options{})
	known := "0190a0b0-0000-7000-8000-000000000001 2026-05-01T05:00:00-07:00 2026 Unknown General inquiry No specific vehicle " +
		"Mary Ann de la Cruz mary@example.com North https://north.lakeside.example +14155550100 1 Harbor Way Oakland CA 94607 US shopper"
	dec := xml.NewDecoder(strings.NewReader(out))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if text, ok := token.(xml.CharData); ok && !strings.Contains(known, strings.TrimSpace(string(text))) {
			t.Errorf("text from nowhere: %q", text)
		}
	}
}

func TestRenderRefusesWhatCannotBeValid(t *testing.T) {
	p := profile(t, "")
	unreachable := request()
	unreachable.Customer.Email = ""
	broken := record(t, request())
	broken.Request = []byte(`{"customer":{"first_name":["Mary"]}}`)
	silent := profile(t, "")
	silent.Rooftops[0].Phones = nil
	nowhere := profile(t, "")
	nowhere.Rooftops = nil
	for name, render := range map[string]func() ([]byte, error){
		"a customer without phone and e-mail": func() ([]byte, error) { return adf.Render(record(t, unreachable), p, adf.Options{}) },
		"a payload of another shape":          func() ([]byte, error) { return adf.Render(broken, p, adf.Options{}) },
		"a rooftop without contact":           func() ([]byte, error) { return adf.Render(record(t, request()), silent, adf.Options{}) },
		"a profile without rooftop":           func() ([]byte, error) { return adf.Render(record(t, request()), nowhere, adf.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			out, err := render()
			if !errors.Is(err, adf.ErrUnrenderable) || out != nil {
				t.Fatalf("got %v, %d bytes", err, len(out))
			}
			if strings.Contains(err.Error(), "Mary") {
				t.Errorf("the error quotes the buyer: %v", err)
			}
		})
	}
}
