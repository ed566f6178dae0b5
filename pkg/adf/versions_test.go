package adf_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/adf"
)

func TestALeadOfAnOldContractIsWrittenLikeAnyOther(t *testing.T) {
	r := record(t, request())
	r.Version = "v0.1"
	r.Request = json.RawMessage(`{"type":"lead.submit.request","customer":{"first_name":"Mary","last_name":"Cruz","email":"mary@example.com"},
		"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"],"source_agent":"shopper"},
		"source_agent":"shopper","vehicle_of_interest":{"year":2022,"make":"Honda","model":"Civic","price":{"amount":26780.0,"currency":"USD"},"status":"In Stock"},
		"appointment":{"appointment_type":"handover","timezone":"America/Los_Angeles",
			"requested_windows":[{"start":"2026-05-03T18:00:00Z"},{"start":"2026-05-04T18:00:00Z"}],"notes":"Two keys, please."}}`)
	got := render(t, r, profile(t, ""), adf.Options{})
	for _, want := range []string{
		`<vehicle interest="buy">`, `<price type="quote" currency="USD">26780</price>`, `<name part="full">shopper</name>`,
		"Requested appointment (sales): 2026-05-03 11:00 PT. Visit notes: handover scheduled; or 2026-05-04 11:00 -07:00; Two keys, please.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "In Stock") {
		t.Errorf("the status of the buyer's vehicle is told:\n%s", got)
	}
}

func TestEveryTimeOfAnOldVisitIsToldOnTheRooftopsClock(t *testing.T) {
	for name, zone := range map[string]string{"the buyer names no zone": "", "the buyer names another zone": `"timezone":"America/New_York",`} {
		t.Run(name, func(t *testing.T) {
			r := record(t, request())
			r.Version = "v0.1"
			r.Request = json.RawMessage(`{"type":"lead.submit.request","customer":{"first_name":"Mary","last_name":"Cruz","email":"mary@example.com"},
				"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"],"source_agent":"shopper"},
				"source_agent":"shopper","appointment":{"appointment_type":"phone_call",` + zone + `
					"requested_windows":[{"start":"2026-05-03T18:00:00Z"},{"start":"2026-05-04T18:00:00Z","end":"2026-05-04T20:30:00Z"}]}}`)
			got := render(t, r, profile(t, ""), adf.Options{})
			want := "2026-05-03 11:00 PT. Visit notes: phone call; or 2026-05-04 11:00 -07:00 to 2026-05-04 13:30 -07:00"
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		})
	}
}
