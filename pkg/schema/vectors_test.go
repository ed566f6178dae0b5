package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

const lead = `{"type":"lead.submit.request","customer":{"first_name":"Ina","last_name":"Bo","email":"ina@mail.example"},
	"consent":{"granted_at":"2026-05-01T10:00:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]},
	"source_agent":{"name":"tester"}}`

// leadWith is the valid lead with texts replaced, given in pairs.
func leadWith(t testing.TB, pairs ...string) string {
	t.Helper()
	out := lead
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(out, pairs[i]) {
			t.Fatalf("the lead has no %s", pairs[i])
		}
		out = strings.Replace(out, pairs[i], pairs[i+1], 1)
	}
	return out
}

// leadPlus is the valid lead with further members.
func leadPlus(members string) string { return strings.TrimSuffix(lead, "}") + "," + members + "}" }

func search(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"type":"inventory.search.request"` + members + `}`
}

func filters(members string) string { return search(`"filters":{` + members + `}`) }

// places are the violations as "pointer keyword".
func places(list []aap.Violation) []string {
	out := []string{}
	for _, v := range list {
		out = append(out, v.InstanceLocation+" "+v.Keyword)
	}
	return out
}

const (
	searchFile = "inventory-search-request.schema.json"
	facetsFile = "inventory-facets-request.schema.json"
	detailFile = "vehicle-detail-request.schema.json"
	dealerFile = "dealer-information-request.schema.json"
	leadFile   = "lead-submit-request.schema.json"
	typeFile   = "_primitives/aap-message.schema.json"
)

func TestViolationsStandAtTheFaultyOrMissingMember(t *testing.T) {
	set := newSet(t)
	long := func(n int) string { return `"` + strings.Repeat("w", n) + `"` }
	for _, c := range []struct {
		name, file, payload string
		want                []string
	}{
		{"a search without members is valid", searchFile, search(""), nil},
		{"a lead with the least is valid", leadFile, lead, nil},
		{"a type in the wrong letters", typeFile, `{"type":"Inventory.Search"}`, []string{"/type pattern"}},
		{"a type that is missing", typeFile, `{}`, []string{"/type required"}},
		{"a type of another skill", searchFile, `{"type":"Inventory.Search"}`, []string{"/type const"}},
		{"the whole payload of the wrong type", searchFile, `[]`, []string{" type"}},

		{"year range upside down is valid", searchFile, filters(`"year_min":2025,"year_max":2020`), nil},
		{"dc_fast_charge false is valid", searchFile, filters(`"dc_fast_charge":false`), nil},
		{"vehicle_type car is valid", searchFile, filters(`"vehicle_type":["car"]`), nil},
		{"an empty list is valid", searchFile, filters(`"make":[]`), nil},
		{"three faults at once", searchFile, filters(`"year_min":"2020","condition":["good"],"color":["red"]`),
			[]string{"/filters/color additionalProperties", "/filters/condition/0 enum", "/filters/year_min type"}},
		{"a VIN in small letters", searchFile, filters(`"vin":"1hgcv1f30ka000001"`), []string{"/filters/vin pattern"}},
		{"a VIN with the letter O", searchFile, filters(`"vin":"1HGCV1F3OKA000001"`), []string{"/filters/vin pattern"}},
		{"a price with cents", searchFile, filters(`"price_max":30000.5`), []string{"/filters/price_max type"}},
		{"an integer written with a point", searchFile, filters(`"price_max":30000.0`), nil},
		{"an integer written with an exponent", searchFile, filters(`"price_max":3e4`), nil},
		{"an integer written as a shifted fraction", searchFile, filters(`"year_min":20205e-1,"price_max":1.5e1`), []string{"/filters/year_min type"}},
		{"a negative zero is zero", searchFile, filters(`"price_max":-0.0`), nil},
		{"a bound missed by a hair", searchFile, filters(`"price_min":-0.000000000000000000000000000001`), []string{"/filters/price_min type"}},
		{"a query of 200 characters is valid", searchFile, filters(`"query":` + long(200)), nil},
		{"a query of 201 characters", searchFile, filters(`"query":` + long(201)), []string{"/filters/query maxLength"}},
		{"characters are counted, not bytes", searchFile, filters(`"query":"` + strings.Repeat("é", 200) + `"`), nil},
		{"a sort field of older contracts", searchFile, search(`"sort":{"field":"offered_price","order":"asc"}`), []string{"/sort/field enum"}},
		{"half a sort", searchFile, search(`"sort":{"field":"price"}`), []string{"/sort/order required"}},
		{"a limit of 500 is valid", searchFile, search(`"pagination":{"limit":500}`), nil},
		{"a limit over the maximum", searchFile, search(`"pagination":{"limit":1001}`), []string{"/pagination/limit maximum"}},
		{"a limit of zero", searchFile, search(`"pagination":{"limit":0}`), []string{"/pagination/limit minimum"}},
		{"a negative skip", searchFile, search(`"pagination":{"skip":-1}`), []string{"/pagination/skip minimum"}},
		{"null for a filter block", searchFile, search(`"filters":null`), []string{"/filters type"}},
		{"a pointer is escaped", searchFile, filters(`"a/b~c":1`), []string{"/filters/a~1b~0c additionalProperties"}},
		{"a member without a name", searchFile, filters(`"":1`), []string{"/filters/ additionalProperties"}},
		{"an unknown member that looks like a number", searchFile, search(`"0":1`), []string{"/0 additionalProperties"}},
		{"each unknown member is one violation", searchFile, search(`"b":1,"a":2`),
			[]string{"/a additionalProperties", "/b additionalProperties"}},

		{"facets have no pages", facetsFile, `{"type":"inventory.facets.request","pagination":{}}`, []string{"/pagination additionalProperties"}},
		{"filters of facets are those of the search", facetsFile, `{"type":"inventory.facets.request","filters":{"zip":"1"}}`,
			[]string{"/filters/zip additionalProperties"}},
		{"dealer.information has no members", dealerFile, `{"type":"dealer.information.request","x":1}`, []string{"/x additionalProperties"}},
		{"one of three identifiers", detailFile, `{"type":"inventory.vehicle.request"}`,
			[]string{"/stock anyOf", "/vehicle_id anyOf", "/vin anyOf"}},
		{"two identifiers are valid", detailFile, `{"type":"inventory.vehicle.request","stock":"7","vehicle_id":"k"}`, nil},
		{"an identifier of the wrong type is there", detailFile, `{"type":"inventory.vehicle.request","stock":7}`, []string{"/stock type"}},

		{"no last name", leadFile, leadWith(t, `,"last_name":"Bo"`, ``), []string{"/customer/last_name required"}},
		{"no consent and no last name", leadFile, leadWith(t, `"consent"`, `"Xconsent"`, `,"last_name":"Bo"`, ``),
			[]string{"/Xconsent additionalProperties", "/consent required", "/customer/last_name required"}},
		{"no way to reach the buyer", leadFile, leadWith(t, `,"email":"ina@mail.example"`, ``), []string{"/customer/email anyOf", "/customer/phone anyOf"}},
		{"a telephone number as it is spoken", leadFile, leadWith(t, `"email":"ina@mail.example"`, `"phone":"415-555-0123"`),
			[]string{"/customer/phone pattern"}},
		{"no e-mail address", leadFile, leadWith(t, `ina@mail.example`, `ina at mail`), []string{"/customer/email format"}},
		{"a scope too many", leadFile, leadWith(t, `"lead_submission"`, `"lead_submission","marketing"`),
			[]string{"/consent/scope maxItems", "/consent/scope/1 enum"}},
		{"an empty scope", leadFile, leadWith(t, `"lead_submission"`, ``), []string{"/consent/scope minItems"}},
		{"a channel twice", leadFile, leadWith(t, `["email"]`, `["email","email"]`), []string{"/consent/allowed_channels uniqueItems"}},
		{"a consent without text", leadFile, leadWith(t, `I agree.`, ``), []string{"/consent/consent_text minLength"}},
		{"the agent inside the consent", leadFile, leadWith(t, `"scope"`, `"source_agent":"x","scope"`), []string{"/consent/source_agent additionalProperties"}},
		{"the agent as a string", leadFile, leadWith(t, `{"name":"tester"}`, `"tester"`), []string{"/source_agent type"}},
		{"a wanted vehicle rated by wear", leadFile, leadPlus(`"vehicle_of_interest":{"condition":"good"}`), []string{"/vehicle_of_interest/condition enum"}},
		{"a trade-in described as on sale", leadFile, leadPlus(`"trade_in":{"condition":"used"}`), []string{"/trade_in/condition enum"}},
		{"a condition nobody knows is one violation", leadFile, leadPlus(`"trade_in":{"condition":"mint"}`), []string{"/trade_in/condition enum"}},
		{"both conditions crossed", leadFile, leadPlus(`"trade_in":{"condition":"new"},"vehicle_of_interest":{"condition":"poor"}`),
			[]string{"/trade_in/condition enum", "/vehicle_of_interest/condition enum"}},
		{"a wanted vehicle that is sold", leadFile, leadPlus(`"vehicle_of_interest":{"status":"sold"}`), []string{"/vehicle_of_interest/status enum"}},
		{"members of the sender's own on a vehicle", leadFile, leadPlus(`"vehicle_of_interest":{"foo":{"bar":[1]}}`), nil},
		{"only a model is a vehicle", leadFile, leadPlus(`"vehicle_of_interest":{"model":"Rio"}`), nil},
		{"a time without offset", leadFile, leadPlus(`"appointment":{"appointment_type":"sales","appointment_at":"2026-05-03T18:00:00"}`),
			[]string{"/appointment/appointment_at format"}},
		{"an appointment of older contracts", leadFile, leadPlus(`"appointment":{"appointment_type":"handover"}`), []string{"/appointment/appointment_type enum"}},
		{"a visit without a time is valid", leadFile, leadPlus(`"appointment":{"appointment_type":"sales"}`), nil},
		{"two texts that are too long", leadFile, leadPlus(`"message":` + long(4001) + `,"idempotency_key":` + long(129)),
			[]string{"/idempotency_key maxLength", "/message maxLength"}},
		{"other attributes are flat", leadFile, leadPlus(`"trade_in":{"other_attributes":{"a":{},"b":[1,"x"],"c":["x"],"d":[1]}}`),
			[]string{"/trade_in/other_attributes/a anyOf", "/trade_in/other_attributes/b anyOf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := set.Check(c.file, []byte(c.payload))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, places(found)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, v := range found {
				if !strings.HasSuffix(v.Error, ".") && !strings.HasSuffix(v.Error, "?") || len(v.Error) < 12 {
					t.Errorf("%s %s is told as %q", v.InstanceLocation, v.Keyword, v.Error)
				}
			}
		})
	}
}

func TestInnerFaultsOfTheOnlyFittingAlternativeAreTold(t *testing.T) {
	payload := `{"name":"D","rooftops":[{"name":"W","schedules":[{"value":{
		"monday":{"open":"9:00"},"tuesday":null,"wednesday":"shut","Friday":null}}]}]}`
	found, err := newSet(t).Check("dealer-information.schema.json", []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	const at = "/rooftops/0/schedules/0/value/"
	want := []string{at + "Friday caseMismatch", at + "monday/close required", at + "monday/open pattern", at + "wednesday oneOf"}
	if diff := cmp.Diff(want, places(found)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSentencesSayWhatToSendInstead(t *testing.T) {
	set := newSet(t)
	for _, c := range []struct{ name, file, payload, at, want string }{
		{"the VIN in capitals", searchFile, filters(`"vin":" 1hgcv1f30ka000001"`), "/filters/vin", "Write the VIN in capitals and without blanks: 1HGCV1F30KA000001."},
		{"the values of an enum", searchFile, filters(`"condition":["good"]`), "/filters/condition/0", "Send one of: new, used, cpo."},
		{"the value that was meant", searchFile, filters(`"condition":["New"]`), "/filters/condition/0", `Send one of: new, used, cpo. Write it exactly as "new".`},
		{"the narrower of two enums", leadFile, leadPlus(`"trade_in":{"condition":"mint"}`), "/trade_in/condition", "Send one of: excellent, good, fair, poor."},
		{"both bounds", searchFile, filters(`"year_min":1850`), "/filters/year_min", "Send a number from 1900 to 2100."},
		{"a number in quotation marks", searchFile, filters(`"year_min":"2020"`), "/filters/year_min", "Send a whole number from 1900 to 2100 without quotation marks, not a string."},
		{"a fraction", searchFile, filters(`"price_max":30000.5`), "/filters/price_max", "Send a whole number of 0 or more, not a number with a fraction."},
		{"a list for a single value", searchFile, filters(`"make":"Kia"`), "/filters/make", "Send an array, even for a single value; this is a string."},
		{"null", searchFile, search(`"filters":null`), "/filters", "Send an object, or leave the member out; null is not accepted."},
		{"a name that is close", searchFile, filters(`"color":[]`), "/filters/color", "This member is not part of the contract; leave it out. Did you mean exterior_color or interior_color?"},
		{"a slip of the pen", searchFile, filters(`"modle":[]`), "/filters/modle", "This member is not part of the contract; leave it out. Did you mean model?"},
		{"the names there are", searchFile, search(`"where":1`), "/where", "This member is not part of the contract; leave it out. Known here: filters, pagination, privacy, sort, type."},
		{"the right case", searchFile, search(`"Filters":{}`), "/Filters", "Member names are case-sensitive; write this one as filters."},
		{"what is missing", leadFile, leadWith(t, `,"last_name":"Bo"`, ``), "/customer/last_name", "This member is required; send a string. Surname."},
		{"the alternatives", leadFile, leadWith(t, `,"email":"ina@mail.example"`, ``), "/customer/phone", "Send at least one of email and phone; none is there."},
		{"three alternatives", detailFile, `{"type":"inventory.vehicle.request"}`, "/vin", "Send at least one of vin, stock and vehicle_id; none is there."},
		{"exactly one", leadFile, leadWith(t, `"lead_submission"`, ``), "/consent/scope", "List exactly 1."},
		{"the length", searchFile, filters(`"query":"` + strings.Repeat("q", 201) + `"`), "/filters/query", "Send at most 200 characters; there are 201."},
		{"the type", searchFile, `{"type":"x.y"}`, "/type", `Send "inventory.search.request".`},
		{"types in an open map", leadFile, leadPlus(`"trade_in":{"other_attributes":{"a":null}}`), "/trade_in/other_attributes/a",
			"Send a string or a number or true or false or an array of strings or an array of numbers."},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := set.Check(c.file, []byte(c.payload))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found, func(v aap.Violation) bool { return v.InstanceLocation == c.at })
			if at < 0 {
				t.Fatalf("nothing at %s: %v", c.at, found)
			}
			if found[at].Error != c.want {
				t.Errorf("got  %s\nwant %s", found[at].Error, c.want)
			}
		})
	}
}

func TestNoSentenceRepeatsWhatTheBuyerWrote(t *testing.T) {
	set := newSet(t)
	// Every text is wrong somewhere and holds the mark.
	const mark = "Zebrafinch"
	parts := []string{"first_name", "last_name", "email", "phone", "preferred_contact", "address"}
	for i := range 6 {
		members := make([]string, 0, len(parts))
		for j, p := range parts {
			v := fmt.Sprintf(`"%s %d"`, mark, j)
			if i == j {
				v = `["` + mark + `"]`
			}
			members = append(members, `"`+p+`":`+v)
		}
		payload := `{"type":"` + mark + `","customer":{` + strings.Join(members, ",") + `},
			"consent":{"granted_at":"` + mark + `","allowed_channels":["` + mark + `"],"consent_text":{"` + "text" + `":"` + mark + `"},
			"scope":"` + mark + `","expires_at":"` + mark + `"},"source_agent":"` + mark + `","message":["` + mark + `"],
			"submitted_at":"` + mark + `","idempotency_key":"` + strings.Repeat(mark, 20) + `",
			"trade_in":{"vin":"` + mark + `","condition":"` + mark + `","vdp_url":"` + mark + `","status":"` + mark + `"},
			"appointment":{"appointment_type":"` + mark + `","appointment_at":"` + mark + `","notes":["` + mark + `"]}}`
		found, err := set.Check(leadFile, []byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) < 15 {
			t.Fatalf("only %d faults", len(found))
		}
		for _, v := range found {
			if strings.Contains(strings.ToLower(v.Error+v.InstanceLocation), strings.ToLower(mark)) {
				t.Errorf("%s %s repeats the payload: %s", v.InstanceLocation, v.Keyword, v.Error)
			}
		}
	}
}

func TestTheSamePayloadGetsTheSameAnswerEveryTime(t *testing.T) {
	payload := []byte(`{"type":"x","Type":1,"customer":{"a":1,"b":2,"c":3,"phone":"1","Email":"x"},"consent":{"scope":["q","w","e"]},"zz":1,
		"trade_in":{"condition":"mint","VIN":"x","fees":[{"name":"","amount":-1},{"name":"","amount":-1}]},"appointment":null}`)
	var first []aap.Violation
	for i := range 200 {
		found, err := newSet(t).Check(leadFile, payload)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = found
			if len(first) < 20 {
				t.Fatalf("only %d faults: %v", len(first), places(first))
			}
		}
		if diff := cmp.Diff(first, found); diff != "" {
			t.Fatalf("run %d differs:\n%s", i, diff)
		}
	}
	sorted := slices.IsSortedFunc(first, func(a, b aap.Violation) int {
		return strings.Compare(a.InstanceLocation+"\x00"+a.Keyword, b.InstanceLocation+"\x00"+b.Keyword)
	})
	if !sorted {
		t.Errorf("not sorted: %v", places(first))
	}
}
