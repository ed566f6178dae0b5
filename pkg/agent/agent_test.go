package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

const leadPayload = `{"type":"lead.submit.request","customer":{"first_name":"Rosa","last_name":"Quist","email":"rosa@quist.example"},` +
	`"consent":{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":"Harbor Auto may e-mail me.","scope":["lead_submission"]},` +
	`"source_agent":{"name":"trip-planner"},"idempotency_key":"rosa-1"}`

func set(t testing.TB) *schema.Set {
	t.Helper()
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryAnswerFitsTheResponseSchema(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	schemas := set(t)
	for _, payload := range []string{
		`{"type":"dealer.information.request"}`,
		`{"type":"inventory.facets.request"}`,
		`{"type":"inventory.facets.request","filters":{"make":["nothing"]}}`,
		`{"type":"inventory.search.request"}`,
		`{"type":"inventory.search.request","filters":{"price_max":20000},"sort":{"field":"price","order":"asc"},"pagination":{"limit":1}}`,
		`{"type":"inventory.vehicle.request","vin":"` + agenttest.ListedVIN + `"}`,
		leadPayload,
		strings.Replace(leadPayload, `"idempotency_key":"rosa-1"`, `"appointment":{"appointment_type":"test_drive"},"vehicle_of_interest":{"vin":"`+agenttest.ListedVIN+`"}`, 1),
	} {
		got, err := s.Agent.Call(t.Context(), aap.V1_3, []byte(payload))
		if err != nil {
			t.Errorf("%s: %v", payload, err)
			continue
		}
		want, _ := aap.SkillByRequestType(typeOf(t, payload))
		if got.Skill != want || typeOf(t, string(got.Payload)) != want.ResponseType() {
			t.Errorf("%s was answered by %s with %.80s", payload, got.Skill.ID, got.Payload)
		}
		faults, err := schemas.Check(got.Skill.ResponseSchema(), got.Payload)
		if err != nil || len(faults) > 0 {
			t.Errorf("the answer to %s: %v %v\n%s", payload, err, faults, got.Payload)
		}
	}
}

func typeOf(t *testing.T, payload string) string {
	t.Helper()
	var p struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		t.Fatal(err)
	}
	return p.Type
}

func TestRefusalsNameEveryFaultAndTheRightCode(t *testing.T) {
	for _, c := range []struct {
		name, profile, payload string
		code                   aap.Code
		faults                 string
	}{
		{"no JSON", "", `{"type":`, aap.SchemaValidationFailed, " type"},
		{"an array", "", `[]`, aap.SchemaValidationFailed, " type"},
		{"nothing", "", ``, aap.SchemaValidationFailed, " type"},
		{"no type", "", `{}`, aap.SchemaValidationFailed, "/type required"},
		{"type a number", "", `{"type":1}`, aap.SchemaValidationFailed, "/type type"},
		{"type in capitals", "", `{"type":"Inventory.Search"}`, aap.SchemaValidationFailed, "/type pattern"},
		{"type of one word", "", `{"type":"search"}`, aap.SchemaValidationFailed, "/type pattern"},
		{"type with an empty word", "", `{"type":"a..b"}`, aap.SchemaValidationFailed, "/type pattern"},
		{"a skill nobody has", "", `{"type":"inventory.order.request"}`, aap.UnsupportedSkill, ""},
		{"an answer", "", `{"type":"lead.submit.response"}`, aap.UnsupportedSkill, ""},
		{"a skill not offered", "skills: [dealer.information]\n", `{"type":"inventory.search.request"}`, aap.UnsupportedSkill, ""},
		{"one missing member", "", `{"type":"inventory.search.request","sort":{"order":"asc"}}`, aap.MissingRequiredField, "/sort/field required"},
		{"two missing members", "", `{"type":"inventory.search.request","sort":{}}`, aap.SchemaValidationFailed, "/sort/field required,/sort/order required"},
		{"no identifier", "", `{"type":"inventory.vehicle.request"}`, aap.SchemaValidationFailed, "/stock anyOf,/vehicle_id anyOf,/vin anyOf"},
		{"null filters", "", `{"type":"inventory.search.request","filters":null}`, aap.SchemaValidationFailed, "/filters type"},
		{"three faults", "", `{"type":"inventory.search.request","filters":{"year_min":"2020","condition":["good"],"color":["red"]}}`,
			aap.SchemaValidationFailed, "/filters/color additionalProperties,/filters/condition/0 enum,/filters/year_min type"},
		{"an extra member", "", `{"type":"dealer.information.request","x":1}`, aap.SchemaValidationFailed, "/x additionalProperties"},
		{"a broken fraction", "", `{"type":"inventory.search.request","filters":{"price_max":30000.5}}`, aap.SchemaValidationFailed, "/filters/price_max type"},
		{"a lead without consent", "", strings.Replace(leadPayload, `"consent"`, `"consents"`, 1), aap.ContactConsentRequired, ""},
		{"a lead with a scope too many", "", strings.Replace(leadPayload, `["lead_submission"]`, `["lead_submission","marketing"]`, 1), aap.InvalidConsent, ""},
		{"an absent vehicle", "", `{"type":"inventory.vehicle.request","vin":"` + agenttest.AbsentVIN + `"}`, aap.VehicleNotFound, ""},
		{"a sold vehicle", "", `{"type":"inventory.vehicle.request","vin":"` + agenttest.SoldVIN + `"}`, aap.VehicleUnavailable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := agenttest.New(t, agenttest.Profile+c.profile).Agent.Call(t.Context(), aap.V1_3, []byte(c.payload))
			e, ok := errors.AsType[*aap.Error](err)
			if !ok || e.Code != c.code {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			if c.faults == "" {
				return
			}
			var got []string
			listed, _ := e.Details["errors"].([]aap.Violation)
			for _, v := range listed {
				got = append(got, v.InstanceLocation+" "+v.Keyword)
			}
			if strings.Join(got, ",") != c.faults {
				t.Errorf("faults %q, want %q", got, c.faults)
			}
		})
	}
}

