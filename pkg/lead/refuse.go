package lead

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Refuse chooses the error for a lead that broke the schema; faults are all
// its violations, at least one, and the error lists them all whichever code
// wins (AAP v1.3 errors, behavior-rules). In this order: no consent is
// CONTACT_CONSENT_REQUIRED; a fault of the grant's own members is
// INVALID_CONSENT; nothing but a condition word of the other vocabulary is
// INVALID_CONDITION; nothing but one absent member is MISSING_REQUIRED_FIELD;
// the rest is SCHEMA_VALIDATION_FAILED.
func Refuse(payload []byte, faults []aap.Violation) *aap.Error {
	var top map[string]json.RawMessage
	isObject := json.Unmarshal(payload, &top) == nil && top != nil
	_, hasConsent := top["consent"]
	switch {
	case isObject && !hasConsent:
		return aap.Errorf(aap.ContactConsentRequired,
			`A lead needs the buyer's consent. Ask for it and send "consent" with granted_at, allowed_channels, consent_text and scope ["%s"].%s`,
			scope, others(faults, "/consent")).
			With("missing", "consent").With("expected_scope", scope).With("errors", faults)
	case slices.ContainsFunc(faults, ofGrant):
		return aap.Errorf(aap.InvalidConsent,
			`The consent cannot be used; see details.errors: %s. Send granted_at, allowed_channels and consent_text as the buyer gave them, and scope exactly ["%s"].`,
			places(slices.DeleteFunc(slices.Clone(faults), func(f aap.Violation) bool { return !ofGrant(f) })), scope).
			With("errors", faults)
	case !slices.ContainsFunc(faults, func(f aap.Violation) bool { return !crossed(top, f) }):
		return aap.Errorf(aap.InvalidCondition,
			"The condition is of the wrong vocabulary: %s. A vehicle_of_interest is %s; a trade_in is %s.",
			places(faults), choice(saleConditions), choice(tradeConditions)).
			With("errors", faults)
	case len(faults) == 1 && faults[0].Keyword == "required":
		return aap.Errorf(aap.MissingRequiredField, "%s is missing. Add it and send the lead again.", places(faults)).
			With("errors", faults)
	}
	return aap.Errorf(aap.SchemaValidationFailed,
		"The lead does not fit the schema. Mend what details.errors lists and send it again: %s.", places(faults)).
		With("errors", faults)
}

// The two condition vocabularies (AAP v1.3 behavior-rules).
var (
	saleConditions  = []string{"new", "used", "cpo"}
	tradeConditions = []string{"excellent", "good", "fair", "poor"}
)

// grantMembers are what a consent grant consists of. A fault elsewhere below
// /consent is about a member that does not belong there.
var grantMembers = []string{"granted_at", "allowed_channels", "consent_text", "scope", "expires_at"}

func ofGrant(f aap.Violation) bool {
	if f.InstanceLocation == "/consent" {
		return true
	}
	rest, below := strings.CutPrefix(f.InstanceLocation, "/consent/")
	member, _, _ := strings.Cut(rest, "/")
	if member == "source_agent" { // the grant's own up to AAP v1.0, where it must be a name
		return below && slices.Contains([]string{"required", "type", "minLength"}, f.Keyword)
	}
	return below && slices.Contains(grantMembers, member)
}

// crossed reports whether the fault is a condition that the other vehicle of
// the lead could have.
func crossed(top map[string]json.RawMessage, f aap.Violation) bool {
	member, rest, _ := strings.Cut(strings.TrimPrefix(f.InstanceLocation, "/"), "/")
	if f.Keyword != "enum" || rest != "condition" {
		return false
	}
	var other []string
	switch member {
	case "vehicle_of_interest":
		other = tradeConditions
	case "trade_in":
		other = saleConditions
	}
	var vehicle struct {
		Condition string `json:"condition"`
	}
	return json.Unmarshal(top[member], &vehicle) == nil && slices.Contains(other, vehicle.Condition)
}

// others points at the faults beside the one a message is about.
func others(faults []aap.Violation, but string) string {
	rest := slices.DeleteFunc(slices.Clone(faults), func(f aap.Violation) bool { return f.InstanceLocation == but })
	if len(rest) == 0 {
		return ""
	}
	return " Mend these too: " + places(rest) + "."
}

// places names where faults are, a few of them; details.errors has them all.
func places(faults []aap.Violation) string {
	const few, long = 5, 80
	var names []string
	for _, f := range faults {
		name := dotted(f.InstanceLocation)
		if name == "" {
			name = "the payload"
		}
		if len(name) > long {
			name = strings.ToValidUTF8(name[:long], "") + "…"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if extra := len(names) - few; extra > 0 {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", extra)
	}
	return strings.Join(names, ", ")
}

func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
