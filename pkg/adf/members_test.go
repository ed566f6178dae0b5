package adf_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
)

// keptBack are the members of a lead that its document does not tell.
var keptBack = []string{
	"/type", "/idempotency_key", // of the transport
	"/consent/scope", "/consent/expires_at", // of the audit record
	// What a dealer's system keeps for itself of a listing.
	"/vehicle_of_interest/status", "/vehicle_of_interest/rooftop", "/vehicle_of_interest/dealer_id", "/vehicle_of_interest/inventory_date",
	"/vehicle_of_interest/updated_at", "/trade_in/status", "/trade_in/rooftop", "/trade_in/dealer_id", "/trade_in/inventory_date",
	"/trade_in/updated_at",
}

// filled sets every member below v to a value that occurs once, and notes how
// the document is to tell it.
func filled(v reflect.Value, at string, told map[string]string) {
	n := len(told) + 1001
	switch v.Interface().(type) {
	case map[string]any:
		v.Set(reflect.ValueOf(map[string]any{"attribute": fmt.Sprintf("value-%d", n), "doors": n + 5000}))
		told[at], told[at+"/doors"] = fmt.Sprintf("attribute: value-%d", n), fmt.Sprintf("<doors>%d</doors>", n+5000)
		return
	case map[string]json.RawMessage:
		v.Set(reflect.ValueOf(map[string]json.RawMessage{"undeclared": json.RawMessage(fmt.Sprint(n))}))
		told[at] = fmt.Sprintf("undeclared: %d", n)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), at, told)
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			filled(v.Field(i), at+"/"+name, told)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			filled(v.Index(i), fmt.Sprintf("%s/%d", at, i), told)
		}
	case reflect.String:
		told[at] = fmt.Sprintf("text-%d", n)
		v.SetString(told[at])
	case reflect.Int, reflect.Int64:
		told[at] = fmt.Sprint(n)
		v.SetInt(int64(n))
	case reflect.Float64:
		told[at] = fmt.Sprint(n) + ".5"
		v.SetFloat(float64(n) + .5)
	case reflect.Bool:
		told[at] = "yes"
		v.SetBool(true)
	}
}

// TestEveryMemberOfALeadReachesTheDealer, so that a member which is added to a
// lead is not forgotten here.
func TestEveryMemberOfALeadReachesTheDealer(t *testing.T) {
	var req aap.LeadRequest
	told := map[string]string{}
	filled(reflect.ValueOf(&req).Elem(), "", told)
	// Words of a fixed vocabulary are told in ADF's own.
	for at, words := range map[string][2]string{
		"/customer/preferred_contact":    {"phone", `preferredcontact="1"`},
		"/consent/allowed_channels/0":    {"phone", "Contact by phone only."},
		"/consent/allowed_channels/1":    {"phone", "Contact by phone only."},
		"/appointment/appointment_at":    {"2026-05-03T18:00:00Z", "2026-05-03 11:00 PT"},
		"/vehicle_of_interest/year":      {"", "<year>"},
		"/submitted_at":                  {"2026-05-01T11:59:00Z", "2026-05-01T04:59:00-07:00"},
		"/trade_in/condition":            {"good", "<condition>good</condition>"},
		"/vehicle_of_interest/condition": {"cpo", "certified pre-owned"},
	} {
		told[at] = words[1]
	}
	req.Customer.PreferredContact, req.Consent.AllowedChannels = "phone", []string{"phone", "phone"}
	req.Appointment.AppointmentAt, req.SubmittedAt = "2026-05-03T18:00:00Z", "2026-05-01T11:59:00Z"
	req.TradeIn.Condition, req.VehicleOfInterest.Condition = "good", "cpo"
	doc := render(t, record(t, req), profile(t, "consent: true"), adf.Options{})
	for at, want := range told {
		member := regexp.MustCompile(`/\d+$`).ReplaceAllString(at, "")
		if there := strings.Contains(doc, want); there == slices.Contains(keptBack, member) {
			t.Errorf("%s, %q: told %v", at, want, there)
		}
	}
	if len(told) < 100 {
		t.Fatalf("only %d members were looked for", len(told))
	}
	if _, faults, err := adf.Read(strings.NewReader(doc)); err != nil || slices.ContainsFunc(faults, func(f adf.Fault) bool { return f.Invalid }) {
		t.Errorf("%v %v", err, faults)
	}
}

// notInALead are the elements of ADF for which a lead has nothing.
var notInALead = []string{
	"finance", "method", "amount", "balance", // AAP has no financing
	"timeframe", "description", "earliestdate", "latestdate", // when to buy, not when to visit
	"manufacturercode", "weighting", "apartment",
}

// TestEveryElementThatALeadCanFillIsWritten holds the golden files against the
// DTD's own list.
func TestEveryElementThatALeadCanFillIsWritten(t *testing.T) {
	dtd, err := os.ReadFile(aaptest.Reference(t, "cases", "adf", "adf-1.0-mended.dtd"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	files, _ := filepath.Glob("testdata/*.xml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	declared := regexp.MustCompile(`<!ELEMENT\s+(\w+)`).FindAllStringSubmatch(string(dtd), -1)
	if len(declared) < 40 {
		t.Fatalf("only %d declarations found", len(declared))
	}
	for _, m := range declared {
		if written := regexp.MustCompile(`<` + m[1] + `[ >]`).MatchString(all.String()); written == slices.Contains(notInALead, m[1]) {
			t.Errorf("%s: written %v", m[1], written)
		}
	}
}
