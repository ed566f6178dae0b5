package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// leadPayload is a lead that nobody can take for a buyer's: names and message
// say that it is a test, and address and number are reserved for examples
// (RFC 2606, NANP 555-01XX). edit changes it before it is written.
func (x *examination) leadPayload(key string, edit func(lead map[string]any)) string {
	lead := map[string]any{
		"type":     aap.LeadSubmit.RequestType(),
		"customer": map[string]any{"first_name": "TEST", "last_name": "Please ignore", "email": "test.lead@example.com", "phone": "+12025550142"},
		"consent": map[string]any{
			"granted_at": x.Now().UTC().Add(-time.Minute).Format(time.RFC3339), "allowed_channels": []string{"email"},
			"consent_text": "This is a test of the dealer's agent, not the consent of a buyer.", "scope": []string{"lead_submission"},
		},
		"source_agent":    map[string]any{"name": sourceName},
		"message":         "TEST LEAD of dealer doctor: please ignore and delete.",
		"idempotency_key": key,
	}
	edit(lead)
	raw, err := json.Marshal(lead)
	if err != nil { // it is made of strings
		return "{}"
	}
	return string(raw)
}

const sourceName = "dealer doctor"

// spelling finds how the contract spells the agent of a lead: as an object, or
// up to AAP v1.0 as a string that stands in the consent too. Its schema tells.
func (x *examination) spelling(c *contract) func(map[string]any) {
	asText := func(lead map[string]any) {
		lead["source_agent"] = sourceName
		if consent, ok := lead["consent"].(map[string]any); ok {
			consent["source_agent"] = sourceName
		}
	}
	faults, err := c.set.Check(aap.LeadSubmit.RequestSchema(), []byte(x.leadPayload("k", asText)))
	if err == nil && len(faults) == 0 {
		return asText
	}
	return func(map[string]any) {}
}

// consent tries the gate. The request lacks consent and has a member that no
// contract knows, so that an agent with no gate refuses it all the same and
// nothing is written anywhere. Only SendTestLead sends one that consent alone
// keeps out.
func (x *examination) consent(ctx context.Context, c *contract) {
	if !c.offers(aap.LeadSubmit) {
		return
	}
	spell := x.spelling(c)
	_, err := x.call(ctx, c, aap.LeadSubmit, x.leadPayload(x.NewID(), func(lead map[string]any) {
		spell(lead)
		delete(lead, "consent")
		if !x.SendTestLead {
			lead["examination"] = true
		}
	}))
	of := c.of(aap.LeadSubmit)
	switch {
	case err == nil:
		x.fail("consent.gate", of, "a lead without consent was taken")
	case errors.Is(err, errLimited):
		x.skip("consent.gate", of, "%v", err)
	case untyped(err):
		x.skip("consent.gate", of, "refused without an aap.error: %v", err)
	case codeOf(err) == aap.ContactConsentRequired:
		x.pass("consent.gate", of, "CONTACT_CONSENT_REQUIRED")
	case codeOf(err) == "":
		x.fail("consent.gate", of, "%v", err)
	case !x.SendTestLead && validation(codeOf(err)):
		x.warn("consent.gate", of, "the request was refused for another fault of it (%s); --send-test-lead tells whether the lack of consent suffices", codeOf(err))
	default:
		x.fail("consent.gate", of, "%v", err)
	}
}

func validation(code aap.Code) bool {
	return code == aap.SchemaValidationFailed || code == aap.MissingRequiredField || code == aap.InvalidConsent
}

// lead submits the test lead under the newest contract, again, and changed.
func (x *examination) lead(ctx context.Context, c *contract) {
	if !x.SendTestLead || c != x.contracts[0] || !c.offers(aap.LeadSubmit) {
		return
	}
	key, spell := "doctor-"+x.NewID(), x.spelling(c)
	payload, of := x.leadPayload(key, spell), c.of(aap.LeadSubmit)
	first, err := x.call(ctx, c, aap.LeadSubmit, payload)
	if errors.Is(err, errLimited) {
		x.skip("lead.test", of, "%v", err)
		return
	}
	if err != nil {
		x.fail("lead.test", of, "%v", err)
		return
	}
	if !x.valid("skill.schema", c, aap.LeadSubmit, first) {
		return
	}
	taken := leadOf(first)
	if taken.Status != aap.LeadReceived && taken.Status != aap.LeadDuplicate {
		x.fail("lead.test", of, "its status is %s", quoted(taken.Status))
		return
	}
	x.pass("lead.test", of, "%s as %s", taken.Status, quoted(taken.LeadID))
	again, err := x.call(ctx, c, aap.LeadSubmit, payload)
	switch {
	case errors.Is(err, errLimited):
		x.skip("lead.repeat", of, "%v", err)
	case err != nil:
		x.fail("lead.repeat", of, "%v", err)
	case leadOf(again).LeadID != taken.LeadID:
		x.fail("lead.repeat", of, "it became another lead, %s", quoted(leadOf(again).LeadID))
	default:
		x.pass("lead.repeat", of, "the same lead_id")
	}
	_, err = x.call(ctx, c, aap.LeadSubmit, x.leadPayload(key, func(lead map[string]any) {
		spell(lead)
		lead["message"] = "TEST LEAD of dealer doctor, changed: please ignore and delete."
	}))
	switch {
	case errors.Is(err, errLimited):
		x.skip("lead.conflict", of, "%v", err)
	case codeOf(err) == aap.IdempotencyConflict:
		x.pass("lead.conflict", of, "IDEMPOTENCY_CONFLICT")
	case err == nil:
		x.fail("lead.conflict", of, "it was taken")
	default:
		x.fail("lead.conflict", of, "%v", err)
	}
}

func leadOf(answer []byte) aap.LeadResult {
	var r struct {
		Data aap.LeadResult `json:"data"`
	}
	_ = json.Unmarshal(answer, &r) // it fits its schema
	return r.Data
}
