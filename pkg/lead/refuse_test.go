package lead_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func v(pointer, keyword string) aap.Violation {
	return aap.Violation{InstanceLocation: pointer, Keyword: keyword, Error: "is wrong"}
}

func TestRefuseChoosesTheCodeAndListsEveryFault(t *testing.T) {
	base := baseLead
	for _, c := range []struct {
		name    string
		payload document
		faults  []aap.Violation
		want    aap.Code
	}{
		{"no consent", base().without("/consent"),
			[]aap.Violation{v("/consent", "required")}, aap.ContactConsentRequired},
		{"no consent outranks other faults", base().without("/consent").without("/customer/last_name"),
			[]aap.Violation{v("/consent", "required"), v("/customer/last_name", "required")}, aap.ContactConsentRequired},
		{"no consent outranks a crossed condition", base().without("/consent").with("/trade_in/condition", "used"),
			[]aap.Violation{v("/consent", "required"), v("/trade_in/condition", "enum")}, aap.ContactConsentRequired},
		{"consent null", base().with("/consent", nil),
			[]aap.Violation{v("/consent", "type")}, aap.InvalidConsent},
		{"consent a text", base().with("/consent", "yes"),
			[]aap.Violation{v("/consent", "type")}, aap.InvalidConsent},
		{"a second scope", base().with("/consent/scope", []any{"lead_submission", "marketing"}),
			[]aap.Violation{v("/consent/scope", "maxItems"), v("/consent/scope/1", "enum")}, aap.InvalidConsent},
		{"no scope at all", base().with("/consent/scope", []any{}),
			[]aap.Violation{v("/consent/scope", "minItems")}, aap.InvalidConsent},
		{"scope absent", base().without("/consent/scope"),
			[]aap.Violation{v("/consent/scope", "required")}, aap.InvalidConsent},
		{"empty consent text", base().with("/consent/consent_text", ""),
			[]aap.Violation{v("/consent/consent_text", "minLength")}, aap.InvalidConsent},
		{"grant time without offset", base().with("/consent/granted_at", "2026-06-10T11:00:00"),
			[]aap.Violation{v("/consent/granted_at", "format")}, aap.InvalidConsent},
		{"end of the grant ill-typed", base().with("/consent/expires_at", 5),
			[]aap.Violation{v("/consent/expires_at", "type")}, aap.InvalidConsent},
		{"unknown channel", base().with("/consent/allowed_channels", []any{"fax"}),
			[]aap.Violation{v("/consent/allowed_channels/0", "enum")}, aap.InvalidConsent},
		{"a broken grant outranks other faults", base().with("/consent/scope", []any{}).with("/customer/phone", "1"),
			[]aap.Violation{v("/consent/scope", "minItems"), v("/customer/phone", "pattern")}, aap.InvalidConsent},
		{"a broken grant with an extra member", base().with("/consent/scope", []any{}).with("/consent/source_agent", "x"),
			[]aap.Violation{v("/consent/scope", "minItems"), v("/consent/source_agent", "additionalProperties")}, aap.InvalidConsent},
		{"an extra member in consent", base().with("/consent/source_agent", "x"),
			[]aap.Violation{v("/consent/source_agent", "additionalProperties")}, aap.SchemaValidationFailed},
		{"wear word on the wanted vehicle", base().with("/vehicle_of_interest/condition", "good"),
			[]aap.Violation{v("/vehicle_of_interest/condition", "enum")}, aap.InvalidCondition},
		{"sale word on the trade-in", base().with("/trade_in/condition", "cpo"),
			[]aap.Violation{v("/trade_in/condition", "enum")}, aap.InvalidCondition},
		{"both crossed", base().with("/vehicle_of_interest/condition", "poor").with("/trade_in/condition", "new"),
			[]aap.Violation{v("/trade_in/condition", "enum"), v("/vehicle_of_interest/condition", "enum")}, aap.InvalidCondition},
		{"crossed and another fault", base().with("/vehicle_of_interest/condition", "good").with("/customer/phone", "1"),
			[]aap.Violation{v("/customer/phone", "pattern"), v("/vehicle_of_interest/condition", "enum")}, aap.SchemaValidationFailed},
		{"a word of neither vocabulary", base().with("/vehicle_of_interest/condition", "mint"),
			[]aap.Violation{v("/vehicle_of_interest/condition", "enum"), v("/vehicle_of_interest/condition", "enum")}, aap.SchemaValidationFailed},
		{"crossed here, unknown there", base().with("/vehicle_of_interest/condition", "good").with("/trade_in/condition", "mint"),
			[]aap.Violation{v("/trade_in/condition", "enum"), v("/vehicle_of_interest/condition", "enum")}, aap.SchemaValidationFailed},
		{"a crossed condition that is there twice", base().with("/trade_in/condition", "used"),
			[]aap.Violation{v("/trade_in/condition", "duplicateKey"), v("/trade_in/condition", "enum")}, aap.SchemaValidationFailed},
		{"a condition that is no text", base().with("/trade_in/condition", 3),
			[]aap.Violation{v("/trade_in/condition", "type")}, aap.SchemaValidationFailed},
		{"a condition in another place", base().with("/trade_in/other_attributes", map[string]any{"condition": "used"}),
			[]aap.Violation{v("/trade_in/other_attributes/condition", "enum")}, aap.SchemaValidationFailed},
		{"one absent member", base().without("/customer"),
			[]aap.Violation{v("/customer", "required")}, aap.MissingRequiredField},
		{"one absent member below", base().without("/source_agent/name"),
			[]aap.Violation{v("/source_agent/name", "required")}, aap.MissingRequiredField},
		{"two absent members", base().without("/customer").without("/source_agent"),
			[]aap.Violation{v("/customer", "required"), v("/source_agent", "required")}, aap.SchemaValidationFailed},
		{"neither e-mail nor phone", base().without("/customer/email").without("/customer/phone"),
			[]aap.Violation{v("/customer", "anyOf")}, aap.SchemaValidationFailed},
		{"two texts too long", base().with("/message", strings.Repeat("x", 4001)).with("/idempotency_key", strings.Repeat("k", 129)),
			[]aap.Violation{v("/idempotency_key", "maxLength"), v("/message", "maxLength")}, aap.SchemaValidationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := lead.Refuse(c.payload.bytes(), c.faults)
			if e.Code != c.want {
				t.Fatalf("code is %s, want %s", e.Code, c.want)
			}
			if got := violations(t, e); !slices.Equal(got, c.faults) {
				t.Fatalf("details.errors is %v, want %v", got, c.faults)
			}
			if c.want == aap.ContactConsentRequired && (e.Details["missing"] != "consent" || e.Details["expected_scope"] != "lead_submission") {
				t.Fatalf("details are %v", e.Details)
			}
			for _, private := range []string{"Maya", "Ortiz", "maya.ortiz", "3035550142"} {
				if strings.Contains(e.Message, private) {
					t.Fatalf("message shows %q: %s", private, e.Message)
				}
			}
			if !strings.HasSuffix(e.Message, ".") || strings.Contains(e.Message, "/consent") {
				t.Fatalf("message is not a sentence for people: %s", e.Message)
			}
		})
	}
}

