package schema_test

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// TestVersionsDifferWhereTheirReleasesDo says for each payload which versions
// take it, and what the others find.
func TestVersionsDifferWhereTheirReleasesDo(t *testing.T) {
	const (
		offer    = "vehicle-detail-response.schema.json"
		profile  = "dealer-information.schema.json"
		answer   = "lead-submit-response.schema.json"
		person   = "customer.schema.json"
		consent  = `"granted_at":"2026-05-01T10:00:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]`
		customer = `"customer":{"first_name":"Ina","last_name":"Bo","email":"ina@mail.example"}`
	)
	listing := func(members string) string { return `{"type":"inventory.vehicle.response","data":{` + members + `}}` }
	leadOf := func(consent, agent string) string {
		return `{"type":"lead.submit.request",` + customer + `,"consent":{` + consent + `},"source_agent":` + agent + `}`
	}
	failure := func(code string) string {
		return `{"type":"aap.error","error_id":"e","code":"` + code + `","message":"m","retryable":false,"created_at":"2026-01-01T00:00:00Z"}`
	}
	all := schemas.Labels()
	for _, c := range []struct {
		name, file, payload string
		takers              []string // the versions it is valid in
		found               []string // in all others, where that is the same
	}{
		{"a price as amount and currency", offer, listing(`"status":"available","price":{"amount":31999.5,"currency":"USD"}`),
			all[:1], []string{"/data/price type"}},
		{"a price as a number", offer, listing(`"status":"available","price":31999`), all[1:], []string{"/data/price type"}},
		{"a price with cents", offer, listing(`"status":"available","price":31999.5`), nil, []string{"/data/price type"}},
		{"an unusual currency", offer, listing(`"price":{"amount":1,"currency":"usd"}`), nil, nil},
		{"a price filter with cents", searchFile, filters(`"price_max":30000.5`), all[:1], []string{"/filters/price_max type"}},
		{"a status in free words", offer, listing(`"status":"In Stock"`), all[:1], []string{"/data/status enum"}},
		{"a listing without status", offer, listing(`"vin":"KNADE123456789012"`), all[:1], []string{"/data/status required"}},
		{"a listing rated by wear", offer, listing(`"status":"available","condition":"good"`), nil, []string{"/data/condition enum"}},
		{"freshness by its first name", searchFile, search(`"sort":{"field":"last_verified_at","order":"asc"}`), all[:1], []string{"/sort/field enum"}},
		{"freshness by its later name", searchFile, search(`"sort":{"field":"updated_at","order":"asc"}`), all[1:], []string{"/sort/field enum"}},
		{"rooftops in a filter", searchFile, filters(`"rooftops":["West"]`), all[1:], []string{"/filters/rooftops additionalProperties"}},
		{"rooftops in facets", "facets.schema.json", `{"rooftops":[]}`, all[1:], []string{"/rooftops additionalProperties"}},
		{"kinds of vehicle in facets", "facets.schema.json", `{"vehicle_types":[],"displacement_cc_range":{"min":1,"max":2}}`,
			[]string{"v1.2", "v1.3"}, []string{"/displacement_cc_range additionalProperties", "/vehicle_types additionalProperties"}},
		{"kinds of vehicle in a filter", searchFile, filters(`"vehicle_type":["rv"],"charge_port":["nacs"]`),
			[]string{"v1.2", "v1.3"}, []string{"/filters/charge_port additionalProperties", "/filters/vehicle_type additionalProperties"}},
		{"a kind nobody knows, which older vehicles leave open", leadFile,
			leadOf(consent+`,"source_agent":"a"`, `"a","trade_in":{"vehicle_type":"boat"}`), []string{"v0.1", "v0.2", "v1.0"}, nil},
		{"regional prices in sorting", searchFile, search(`"sort":{"field":"offered_price","order":"asc"}`),
			[]string{"v0.1", "v0.2", "v1.0"}, []string{"/sort/field enum"}},
		{"the buyer's ZIP code with a vehicle", detailFile, `{"type":"inventory.vehicle.request","stock":"1","zip":"76701"}`,
			[]string{"v0.1", "v0.2", "v1.0"}, []string{"/zip additionalProperties"}},
		{"the agent as a name", leadFile, leadOf(consent+`,"source_agent":"a"`, `"a"`),
			[]string{"v0.1", "v0.2", "v1.0"}, []string{"/consent/source_agent additionalProperties", "/source_agent type"}},
		{"the agent as an object", leadFile, leadOf(consent, `{"name":"a"}`),
			[]string{"v1.1", "v1.2", "v1.3"}, []string{"/consent/source_agent required", "/source_agent type"}},
		{"a dealer with rooftops", profile, `{"name":"D","rooftops":[{"name":"West"}]}`, all[1:], nil},
		{"a dealer without rooftops", profile, `{"dealer_id":"d","legal_name":"L","trade_name":"T","brands":[],"address":{}}`, all[:1], nil},
		{"fees of a rooftop", profile, `{"name":"D","rooftops":[{"name":"West","fees":[{"name":"Doc","amount":99}]}]}`, []string{"v1.3"}, nil},
		{"fees of a vehicle, which older vehicles leave open", offer, listing(`"status":"pending","fees":[{"name":" ","amount":0}]`),
			[]string{"v0.1", "v0.2", "v1.0", "v1.1", "v1.2"}, []string{"/data/fees/0/name pattern"}},
		{"a country", person, `{"first_name":"I","last_name":"B","email":"a@b.example","address":{"country":"CA","zip":"K1A 0B1"}}`,
			all[1:], []string{"/address/country additionalProperties", "/address/zip pattern"}},
		{"windows of an appointment", "appointment.schema.json", `{"appointment_type":"test_drive","requested_windows":[{"start":"2026-05-03T18:00:00Z"}]}`,
			all[:1], []string{"/requested_windows additionalProperties"}},
		{"the start of an appointment", "appointment.schema.json", `{"appointment_type":"test_drive","appointment_at":"2026-05-03T18:00:00Z"}`,
			all[1:], []string{"/appointment_at additionalProperties"}},
		{"a service visit", "appointment.schema.json", `{"appointment_type":"service"}`, all[1:], []string{"/appointment_type enum"}},
		{"a handover", "appointment.schema.json", `{"appointment_type":"handover"}`, all[:1], []string{"/appointment_type enum"}},
		{"no windows at all", "appointment.schema.json", `{"appointment_type":"test_drive","requested_windows":[]}`, nil, nil},
		{"a confirmed time", answer, `{"type":"lead.submit.response","data":{"lead_id":"l","status":"received","appointment":
			{"appointment_id":"a","status":"confirmed","confirmed_at":"2026-05-03T18:00:00Z"}}}`, all[1:], []string{"/data/appointment/confirmed_at additionalProperties"}},
		{"a confirmed window", answer, `{"type":"lead.submit.response","data":{"lead_id":"l","status":"received","appointment":
			{"appointment_id":"a","status":"confirmed","confirmed_window":{"start":"2026-05-03T18:00:00Z"}}}}`,
			all[:1], []string{"/data/appointment/confirmed_window additionalProperties"}},
		{"the code of a missing token", "error.schema.json", failure("AUTH_REQUIRED"), all[:1], []string{"/code enum"}},
		{"the code of a used key", "error.schema.json", failure("IDEMPOTENCY_CONFLICT"), all, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, label := range all {
				found, err := setOf(t, label).Check(c.file, []byte(c.payload))
				if err != nil {
					t.Fatal(err)
				}
				takes := slices.Contains(c.takers, label)
				if takes != (len(found) == 0) {
					t.Errorf("%s: valid %t: %v", label, !takes, found)
				}
				if !takes && c.found != nil {
					if diff := cmp.Diff(c.found, places(found)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", label, diff)
					}
				}
			}
		})
	}
}

