package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// unknownSkill is a well-formed type that no contract has.
const unknownSkill = "inventory.examination.request"

// unknownVIN is well-formed and no car's: its check digit is wrong.
const unknownVIN = "1HGCM82603A000000"

// refusals makes requests that a skill must refuse with a certain AAP code.
func (x *examination) refusals(ctx context.Context, c *contract) {
	// Any skill carries it: the type decides.
	x.expectAAP(ctx, c, "errors.skill", c.skills[0], `{"type":"`+unknownSkill+`"}`, aap.UnsupportedSkill)
	skill, payload, wrong := aap.DealerInformation, `{"type":"dealer.information.request","examination":true,"examined":1}`, []string{"/examination", "/examined"}
	switch {
	case c.offers(aap.InventorySearch):
		skill = aap.InventorySearch
		payload, wrong = `{"type":"inventory.search.request","filters":{"year_min":"new","examination":[]}}`, []string{"/filters/examination", "/filters/year_min"}
	case c.offers(aap.InventoryFacets):
		skill = aap.InventoryFacets
		payload, wrong = `{"type":"inventory.facets.request","filters":{"year_min":"new","examination":[]}}`, []string{"/filters/examination", "/filters/year_min"}
	}
	if c.offers(skill) {
		if refused := x.expectAAP(ctx, c, "errors.validation", skill, payload, aap.SchemaValidationFailed); refused != nil {
			x.pointers(c, refused, wrong)
		}
	}
	if c.offers(aap.InventoryVehicle) {
		x.expectAAP(ctx, c, "errors.vehicle", aap.InventoryVehicle, `{"vin":"`+unknownVIN+`"}`, aap.VehicleNotFound)
	}
	x.plainData(ctx, c)
}

// expectAAP makes one call that must be refused, and returns the error when it
// has the right code.
func (x *examination) expectAAP(ctx context.Context, c *contract, id string, s aap.Skill, payload string, code aap.Code) *aap.Error {
	_, err := x.call(ctx, c, s, payload)
	switch {
	case err == nil:
		x.fail(id, c.of(), "it is answered as if nothing were wrong")
	case errors.Is(err, errLimited):
		x.skip(id, c.of(), "%v", err)
	case untyped(err):
		x.skip(id, c.of(), "refused without an aap.error: %v", err)
	case codeOf(err) != code:
		x.fail(id, c.of(), "%v", err)
	default:
		x.pass(id, c.of(), "%s", code)
		e, _ := errors.AsType[*aap.Error](err)
		return e
	}
	return nil
}

// pointers looks at where a validation error points.
func (x *examination) pointers(c *contract, e *aap.Error, wrong []string) {
	var d struct {
		Errors       []aap.Violation `json:"errors"`
		InstancePath *string         `json:"instancePath"`
	}
	raw, err := json.Marshal(e.Details)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	if c.version.Faults == aap.FaultPath {
		if err != nil || d.InstancePath == nil {
			x.warn("errors.pointers", c.of(), "details have no instancePath")
		} else {
			x.pass("errors.pointers", c.of(), "%s", quoted(*d.InstancePath))
		}
		return
	}
	if err != nil || len(d.Errors) == 0 {
		x.fail("errors.pointers", c.of(), "details.errors is missing or empty")
		return
	}
	for _, at := range wrong {
		parent := at[:strings.LastIndexByte(at, '/')]
		if !slices.ContainsFunc(d.Errors, func(v aap.Violation) bool {
			// Validators differ over whether an unknown member or its object is at fault.
			return v.InstanceLocation == at || v.InstanceLocation == parent && strings.Contains(at, "examin")
		}) {
			x.fail("errors.pointers", c.of(), "of two faults, %s is not among the %d entries of details.errors", at, len(d.Errors))
			return
		}
	}
	x.pass("errors.pointers", c.of(), "both of two faults")
}

// plainData asks as a client that knows no AAP.
func (x *examination) plainData(ctx context.Context, c *contract) {
	if c.remote.Binding() != rpcBinding {
		return
	}
	got, err := x.rpc(ctx, c, x.sendMessage(`"p"`, c.skills[0], `{"type":"`+unknownSkill+`"}`), "A2A-Extensions", "")
	switch {
	case err != nil:
		x.fail("errors.plain", c.of(), "%v", err)
	case x.overQuota(got):
		x.skip("errors.plain", c.of(), "%v", errLimited)
	case got.Error == nil:
		x.skip("errors.plain", c.of(), "%s", got.says())
	default:
		var list []struct {
			Type string `json:"@type"`
		}
		if json.Unmarshal(got.Error.Data, &list) != nil || len(list) == 0 || slices.ContainsFunc(list, func(e struct {
			Type string `json:"@type"`
		}) bool {
			return e.Type == ""
		}) {
			x.warn("errors.plain", c.of(), "error.data is no array of objects with @type")
			return
		}
		x.pass("errors.plain", c.of(), "%d typed objects", len(list))
	}
}

// errors judges all refusals of a contract together.
func (x *examination) errors(c *contract) {
	var bare, odd, numbers []string
	var invalid, typeless string
	seen := 0
	for _, r := range c.refused {
		if r.status != http.StatusOK && c.remote.Binding() == rpcBinding {
			odd = append(odd, fmt.Sprintf("error %d with HTTP status %d", r.code, r.status))
		}
		if r.payload == nil {
			typeless = fmt.Sprintf("error %d of %s carries none", r.code, r.skill.ID)
			continue
		}
		if len(r.payload) == 0 {
			continue
		}
		seen++
		if r.inList && c.version.Data == aap.DataAsked {
			bare = append(bare, string(r.aap))
		}
		if r.code != r.aap.RPC() && c.remote.Binding() == rpcBinding {
			numbers = append(numbers, fmt.Sprintf("%s with %d, not %d", quoted(string(r.aap)), r.code, r.aap.RPC()))
		}
		if faults, err := c.set.Check("error.schema.json", withoutTag(r.payload, r.inList)); err == nil && len(faults) > 0 {
			invalid = string(r.aap) + ": " + listed(faults)
		}
	}
	x.judge("errors.typed", c, x.fail, typeless, seen)
	x.judge("errors.payload", c, x.fail, invalid, seen)
	x.judge("errors.bare", c, x.fail, strings.Join(bare, ", "), seen)
	x.judge("errors.codes", c, x.warn, firstOf(numbers), seen)
	x.judge("errors.status", c, x.warn, firstOf(odd), seen)
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// judge says that all errors seen were right, or what is wrong with one.
func (x *examination) judge(id string, c *contract, bad func(string, about, string, ...any), wrong string, seen int) {
	switch {
	case wrong != "":
		bad(id, c.of(), "%s", wrong)
	case seen == 0:
		x.skip(id, c.of(), "no AAP error was seen")
	default:
		x.pass(id, c.of(), "%d errors", seen)
	}
}

// withoutTag takes away the @type that an array's entries have.
func withoutTag(payload json.RawMessage, inList bool) []byte {
	var members map[string]json.RawMessage
	if !inList || json.Unmarshal(payload, &members) != nil {
		return payload
	}
	delete(members, "@type")
	out, err := json.Marshal(members)
	if err != nil {
		return payload
	}
	return out
}
