package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// SkillOf names the skill a payload asks for, offered or not; false when its
// "type" is not a request of AAP.
func SkillOf(payload []byte) (aap.Skill, bool) {
	typ, fault := typeOf(payload)
	if fault != nil {
		return aap.Skill{}, false
	}
	id, ok := strings.CutSuffix(typ, ".request")
	if !ok {
		return aap.Skill{}, false
	}
	return aap.SkillByID(id)
}

// RequestTypes lists the payload types the profile's agent answers, in table order.
func RequestTypes(p *dealer.Profile) []string {
	var types []string
	for _, s := range aap.Skills() {
		if p.Offers(s) {
			types = append(types, s.RequestType())
		}
	}
	return types
}

// row finds the offered skill of a payload. A "type" that cannot be one is a
// schema fault; a well-formed one nobody answers is an unsupported skill
// (AAP v1.3 errors).
func (a *Agent) row(p *dealer.Profile, v aap.Version, payload []byte) (*Row, error) {
	typ, fault := typeOf(payload)
	if fault != nil {
		return nil, refuseType(p, v, *fault)
	}
	if id, ok := strings.CutSuffix(typ, ".request"); ok {
		for i := range a.rows {
			if a.rows[i].ID == id && p.Offers(a.rows[i].Skill) {
				return &a.rows[i], nil
			}
		}
	}
	types := RequestTypes(p)
	return nil, aap.Errorf(aap.UnsupportedSkill,
		"This dealer agent does not answer %q. Send one of: %s.", shorten(typ), strings.Join(types, ", ")).
		With("request_types", types).
		With("schema_base_url", v.SchemaBaseURL())
}

func refuseType(p *dealer.Profile, v aap.Version, fault aap.Violation) *aap.Error {
	types := RequestTypes(p)
	where := "The payload"
	if fault.InstanceLocation != "" {
		where = `The payload's "type"`
	}
	return aap.Errorf(aap.SchemaValidationFailed, "%s is faulty. %s Types this agent answers: %s.", where, fault.Error, strings.Join(types, ", ")).
		With("errors", []aap.Violation{fault}).
		With("request_types", types).
		With("schema_base_url", v.SchemaBaseURL())
}

// typeOf reads the member "type", spelt exactly so, of a payload.
func typeOf(payload []byte) (string, *aap.Violation) {
	if trimmed := bytes.TrimLeft(payload, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(payload) {
		return "", &aap.Violation{InstanceLocation: "", Keyword: "type", Error: "Send a JSON object."}
	}
	var raw json.RawMessage
	for name, value := range rawjson.Members(payload) {
		if string(name) == "type" {
			raw = value // of several the last counts; the schema check refuses them
		}
	}
	if raw == nil {
		return "", &aap.Violation{InstanceLocation: "/type", Keyword: "required", Error: "This member is required and names the skill."}
	}
	var typ string
	if raw[0] != '"' || json.Unmarshal(raw, &typ) != nil {
		return "", &aap.Violation{InstanceLocation: "/type", Keyword: "type", Error: "Send a string."}
	}
	if !wellFormed(typ) {
		return "", &aap.Violation{
			InstanceLocation: "/type", Keyword: "pattern",
			Error: "Send two or three lower-case words joined by dots, such as inventory.search.request.",
		}
	}
	return typ, nil
}

// wellFormed is the pattern ^[a-z_]+(\.[a-z_]+){1,2}$ of the AAP v1.3
// aap-message schema.
func wellFormed(typ string) bool {
	words := 0
	for word := range strings.SplitSeq(typ, ".") {
		words++
		if word == "" || words > 3 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return false
		}
	}
	return words >= 2
}

// shorten keeps a quoted foreign word to a length fit for a sentence.
func shorten(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// plural spells a count of faults.
func plural(n int) string {
	if n == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", n)
}