func TestSentencesAboutWhatOnlyOlderVersionsHave(t *testing.T) {
	const offer = "vehicle-detail-response.schema.json"
	listing := func(members string) string {
		return `{"type":"inventory.vehicle.response","data":{"status":"pending",` + members + `}}`
	}
	for _, c := range []struct{ name, label, file, payload, want string }{
		{"a price without currency", "v0.1", offer, listing(`"price":31999`), "Send an object, not a number."},
		{"a currency in small letters", "v0.1", offer, listing(`"price":{"amount":1,"currency":"usd"}`),
			"This does not have the right form. Currency code of ISO 4217: three capital letters, USD for US dollars."},
		{"an amount as text", "v0.1", offer, listing(`"price":{"amount":"1","currency":"USD"}`), "Send a number without quotation marks, not a string."},
		{"half a price", "v0.1", offer, listing(`"price":{"amount":1}`),
			"This member is required; send a string. Currency code of ISO 4217: three capital letters, USD for US dollars."},
		{"a price as an object", "v0.2", offer, listing(`"price":{"amount":1,"currency":"USD"}`), "Send a whole number of 0 or more, not an object."},
		{"a ZIP code that is short", "v1.0", offer, listing(`"zip":"7670"`),
			"This does not have the right form. The buyer's ZIP code the regional price belongs to: five digits or ZIP+4."},
		{"a window without a begin", "v0.1", "appointment.schema.json", `{"appointment_type":"handover","requested_windows":[{}]}`,
			"This member is required; send a string. Begin of the span: RFC 3339 with Z or a numeric offset."},
		{"a day with half its hours", "v0.1", "dealer-information.schema.json",
			`{"dealer_id":"d","legal_name":"L","trade_name":"T","brands":[],"address":{},"schedule":{"monday":{"open":"09:00"}}}`,
			"This member is required; send a string."},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := setOf(t, c.label).Check(c.file, []byte(c.payload))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Error != c.want {
				t.Errorf("got %v\nwant %s", found, c.want)
			}
		})
	}
}

