package dealer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

func information(t *testing.T, p *dealer.Profile) string {
	t.Helper()
	payload, err := aap.Reply{Data: p.Information()}.Append(nil, aap.DealerInformation)
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

func TestInformationFitsTheReleasedSchema(t *testing.T) {
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	set, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string]string{
		"smallest": least,
		"sample":   string(sample.Profile()),
		"no fees":  rooftopWith("fees: []\ngeo: {latitude: 0, longitude: 0}\naddress: {}"),
	} {
		t.Run(name, func(t *testing.T) {
			payload := information(t, mustParse(t, document))
			faults, err := set.Check(aap.DealerInformation.ResponseSchema(), []byte(payload))
			if err != nil || len(faults) > 0 {
				t.Errorf("%v %v\n%s", err, faults, payload)
			}
		})
	}
}

func TestInformationSaysWhatTheProfileSays(t *testing.T) {
	got := information(t, mustParse(t, rooftopWith(`aliases: [MS-1]
legal_name: Main Street, LLC
website: https://www.example.com
geo: {latitude: 0, longitude: -105.5}
emails: [{name: Sales, value: s@example.com}]
address: {line1: 1 Main Street, line2: Suite 2, city: Denver, state: CO, zip: 80202}
hours: [{name: Sales, days: {monday: "09:00-19:00", sunday: closed}}]
notes: "Closed on holidays."
fees: []
capabilities: [sales]`)))
	want := `{"type":"dealer.information.response","data":{"name":"Example Motors","rooftops":[{"name":"Main Street",` +
		`"legal_name":"Main Street, LLC","website":"https://www.example.com","geo":{"latitude":0,"longitude":-105.5},` +
		`"emails":[{"name":"Sales","value":"s@example.com"}],"phones":[{"value":"+14155550100"}],` +
		`"address":{"country":"US","state":"CO","city":"Denver","address_line_1":"1 Main Street","address_line_2":"Suite 2","zip":"80202"},` +
		`"schedules":[{"name":"Sales","value":{"monday":{"open":"09:00","close":"19:00"},"sunday":null}}],` +
		`"timezone":"America/Denver","notes":"Closed on holidays.","fees":[],"capabilities":["sales"]}]}}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUndisclosedFeesStayAbsent(t *testing.T) {
	if got := information(t, mustParse(t, least)); strings.Contains(got, "fees") {
		t.Errorf("fees are told although the profile has none: %s", got)
	}
}

func TestInformationSharesNoMemoryWithTheProfile(t *testing.T) {
	p := mustParse(t, string(sample.Profile()))
	before, _ := json.Marshal(p.Information())
	told := p.Information()
	told.Rooftops[0].Fees[0].Amount = 1
	told.Rooftops[0].Capabilities[0] = "changed"
	told.Rooftops[0].Geo.Latitude = 1
	told.Rooftops[0].Schedules[0].Value["monday"] = nil
	if after, _ := json.Marshal(p.Information()); string(after) != string(before) {
		t.Error("changing the answer changed the profile")
	}
}
