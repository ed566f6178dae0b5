package aap

import "strings"

// Skill names one of the typed skills of the Auto Agent Protocol. It is a
// comparable value: two Skills are equal when their ids are.
type Skill struct {
	// ID is the wire identifier, such as "inventory.search".
	ID string
	// Stem is the word media types and schema files are built from. It differs
	// from the id: inventory.vehicle has the stem "vehicle-detail".
	Stem string
}

// The skills of AAP, v0.1 to v1.3.
var (
	DealerInformation = Skill{ID: "dealer.information", Stem: "dealer-information"}
	InventoryFacets   = Skill{ID: "inventory.facets", Stem: "inventory-facets"}
	InventorySearch   = Skill{ID: "inventory.search", Stem: "inventory-search"}
	InventoryVehicle  = Skill{ID: "inventory.vehicle", Stem: "vehicle-detail"}
	LeadSubmit        = Skill{ID: "lead.submit", Stem: "lead-submit"}
)

// Skills lists every skill in the order cards and documents show them.
func Skills() []Skill {
	return []Skill{DealerInformation, InventoryFacets, InventorySearch, InventoryVehicle, LeadSubmit}
}

// SkillByID finds a skill by its wire identifier.
func SkillByID(id string) (Skill, bool) {
	for _, s := range Skills() {
		if s.ID == id {
			return s, true
		}
	}
	return Skill{}, false
}

// SkillByRequestType finds the skill whose requests carry this "type".
func SkillByRequestType(typ string) (Skill, bool) {
	for _, s := range Skills() {
		if s.RequestType() == typ {
			return s, true
		}
	}
	return Skill{}, false
}

// RequestType is the "type" member of a request payload.
func (s Skill) RequestType() string { return s.ID + ".request" }

// ResponseType is the "type" member of a response payload.
func (s Skill) ResponseType() string { return s.ID + ".response" }

// RequestMediaType is the media type of the DataPart that carries a request
// (AAP v1.3 JSON-RPC binding).
func (s Skill) RequestMediaType() string {
	return "application/vnd.autoagent." + s.Stem + "-request+json"
}

// ResponseMediaType is the media type of the DataPart that carries a response.
func (s Skill) ResponseMediaType() string {
	return "application/vnd.autoagent." + s.Stem + "-response+json"
}

// RequestSchema is the file name of the request schema within a contract version.
func (s Skill) RequestSchema() string { return s.Stem + "-request.schema.json" }

// ResponseSchema is the file name of the response schema within a contract version.
func (s Skill) ResponseSchema() string { return s.Stem + "-response.schema.json" }

// ToolName is the name of the MCP tool that calls the skill, such as
// aap_inventory_search (AAP v1.3 mcp).
func (s Skill) ToolName() string { return "aap_" + strings.ReplaceAll(s.ID, ".", "_") }
