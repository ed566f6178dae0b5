package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
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
		total = 20_000
	}
	set, o := newSet(t), newOracle(t)
	seeds := append(examples(t), extraSeeds(t)...)
	valid, invalid, keywords := 0, 0, map[string]int{}
	for i := range total {
		rnd := rand.New(rand.NewPCG(2026, uint64(i)))
		ex := seeds[i%len(seeds)]
		payload := clone(ex.payload)
		for range 1 + rnd.IntN(3) {
			payload = mutate(rnd, payload)
		}
		want := o.schema(t, ex.file).Validate(payload)
		text := encode(t, payload)
		found, err := set.Check(ex.file, text)
		if err != nil {
			t.Fatal(err)
		}
		// A member in the wrong case is told as such in place of the schema's word.
		if want == nil && schemaFaults(found) > 0 || want != nil && len(found) == 0 {
			t.Fatalf("mutation %d of %s by %s:\n%s\nreleased: %v\nown: %v", i, ex.name, ex.file, text, want, found)
		}
		if want == nil {
			valid++
		} else {
			invalid++
		}
		for _, v := range found {
			keywords[v.Keyword]++
		}
	}
	t.Logf("%d valid, %d invalid; faults by keyword: %v", valid, invalid, keywords)
	if valid < total/20 || invalid < total/4 {
		t.Errorf("mutations are lopsided: %d valid, %d invalid", valid, invalid)
	}
	for _, word := range []string{
		"type", "const", "enum", "format", "pattern", "required", "additionalProperties", "anyOf", "oneOf",
		"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "contains",
	} {
		if keywords[word] == 0 {
			t.Errorf("no mutation broke %q", word)
		}
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

// mutate changes one place of the payload, at any level, and returns the payload.
func mutate(rnd *rand.Rand, root any) any {
	places := collect(nil, &root)
	at := places[rnd.IntN(len(places))]
	switch v := at.get().(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		switch n := rnd.IntN(10); {
		case n < 4 && len(keys) > 0:
			delete(v, keys[rnd.IntN(len(keys))])
		case n < 6:
			v[pick(rnd, names)] = junk(rnd)
		case n < 7 && len(keys) > 0:
			k := keys[rnd.IntN(len(keys))]
			v[k+"_2"] = v[k]
		case n < 8 && len(keys) > 0:
			v[strings.ToUpper(keys[rnd.IntN(len(keys))])] = junk(rnd)
		default:
			at.set(junk(rnd))
		}
	case []any:
		switch n := rnd.IntN(10); {
		case n < 3 && len(v) > 0:
			i := rnd.IntN(len(v))
			at.set(slices.Delete(v, i, i+1))
		case n < 5 && len(v) > 0:
			at.set(append(v, clone(v[rnd.IntN(len(v))])))
		case n < 7:
			at.set(append(v, junk(rnd)))
		case n < 8:
			at.set([]any{})
		default:
			at.set(junk(rnd))
		}
	case string:
		at.set(bend(rnd, v))
	case json.Number:
		at.set(pick(rnd, numbers))
	default:
		at.set(junk(rnd))
	}
	return root
}

var names = []string{
	"vin", "stock", "vehicle_id", "email", "phone", "type", "data", "message", "status", "condition", "trade_in", "name", "filters",
	"vehicle_of_interest", "other_attributes", "fees", "scope", "x", "", "a/b", "~", "monday", "rooftop", "details", "expires_at", "extensions",
}

var numbers = []any{
	json.Number("0"), json.Number("-1"), json.Number("-0.0"), json.Number("1"), json.Number("14"), json.Number("15"), json.Number("1000"),
	json.Number("1001"), json.Number("1899"), json.Number("1900"), json.Number("1900.0"), json.Number("1899.9999999999999999999"),
	json.Number("2100"), json.Number("2101"), json.Number("2.1e3"), json.Number("3e4"), json.Number("30000.5"), json.Number("1E-7"),
	json.Number("12345678901234567890123"), json.Number("-90"), json.Number("90.0000000001"), json.Number("181"), json.Number("5e-1"), "7", true,
}

var strings1 = []string{
	"", " ", "x", "new", "good", "mint", "New", "available", "sold", "email", "sms", "any", "lead_submission", "marketing", "confirmed",
	"received", "no_show", "test_drive", "JSONRPC", "price", "asc", "lead.status_changed", "inventory.search.request", "aap.error", "Bad.Type",
	"1HGCV1F30KA000001", "1hgcv1f30ka000001", "1HGCV1F30KA00000I", "+12025550100", "12025550100", "+0123", "+1202555010012345", "202-555-0100",
	"a@b.example", "a@b", "a b@c.example", "@b.example", "2026-02-28", "2026-02-30", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00",
	"2026-02-28t10:00:00.5z", "2026-02-28T24:00:00Z", "2026-02-28T23:59:60Z", "2026-02-28T10:00:00+0100", "2026-02-28 10:00:00Z",
	"https://a.example", "a.example", "//a.example", "mailto:a@b.example", "http://[::1", "https://a.example/ b", "09:00", "24:00", "9:00",
	"\u00e9\u4e16", "\u2028", "https://autoagentprotocol.org/extensions/aap/v1.3",
	strings.Repeat("x", 120), strings.Repeat("\u4e16", 121), strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 128),
	strings.Repeat("x", 129), strings.Repeat("x", 2000), strings.Repeat("x", 2001), strings.Repeat("x", 4001),
}

func bend(rnd *rand.Rand, s string) any {
	switch rnd.IntN(8) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return s + pick(rnd, []string{" ", "x", "\n", "Z", "0"})
	case 2:
		if s != "" {
			return s[:len(s)-1]
		}
		return "a"
	case 3:
		return junk(rnd)
	}
	return pick(rnd, strings1)
}

func junk(rnd *rand.Rand) any {
	switch rnd.IntN(8) {
	case 0:
		return nil
	case 1:
		return rnd.IntN(2) == 0
	case 2:
		return pick(rnd, numbers)
	case 3:
		return []any{pick(rnd, strings1), pick(rnd, strings1)}
	case 4:
		return map[string]any{pick(rnd, names): pick(rnd, strings1)}
	case 5:
		return []any{pick(rnd, numbers), map[string]any{}}
	case 6:
		return map[string]any{}
	}
	return pick(rnd, strings1)
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// place is one value inside a payload that can be replaced.
type place struct {
	get func() any
	set func(any)
}

func collect(out []place, root *any) []place {
	out = append(out, place{func() any { return *root }, func(v any) { *root = v }})
	return below(out, *root)
}

func below(out []place, v any) []place {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, place{func() any { return v[key] }, func(x any) { v[key] = x }})
			out = below(out, v[key])
		}
	case []any:
		for i := range v {
			out = append(out, place{func() any { return v[i] }, func(x any) { v[i] = x }})
			out = below(out, v[i])
		}
	}
	return out
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, kid := range v {
			out[key] = clone(kid)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, kid := range v {
			out[i] = clone(kid)
		}
		return out
	}
	return v
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
