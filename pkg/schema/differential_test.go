package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// beyond are the faults no JSON Schema knows of; they do not count when
// verdicts are compared.
var beyond = []string{"syntax", "encoding", "duplicateKey", "caseMismatch", "maxDepth", "number", "tooMany"}

func schemaFaults(list []aap.Violation) int {
	n := 0
	for _, v := range list {
		if !slices.Contains(beyond, v.Keyword) {
			n++
		}
	}
	return n
}

func TestReleasedExamplesAreValid(t *testing.T) {
	set := newSet(t)
	for _, ex := range examples(t) {
		found, err := set.Check(ex.file, encode(t, ex.payload))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			t.Errorf("%s by %s: %v", ex.name, ex.file, found)
		}
	}
}

func TestMutatedPayloadsGetTheVerdictOfTheReleasedSchemas(t *testing.T) {
	total := 120_000
	if testing.Short() {
		total = 12_000
	}
	d := differential{set: newSet(t), released: map[string]*jsonschema.Schema{}, keywords: map[string]int{}}
	o := newOracle(t)
	d.seeds = append(examples(t), extraSeeds(t)...)
	for _, ex := range d.seeds {
		d.released[ex.file] = o.schema(t, ex.file)
	}
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < total && !t.Failed(); i += workers {
				d.try(t, i)
			}
		})
	}
	wg.Wait()
	t.Logf("%d valid, %d invalid; faults by keyword: %v", d.valid, d.invalid, d.keywords)
	if d.valid < total/20 || d.invalid < total/4 {
		t.Errorf("mutations are lopsided: %d valid, %d invalid", d.valid, d.invalid)
	}
	for _, word := range []string{
		"type", "const", "enum", "format", "pattern", "required", "additionalProperties", "anyOf", "oneOf",
		"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "contains",
	} {
		if d.keywords[word] == 0 {
			t.Errorf("no mutation broke %q", word)
		}
	}
}

// differential compares our verdict on mutated payloads with that of the
// released schemas.
type differential struct {
	set      *schema.Set
	released map[string]*jsonschema.Schema
	seeds    []example

	mu             sync.Mutex
	valid, invalid int
	keywords       map[string]int
}

// try makes mutation number i, the same one every time.
func (d *differential) try(t *testing.T, i int) {
	rnd := rand.New(rand.NewPCG(2026, uint64(i)))
	ex := d.seeds[i%len(d.seeds)]
	payload := clone(ex.payload)
	for range 1 + rnd.IntN(3) {
		payload = mutate(rnd, payload)
	}
	want := d.released[ex.file].Validate(payload)
	text, err := json.Marshal(payload)
	if err != nil {
		t.Error(err)
		return
	}
	found, err := d.set.Check(ex.file, text)
	if err != nil {
		t.Error(err)
		return
	}
	// A member in the wrong case is told as such in place of the schema's word.
	if want == nil && schemaFaults(found) > 0 || want != nil && len(found) == 0 {
		t.Errorf("mutation %d of %s by %s:\n%s\nreleased: %v\nown: %v", i, ex.name, ex.file, text, want, found)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if want == nil {
		d.valid++
	} else {
		d.invalid++
	}
	for _, v := range found {
		d.keywords[v.Keyword]++
	}
}

// extraSeeds reach rules that the released examples leave alone.
func extraSeeds(t testing.TB) []example {
	filters := `{"make":["Kia","Ford"],"model":["Rio"],"trim":["S"],"condition":["new","cpo"],"vehicle_type":["car","rv"],
		"transmission":["manual"],"fuel":["gas"],"electric_range_mi_min":10,"electric_range_mi_max":400,"dc_fast_charge":true,
		"charge_port":["nacs"],"driveline":["awd"],"body":["wagon"],"displacement_cc_min":100,"displacement_cc_max":2000,
		"exterior_color":["red"],"interior_color":["tan"],"rooftops":["West"],"year_min":1999,"year_max":2030,"price_min":1,
		"price_max":2e4,"mileage_max":70000.0,"vin":"KNADE123456789012","stock":"K1","query":"small"}`
	vehicle := `{"vehicle_type":"car","vin":"KNADE123456789012","year":2021,"condition":"used","status":"pending","rooftop":null,
		"charge_port":null,"fees":[{"name":"Doc","amount":1},{"name":"Prep","amount":2}],"features":["ABS"],"photos":["https://a.example/1"],
		"vdp_url":"https://a.example/v","electric_range_mi":10.5,"battery_kwh":0,"dc_fast_charge":false,"inventory_date":"2026-02-28",
		"updated_at":"2026-02-28T10:00:00Z","other_attributes":{"a":"x","b":1.5,"c":true,"d":["x","y"],"e":[1,2]},"house":{"colour":1}}`
	texts := []string{
		`{"type":"inventory.search.request","filters":` + filters + `,"pagination":{"skip":0,"limit":1000},
			"sort":{"field":"year","order":"desc"},"privacy":{"anonymous":true}}`,
		`{"type":"inventory.facets.request","filters":` + filters + `}`,
		`{"type":"inventory.vehicle.request","stock":"K1","vehicle_id":"k"}`,
		`{"type":"inventory.vehicle.response","data":` + vehicle + `}`,
		`{"type":"lead.submit.request","customer":{"first_name":"","last_name":"","email":"a@b.example","phone":"+12025550100",
			"preferred_contact":"any","address":{"country":"US","state":"TX","city":"Waco","address_line_1":"1 A St","address_line_2":"2","zip":"7"}},
			"consent":{"granted_at":"2026-01-01T00:00:00+01:00","allowed_channels":["email","sms"],"consent_text":"ok","scope":["lead_submission"],
			"expires_at":"2027-01-01T00:00:00Z"},"source_agent":{"name":"a","url":"https://a.example","agent_card_url":"https://a.example/c"},
			"vehicle_of_interest":` + vehicle + `,"trade_in":{"condition":"fair","year":1990.0},"message":"hi",
			"appointment":{"appointment_type":"service","appointment_at":"2026-01-02T10:00:00-05:00","duration_minutes":15,"notes":"n"},
			"submitted_at":"2026-01-01T00:00:00Z","idempotency_key":"k"}`,
		`{"type":"aap.event","event_kind":"appointment.status_changed","entity_id":"e","status":"no_show","occurred_at":"2026-01-01T00:00:00Z","payload":{}}`,
		`{"type":"aap.error","error_id":"e","code":"RATE_LIMITED","message":"m","retryable":true,"details":[1],"created_at":"2026-01-01T00:00:00Z"}`,
	}
	var out []example
	for i, text := range texts {
		payload := decode(t, []byte(text)).(map[string]any)
		out = append(out, example{fmt.Sprintf("seed %d", i), fileOf(t, payload["type"].(string)), payload})
	}
	return out
}

func decode(t testing.TB, text []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
