package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// skills calls each declared skill that only reads.
func (x *examination) skills(ctx context.Context, c *contract) {
	looked := false
	for _, s := range []aap.Skill{aap.DealerInformation, aap.InventoryFacets, aap.InventorySearch, aap.InventoryVehicle} {
		if !c.offers(s) {
			continue
		}
		payload := "{}"
		switch s {
		case aap.InventorySearch:
			payload = `{"pagination":{"limit":5}}`
		case aap.InventoryVehicle:
			if payload = identifiers(c.vehicle); payload == "" {
				x.skip("skill.answer", c.of(s), "no vehicle is known to ask for")
				continue
			}
		}
		answer, err := x.call(ctx, c, s, payload)
		switch {
		case errors.Is(err, errLimited):
			x.skip("skill.answer", c.of(s), "%v", err)
			continue
		case err != nil:
			x.fail("skill.answer", c.of(s), "%v", err)
			continue
		}
		x.pass("skill.answer", c.of(s), "in %d ms", x.door.last.took.Milliseconds())
		if !looked {
			x.envelope(c, s)
			looked = true
		}
		if x.valid("skill.schema", c, s, answer) && s == aap.InventorySearch {
			c.vehicle = firstVehicle(answer)
		}
	}
}

// valid holds a response payload to the schema of the contract.
func (x *examination) valid(id string, c *contract, s aap.Skill, answer []byte) bool {
	faults, err := c.set.Check(s.ResponseSchema(), answer)
	switch {
	case err != nil:
		x.skip(id, c.of(s), "%v", err)
	case len(faults) > 0:
		x.fail(id, c.of(s), "%s", listed(faults))
		return false
	default:
		x.pass(id, c.of(s), "%s", s.ResponseSchema())
	}
	return true
}

// again holds a further answer of a skill to its schema; only a fault that was
// not told yet is told.
func (x *examination) again(c *contract, s aap.Skill, answer []byte) {
	told := slices.ContainsFunc(x.findings, func(f Finding) bool {
		return f.ID == "skill.schema" && f.Verdict == Fail && f.Version == c.version.Label && f.Skill == s.ID
	})
	if faults, err := c.set.Check(s.ResponseSchema(), answer); err == nil && len(faults) > 0 && !told {
		x.fail("skill.schema", c.of(s), "%s", listed(faults))
	}
}

func firstVehicle(answer []byte) json.RawMessage {
	var found struct {
		Data struct {
			Vehicles []json.RawMessage `json:"vehicles"`
		} `json:"data"`
	}
	if json.Unmarshal(answer, &found) != nil || len(found.Data.Vehicles) == 0 {
		return nil
	}
	return found.Data.Vehicles[0]
}

// identifiers is the request for the details of a listed car; "" without one.
func identifiers(car json.RawMessage) string {
	var names struct {
		VIN       string `json:"vin,omitempty"`
		Stock     string `json:"stock,omitempty"`
		VehicleID string `json:"vehicle_id,omitempty"`
	}
	if json.Unmarshal(car, &names) != nil {
		return ""
	}
	if names.VIN != "" {
		names.Stock, names.VehicleID = "", ""
	}
	raw, err := json.Marshal(names)
	if err != nil || string(raw) == "{}" {
		return ""
	}
	return string(raw)
}

// envelope looks at the message around the last answer.
func (x *examination) envelope(c *contract, s aap.Skill) {
	got := x.door.last
	if got.is("application/json", "application/a2a+json") {
		x.pass("skill.type", c.of(), "%s", got.media())
	} else {
		x.fail("skill.type", c.of(), "Content-Type is %s", quoted(got.header.Get("Content-Type")))
	}
	type sent struct {
		Message struct {
			MessageID string `json:"messageId"`
			ContextID string `json:"contextId"`
			Role      string `json:"role"`
			Parts     []struct {
				MediaType string          `json:"mediaType"`
				Data      json.RawMessage `json:"data"`
			} `json:"parts"`
		} `json:"message"`
	}
	var body struct {
		sent
		Result sent `json:"result"`
	}
	_ = json.Unmarshal(got.body, &body) // the client has read it
	m := body.Result.Message
	if c.remote.Binding() != rpcBinding {
		m = body.Message
	}
	media := ""
	for _, p := range m.Parts {
		if p.Data != nil {
			media = p.MediaType
			break
		}
	}
	switch {
	case m.MessageID == "":
		x.fail("skill.envelope", c.of(), "the message has no messageId")
	case m.Role != "ROLE_AGENT":
		x.fail("skill.envelope", c.of(), "the role is %s", quoted(m.Role))
	case media != s.ResponseMediaType():
		x.fail("skill.envelope", c.of(), "the media type of the part is %s, not %s", quoted(media), s.ResponseMediaType())
	case m.ContextID == "":
		x.warn("skill.envelope", c.of(), "the message has no contextId, which A2A wants of agents")
	default:
		x.pass("skill.envelope", c.of(), "messageId, contextId, role and media type")
	}
}