func TestErrorsFitTheErrorSchema(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	schemas := set(t)
	for _, payload := range []string{`{}`, `{"type":"x.y"}`, `{"type":"inventory.search.request","sort":{}}`, strings.Replace(leadPayload, "Rosa", `","x":"`, 1)} {
		_, err := s.Agent.Call(t.Context(), aap.V1_3, []byte(payload))
		e, ok := errors.AsType[*aap.Error](err)
		if !ok {
			t.Fatalf("%s: %v", payload, err)
		}
		doc, err := json.Marshal(e.Payload(s.NewID(), agenttest.Clock))
		if err != nil {
			t.Fatal(err)
		}
		if faults, err := schemas.Check("error.schema.json", doc); err != nil || len(faults) > 0 {
			t.Errorf("%s: %v %v", doc, err, faults)
		}
	}
}

func TestReplayGivesTheStoredAnswerAndNothingElse(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	if _, found, err := s.Agent.Replay(t.Context(), aap.V1_3, []byte(leadPayload)); found || err != nil {
		t.Fatalf("before the lead: %v %v", found, err)
	}
	first, err := s.Agent.Call(t.Context(), aap.V1_3, []byte(leadPayload))
	if err != nil {
		t.Fatal(err)
	}
	again, found, err := s.Agent.Replay(t.Context(), aap.V1_3, []byte(leadPayload))
	if err != nil || !found || string(again.Payload) != string(first.Payload) {
		t.Errorf("replay %s %v %v, want %s", again.Payload, found, err, first.Payload)
	}
	if _, found, _ := s.Agent.Replay(t.Context(), aap.V1_3, []byte(`{"type":"dealer.information.request"}`)); found {
		t.Error("a skill that stores nothing was replayed")
	}
}

func TestAnUnreadableProfileIsNotTheBuyersFault(t *testing.T) {
	a := agent.New(agent.Parts{Profiles: broken{}})
	_, err := a.Call(t.Context(), aap.V1_3, []byte(`{"type":"dealer.information.request"}`))
	if _, shown := errors.AsType[*aap.Error](err); err == nil || shown {
		t.Errorf("error %v must be an internal one", err)
	}
}

type broken struct{}

func (broken) Profile(context.Context) (*dealer.Profile, error) {
	return nil, errors.New("bucket is on fire")
}

func TestTableRowsAreComplete(t *testing.T) {
	rows := agent.Table()
	if len(rows) != len(aap.Skills()) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		if row.Skill != aap.Skills()[i] || row.Name == "" || len(row.Description) < 80 || len(row.Tags) == 0 {
			t.Errorf("row %d: %+v", i, row)
		}
		if n := len(row.Brief); n < 80 || n > 200 {
			t.Errorf("%s: Brief has %d characters, want 80 to 200", row.ID, n)
		}
		if row.Writes != (row.Skill == aap.LeadSubmit) {
			t.Errorf("%s: Writes is %v", row.ID, row.Writes)
		}
	}
}
