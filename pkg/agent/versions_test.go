package agent_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

func version(t *testing.T, label string) aap.Version {
	t.Helper()
	v, ok := aap.VersionByLabel(label)
	if !ok {
		t.Fatal(label)
	}
	return v
}

// examples are the released requests of a version by file name.
func examples(t *testing.T, v aap.Version) map[string][]byte {
	t.Helper()
	folder := v.Label
	if folder == "v1.2" {
		folder = "v1.1" // whose payloads are all valid in v1.2
	}
	names, err := filepath.Glob(filepath.Join(aaptest.Reference(t, "aap", folder), "examples", "*-request*.json"))
	if err != nil || len(names) < 8 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		if strings.Contains(name, ".jsonrpc.") || strings.Contains(name, ".rest.") {
			continue
		}
		if out[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// lotOf has every vehicle the examples ask for, besides the usual ones.
func lotOf(t *testing.T, requests map[string][]byte) []inventory.Vehicle {
	t.Helper()
	lot := agenttest.Vehicles()
	seen := map[string]bool{}
	for _, r := range requests {
		var ask struct {
			aap.VehicleRequest
			Wanted *aap.VehicleRequest `json:"vehicle_of_interest"`
		}
		if err := json.Unmarshal(r, &ask); err != nil {
			t.Fatal(err)
		}
		for _, v := range []*aap.VehicleRequest{&ask.VehicleRequest, ask.Wanted} {
			if v == nil || v.VIN+v.Stock+v.VehicleID == "" || seen[v.VIN] {
				continue
			}
			seen[v.VIN] = true
			price, year, mpg := aap.Int(32995), aap.Int(2024), aap.Int(30)
			lot = append(lot, inventory.Vehicle{Key: v.VIN + v.Stock, State: inventory.Available, Listing: aap.Vehicle{
				VIN: v.VIN, Stock: v.Stock, VehicleID: v.VehicleID, Year: &year, Make: "Honda", Model: "CR-V", Condition: "used",
				VehicleType: "car", Price: &price, CityMPG: &mpg, Fees: []aap.Fee{{Name: "Documentation fee", Amount: 85}}, Transmission: "automatic",
				Rooftop: "Harbor Seattle", UpdatedAt: "2026-06-15T11:00:00Z",
			}})
		}
	}
	return lot
}

func TestEveryReleasedRequestIsAnsweredInItsOwnVersion(t *testing.T) {
	for _, v := range aap.Versions() {
		t.Run(v.Label, func(t *testing.T) {
			newest, mine, theirs := schematest.Own(t, aap.Primary()), schematest.Own(t, v), schematest.Released(t, v)
			requests := examples(t, v)
			for _, settings := range []string{"", "  out_the_door: true\nbrands: [Honda]\n"} {
				s := agenttest.With(t, agenttest.Profile+settings, lotOf(t, requests))
				for name, request := range requests {
					skill, ok := aap.SkillByRequestType(typeOf(t, string(request)))
					if !ok {
						t.Fatal(name)
					}
					schematest.Fits(t, mine, skill.RequestSchema(), request)
					up, err := wire.Up(v, skill, request)
					if err != nil {
						t.Fatal(err)
					}
					schematest.Fits(t, newest, skill.RequestSchema(), up)
					answer, err := s.Agent.Call(t.Context(), v, request)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					schematest.Fits(t, mine, skill.ResponseSchema(), answer.Payload)
					schematest.Fits(t, theirs, skill.ResponseSchema(), answer.Payload)
				}
			}
		})
	}
}

func TestErrorsOfEveryCodeFitEveryVersion(t *testing.T) {
	for _, v := range aap.Versions() {
		mine, theirs := schematest.Own(t, v), schematest.Released(t, v)
		for _, code := range append(aap.Codes(), aap.AuthRequired, "MADE_UP") {
			e := aap.Errorf(code, "What to send instead.").With("errors", []aap.Violation{{InstanceLocation: "/filters/x", Keyword: "type"}, {InstanceLocation: "/y"}})
			shown := e.Under(v)
			doc, err := json.Marshal(shown.Payload("id", agenttest.Clock))
			if err != nil {
				t.Fatal(err)
			}
			schematest.Fits(t, mine, "error.schema.json", doc)
			schematest.Fits(t, theirs, "error.schema.json", doc)
			path, points := shown.Details["instancePath"]
			if points != (v.Faults == aap.FaultPath) || points && path != "/filters/x" || shown.Details["errors"] == nil {
				t.Errorf("%s: details %v", v.Label, shown.Details)
			}
			if _, touched := e.Details["instancePath"]; touched || e.Code != code {
				t.Errorf("the error itself was changed: %v", e)
			}
		}
		has := false
		for _, code := range v.Codes() {
			has = has || code == aap.AuthRequired
		}
		if has != (v.Label == "v0.1") {
			t.Errorf("%s: AUTH_REQUIRED %v", v.Label, has)
		}
	}
}

// call gives the data of an answer, or the error.
func call(t *testing.T, s *agenttest.Stack, label, payload string) (map[string]any, *aap.Error) {
	t.Helper()
	answer, err := s.Agent.Call(t.Context(), version(t, label), []byte(payload))
	if err != nil {
		e, ok := errors.AsType[*aap.Error](err)
		if !ok {
			t.Fatalf("%s: %v", payload, err)
		}
		doc, err := json.Marshal(e.Payload("id", agenttest.Clock))
		if err != nil {
			t.Fatal(err)
		}
		schematest.Fits(t, schematest.Own(t, version(t, label)), "error.schema.json", doc)
		return nil, e
	}
	schematest.Fits(t, schematest.Own(t, version(t, label)), answer.Skill.ResponseSchema(), answer.Payload)
	var r struct {
		Data    map[string]any
		Message string
	}
	if err := json.Unmarshal(answer.Payload, &r); err != nil {
		t.Fatal(err)
	}
	r.Data["message"] = r.Message
	return r.Data, nil
}

func faults(e *aap.Error) string {
	var out []string
	if e == nil {
		return "none"
	}
	list, _ := e.Details["errors"].([]aap.Violation)
	for _, f := range list {
		out = append(out, f.InstanceLocation+" "+f.Keyword)
	}
	return string(e.Code) + " " + strings.Join(out, ",")
}

func TestRequestsOfOtherVersionsAreRefused(t *testing.T) {
	old := strings.NewReplacer(`"source_agent":{"name":"trip-planner"}`, `"source_agent":"trip-planner"`,
		`"scope":["lead_submission"]}`, `"scope":["lead_submission"],"source_agent":"trip-planner"}`).Replace(leadPayload)
	visit := func(payload, appointment string) string {
		return strings.Replace(payload, `"idempotency_key":"rosa-1"`, `"appointment":`+appointment, 1)
	}
	for _, c := range []struct{ name, version, payload, want string }{
		{"vehicle_type on v1.1", "v1.1", `{"type":"inventory.search.request","filters":{"vehicle_type":["car"]}}`, "SCHEMA_VALIDATION_FAILED /filters/vehicle_type additionalProperties"},
		{"vehicle_type on v1.2", "v1.2", `{"type":"inventory.search.request","filters":{"vehicle_type":["car"]}}`, "none"},
		{"rooftops on v0.1", "v0.1", `{"type":"inventory.search.request","filters":{"rooftops":["x"]}}`, "SCHEMA_VALIDATION_FAILED /filters/rooftops additionalProperties"},
		{"offered_price on v1.3", "v1.3", `{"type":"inventory.search.request","sort":{"field":"offered_price","order":"asc"}}`, "SCHEMA_VALIDATION_FAILED /sort/field enum"},
		{"offered_price on v1.1", "v1.1", `{"type":"inventory.search.request","sort":{"field":"offered_price","order":"asc"}}`, "SCHEMA_VALIDATION_FAILED /sort/field enum"},
		{"offered_price on v1.0", "v1.0", `{"type":"inventory.search.request","sort":{"field":"offered_price","order":"asc"}}`, "none"},
		{"offered_price on v0.1", "v0.1", `{"type":"inventory.search.request","sort":{"field":"offered_price","order":"desc"}}`, "none"},
		{"last_verified_at on v0.2", "v0.2", `{"type":"inventory.search.request","sort":{"field":"last_verified_at","order":"asc"}}`, "SCHEMA_VALIDATION_FAILED /sort/field enum"},
		{"a zip on v1.1", "v1.1", `{"type":"inventory.vehicle.request","vin":"` + agenttest.ListedVIN + `","zip":"94107"}`, "SCHEMA_VALIDATION_FAILED /zip additionalProperties"},
		{"a zip on v1.0", "v1.0", `{"type":"inventory.vehicle.request","vin":"` + agenttest.ListedVIN + `","zip":"94107"}`, "none"},
		{"a price with cents on v0.2", "v0.2", `{"type":"inventory.search.request","filters":{"price_max":30000.5}}`, "SCHEMA_VALIDATION_FAILED /filters/price_max type"},
		{"a price with cents on v0.1", "v0.1", `{"type":"inventory.search.request","filters":{"price_max":30000.5}}`, "none"},
		{"a v1.0 lead on v1.1", "v1.1", old, "SCHEMA_VALIDATION_FAILED /consent/source_agent additionalProperties,/source_agent type"},
		{"a v1.1 lead on v1.0", "v1.0", leadPayload, "INVALID_CONSENT /consent/source_agent required,/source_agent type"},
		{"a v1.0 lead on v1.0", "v1.0", old, "none"},
		{"a v1.0 lead on v0.2", "v0.2", old, "none"},
		{"a v1.0 lead on v0.1", "v0.1", old, "none"},
		{"a v1.1 lead on v1.2", "v1.2", leadPayload, "none"},
		{"the consent's agent without a name", "v1.0", strings.Replace(old, `"source_agent":"trip-planner"}`, `"source_agent":""}`, 1), "INVALID_CONSENT /consent/source_agent minLength"},
		{"a handover on v1.3", "v1.3", visit(leadPayload, `{"appointment_type":"handover"}`), "SCHEMA_VALIDATION_FAILED /appointment/appointment_type enum"},
		{"a handover on v0.2", "v0.2", visit(old, `{"appointment_type":"handover"}`), "SCHEMA_VALIDATION_FAILED /appointment/appointment_type enum"},
		{"a handover on v0.1", "v0.1", visit(old, `{"appointment_type":"handover"}`), "none"},
		{"windows on v0.2", "v0.2", visit(old, `{"appointment_type":"sales","requested_windows":[{"start":"2026-06-20T18:00:00Z"}]}`), "SCHEMA_VALIDATION_FAILED /appointment/requested_windows additionalProperties"},
		{"no consent on v0.1", "v0.1", strings.Replace(old, `"consent":{`, `"consents":{`, 1), "CONTACT_CONSENT_REQUIRED /consent required,/consents additionalProperties"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e := call(t, agenttest.New(t, agenttest.Profile), c.version, c.payload)
			if got := faults(e); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if e != nil {
				_, points := e.Details["instancePath"]
				if points != (version(t, c.version).Faults == aap.FaultPath) {
					t.Errorf("details %v", e.Details)
				}
			}
		})
	}
}