func TestFilesOfSomeVersionsAreUnknownInOthers(t *testing.T) {
	for file, owners := range map[string][]string{
		"contract-manifest.schema.json":         {"v0.1"},
		"vehicle-detail.schema.json":            {"v0.1"},
		"_primitives/money.schema.json":         {"v0.1"},
		"_primitives/contact-point.schema.json": {"v0.1"},
		"agent-card.schema.json":                {"v0.1", "v1.0", "v1.1", "v1.2", "v1.3"},
		"_primitives/dealer-fee.schema.json":    {"v1.3"},
	} {
		for _, label := range schemas.Labels() {
			err := setOf(t, label).Compile(file)
			if has := slices.Contains(owners, label); has && err != nil || !has && !errors.Is(err, schema.ErrUnknown) {
				t.Errorf("%s in %s: %v", file, label, err)
			}
		}
	}
}

func TestReleasedOpensEveryVersionOnceAndNoOther(t *testing.T) {
	open := schema.Released()
	for _, label := range schemas.Labels() {
		sets := make([]*schema.Set, 8)
		var wg sync.WaitGroup
		for i := range sets {
			wg.Go(func() {
				set, err := open(version(label))
				if err != nil {
					t.Error(err)
					return
				}
				sets[i] = set
			})
		}
		wg.Wait()
		for _, set := range sets {
			if set == nil || set != sets[0] || set.Version().Label != label {
				t.Fatalf("%s is opened as %v", label, sets)
			}
		}
		if found, err := sets[0].Check(searchFile, []byte(search(""))); err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", label, found, err)
		}
	}
	for _, label := range []string{"", ".", "v2.0", "v1.30", "V1.3", "1.3", "v1.3/_primitives", "latest"} {
		if set, err := open(version(label)); !errors.Is(err, fs.ErrNotExist) || set != nil {
			t.Errorf("%q: %v %v", label, set, err)
		}
	}
}
