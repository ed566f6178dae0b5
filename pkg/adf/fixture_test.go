package adf_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// lakeside is a dealer with rooftops in several zones; %ADF% takes settings.
const lakeside = `
id: lakeside
name: Lakeside Group
url: https://agent.lakeside.example
skills: [lead.submit]
delivery: [{name: outbox, type: file, folder: outbox}]
adf: {%ADF%}
rooftops:
  - name: North
    website: https://north.lakeside.example
    timezone: America/Los_Angeles
    phones: [{value: "+14155550100"}]
    address: {line1: 1 Harbor Way, city: Oakland, state: CA, zip: "94607"}
  - {name: South, timezone: America/Denver, emails: [{value: sales@south.lakeside.example}]}
  - {name: Gulf, timezone: America/Chicago, phones: [{value: "+17135550100"}]}
  - {name: Island, timezone: Pacific/Honolulu, phones: [{value: "+18085550100"}]}
  - {name: East, timezone: America/New_York, phones: [{value: "+12125550100"}]}
  - {name: Desert, timezone: America/Phoenix, phones: [{value: "+16025550100"}]}
  - {name: "Smith & Sons <Autos>", timezone: UTC, phones: [{value: "+12125550101"}]}
`

func profile(t testing.TB, adfSettings string) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(strings.Replace(lakeside, "%ADF%", adfSettings, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var received = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// request is a lead with consent for every channel.
func request() aap.LeadRequest {
	return aap.LeadRequest{
		Type:     "lead.submit.request",
		Customer: aap.Customer{FirstName: "Mary Ann", LastName: "de la Cruz", Email: "mary@example.com"},
		Consent: aap.Consent{
			GrantedAt: "2026-05-01T11:59:00Z", AllowedChannels: []string{"email", "phone", "sms"},
			ConsentText: "I agree to be contacted about this car.", Scope: []string{"lead_submission"},
		},
		SourceAgent: aap.SourceAgent{Name: "shopper"},
	}
}

// record keeps a request as the store would.
func record(t testing.TB, req aap.LeadRequest) lead.Record {
	t.Helper()
	payload, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	return lead.Record{
		ID: "0190a0b0-0000-7000-8000-000000000001", DealerID: "lakeside", ReceivedAt: received,
		Version: "v1.3", Request: payload, Rooftop: "North", ExpiresAt: received.AddDate(2, 0, 0),
	}
}

func number(n int64) *aap.Int { v := aap.Int(n); return &v }

func decimal(f float64) *float64 { return &f }

func render(t testing.TB, r lead.Record, p *dealer.Profile, o adf.Options) string {
	t.Helper()
	out, err := adf.Render(r, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// civic is the dealer's own unit.
func civic() *aap.Vehicle {
	return &aap.Vehicle{
		VIN: "1HGCV1F30KA000001", Stock: "T100", VehicleID: "v-a", Year: number(2022), Make: "Honda", Model: "Civic",
		Trim: "EX", Condition: "cpo", Price: number(26780), Mileage: number(22150), Rooftop: "North",
	}
}
