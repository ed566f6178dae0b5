package mcptools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// linksSince is the revision that brought resource_link.
const linksSince = "2025-06-18"

// links point from a search result to the vehicles on its page, for hosts that
// let people open or pin one. The text before them says all that they do.
func (o offer) links(skill aap.Skill, revision string, payload []byte) []mcp.Content {
	if !o.alone() || skill != aap.InventorySearch || !o.offers(aap.InventoryVehicle) || revision < linksSince {
		return nil
	}
	var page struct {
		Data struct{ Vehicles []linked }
	}
	if json.Unmarshal(payload, &page) != nil {
		return nil
	}
	var links []mcp.Content
	for _, v := range page.Data.Vehicles {
		if id := v.id(); id != "" {
			links = append(links, &mcp.ResourceLink{
				URI: strings.Replace(o.vehicleTemplate(), "{id}", expanded(id), 1), Name: v.name(), MIMEType: "application/json",
			})
		}
	}
	return links
}

// expanded is a value in place of a template's variable: all but letters,
// digits and -._~ is percent-encoded (RFC 6570 §3.2.2).
func expanded(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

// linked is what a link needs to know of a vehicle.
type linked struct {
	VIN       string
	Stock     string
	VehicleID string `json:"vehicle_id"`
	Year      int
	Make      string
	Model     string
	Trim      string
}

// id is the identifier that inventory.vehicle prefers.
func (v linked) id() string {
	for _, id := range []string{v.VIN, v.Stock, v.VehicleID} {
		if id != "" {
			return id
		}
	}
	return ""
}

func (v linked) name() string {
	name := plain(strings.Join([]string{v.Make, v.Model, v.Trim}, " "), longLine)
	if v.Year != 0 {
		name = strings.TrimSpace(fmt.Sprintf("%d %s", v.Year, name))
	}
	if name == "" {
		return "Vehicle " + v.id()
	}
	return name
}