func TestRefuseTellsWhatToSend(t *testing.T) {
	for code, want := range map[aap.Code]string{
		aap.ContactConsentRequired: `scope ["lead_submission"]`,
		aap.InvalidCondition:       "new, used or cpo; a trade_in is excellent, good, fair or poor",
		aap.MissingRequiredField:   "customer.last_name is missing",
	} {
		payload, fault := baseLead(), v("/customer/last_name", "required")
		switch code {
		case aap.ContactConsentRequired:
			payload, fault = payload.without("/consent"), v("/consent", "required")
		case aap.InvalidCondition:
			payload, fault = payload.with("/trade_in/condition", "new"), v("/trade_in/condition", "enum")
		}
		e := lead.Refuse(payload.bytes(), []aap.Violation{fault})
		if e.Code != code || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %s; want %q in it", e.Code, e.Message, want)
		}
	}
}

func TestRefuseStaysShortAndQuietOnHostilePayloads(t *testing.T) {
	long := "/" + strings.Repeat("é", 100_000)
	for _, payload := range []string{``, `null`, `[]`, `"x"`, `{"consent":`, `7`} {
		e := lead.Refuse([]byte(payload), []aap.Violation{v("", "type"), v(long, "additionalProperties")})
		if e.Code != aap.SchemaValidationFailed || len(e.Message) > 600 {
			t.Errorf("%q: %s with %d bytes", payload, e.Code, len(e.Message))
		}
	}
	var many []aap.Violation
	for range 1000 {
		many = append(many, v("/a"+strings.Repeat("b", len(many)), "additionalProperties"))
	}
	if e := lead.Refuse(baseLead().bytes(), many); len(e.Message) > 1000 || len(violations(t, e)) != 1000 {
		t.Errorf("message has %d bytes", len(e.Message))
	}
}
