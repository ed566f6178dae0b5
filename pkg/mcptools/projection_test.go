package mcptools_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

func TestInputSchemasTakeEveryValidRequest(t *testing.T) {
	for _, v := range aap.Versions() {
		c := wiretest.New(t, v)
		for _, skill := range aap.Skills() {
			t.Run(v.Label+"/"+skill.ID, func(t *testing.T) {
				raw, err := mcptools.InputSchema(skill, v)
				if err != nil {
					t.Fatal(err)
				}
				compiled := compile(t, raw)
				rapid.Check(t, func(rt *rapid.T) {
					request := c.Draw(rt, skill.RequestSchema())
					doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(request))
					if err != nil {
						rt.Fatal(err)
					}
					if err := compiled.Validate(withoutNull(doc)); err != nil {
						rt.Fatalf("%s\n%v", request, err)
					}
				})
			})
		}
	}
}

func TestInputSchemasRefuseWhatIsPlainlyWrong(t *testing.T) {
	for _, c := range []struct {
		skill             aap.Skill
		arguments, faulty string
	}{
		{aap.InventorySearch, `{"type":"inventory.search.request","filters":{"price_max":20000}}`, `{"type":"inventory.search.request","filters":{"price_max":"cheap"}}`},
		{aap.InventorySearch, `{"type":"inventory.search.request"}`, `{"type":"inventory.search.request","filter":{}}`},
		{aap.InventoryVehicle, `{"type":"inventory.vehicle.request","stock":"1"}`, `{"type":"lead.submit.request","stock":"1"}`},
		{aap.LeadSubmit, lead(`,"trade_in":{"condition":"good"}`), lead(`,"trade_in":{"condition":"used"}`)},
		{aap.LeadSubmit, `{"type":"lead.submit.request","customer":{"first_name":"A","last_name":"B"},"source_agent":{"name":"x"}}`,
			`{"type":"lead.submit.request","customer":{"first_name":"A","last_name":"B"}}`},
		{aap.LeadSubmit, lead(`,"vehicle_of_interest":{"condition":"cpo"}`), lead(`,"vehicle_of_interest":{"condition":"fair"}`)},
	} {
		raw, err := mcptools.InputSchema(c.skill, aap.V1_3)
		if err != nil {
			t.Fatal(err)
		}
		for text, valid := range map[string]bool{c.arguments: true, c.faulty: false} {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := compile(t, raw).Validate(doc); (err == nil) != valid {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestRulesThatTheFormCannotHoldAreSaid(t *testing.T) {
	for skill, words := range map[aap.Skill][]string{
		aap.InventoryVehicle: {"at least one of vin, stock or vehicle_id"},
		aap.LeadSubmit:       {"at least one of email or phone", "Leave it out rather than make one up"},
	} {
		raw, err := mcptools.InputSchema(skill, aap.V1_3)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range words {
			if !bytes.Contains(raw, []byte(want)) {
				t.Errorf("%s does not say %q: %s", skill.ID, want, raw)
			}
		}
	}
}

func TestOfAVehicleThatOccursTwiceOneIsDescribed(t *testing.T) {
	raw, err := mcptools.InputSchema(aap.LeadSubmit, aap.V1_3)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := mcptools.InputSchema(aap.LeadSubmit, aap.V1_3)
		if err != nil || !bytes.Equal(again, raw) {
			t.Fatalf("the schema differs from time to time, which spoils prompt caches: %v", err)
		}
	}
	if n := bytes.Count(raw, []byte("Odometer in miles")); n != 1 {
		t.Errorf("the mileage is described %d times", n)
	}
	members := parse(t, raw)["properties"].(map[string]any)
	for _, name := range []string{"vehicle_of_interest", "trade_in"} {
		vehicle := members[name].(map[string]any)
		if vehicle["description"] == nil || len(vehicle["properties"].(map[string]any)) < 30 {
			t.Errorf("%s: %v", name, vehicle)
		}
	}
}

func parse(t testing.TB, raw []byte) (doc map[string]any) {
	t.Helper()
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return doc
}

func compile(t testing.TB, raw []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///input.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///input.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// withoutNull leaves members out that are null.
func withoutNull(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
				continue
			}
			value[name] = withoutNull(member)
		}
	case []any:
		for i := range value {
			value[i] = withoutNull(value[i])
		}
	}
	return value
}

// lead is a good lead with more members.
func lead(more string) string {
	return `{"type":"lead.submit.request","customer":{"first_name":"Rosa","last_name":"Quist","email":"rosa@quist.example"},` +
		`"consent":{"granted_at":"2026-06-15T14:58:00Z","allowed_channels":["email"],"consent_text":"Harbor Auto may e-mail me.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"trip-planner"}` + more + `}`
}
