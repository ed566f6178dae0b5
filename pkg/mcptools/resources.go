package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// uri names something of the dealer's, as aap://<dealer id>/<what>. The scheme
// is this agent's own and means: ask the agent of that dealer. A dealer whose
// agent runs elsewhere goes by its host's name.
func (o offer) uri(what string) string {
	id := "remote"
	if o.profile != nil {
		id = o.profile.ID
	} else if name := hostname(o.host()); name != "" && !strings.Contains(name, ":") {
		id = url.PathEscape(name)
	}
	return "aap://" + id + "/" + what
}

// vehicleTemplate stands for every vehicle, by its VIN, stock number or
// vehicle_id, percent-encoded.
func (o offer) vehicleTemplate() string { return o.uri("vehicle/{id}") }

// soonStale reports whether what a resource holds may be gone at the next
// look, unlike a dealer's profile.
func soonStale(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Scheme == "aap" && strings.HasPrefix(u.Path, "/vehicle/")
}

// addResources adds what a host may attach to a conversation. Each is also had
// from a tool: many hosts never read resources.
func (s *service) addResources(server *mcp.Server, o offer) {
	marks := &mcp.Annotations{Audience: []mcp.Role{"user", "assistant"}, Priority: 0.5}
	if o.profile != nil && !o.profile.Modified.IsZero() {
		marks.LastModified = o.profile.Modified.UTC().Format(time.RFC3339)
	}
	add := func(what, title, description, mime string, read func(context.Context) (string, error)) {
		r := &mcp.Resource{URI: o.uri(what), Name: what, Title: title, Description: description, MIMEType: mime, Annotations: marks}
		server.AddResource(r, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := read(ctx)
			if err != nil {
				return nil, err
			}
			return contents(r.URI, mime, text), nil
		})
	}
	if o.offers(aap.DealerInformation) {
		add("profile", "Dealer profile", "Who and where the dealer is: rooftops, phones, opening hours, mandatory fees.", "application/json",
			func(ctx context.Context) (string, error) {
				payload, err := s.question(ctx, o, aap.DealerInformation, nil)
				return string(payload), err
			})
		add("fees", "Fees and what a price includes", "What 'price' holds and what comes on top, and the mandatory fees of each rooftop.", "text/markdown",
			func(ctx context.Context) (string, error) {
				payload, err := s.question(ctx, o, aap.DealerInformation, nil)
				if err != nil {
					return "", err
				}
				return disclosure(o, payload), nil
			})
	}
	if o.offers(aap.LeadSubmit) {
		add("consent", "Consent text", "What a buyer agrees to before their request goes to the dealer. Show it word for word.", "text/plain",
			func(context.Context) (string, error) { return o.consentText(), nil })
	}
	if o.offers(aap.InventoryVehicle) {
		server.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: o.vehicleTemplate(), Name: "vehicle", Title: "Vehicle", MIMEType: "application/json",
			Description: "All the dealer publishes on one vehicle, by its VIN, stock number or vehicle_id.",
			Annotations: &mcp.Annotations{Audience: marks.Audience, Priority: 1},
		}, s.vehicle(o))
	}
}

func contents(uri, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}
}

// vinForm is a VIN as AAP takes it (AAP v1.3 vehicle schema).
var vinForm = regexp.MustCompile(`^[A-HJ-NPR-Z0-9]{17}$`)

// vehicle reads one vehicle. An id may be any of the three; which of them wins
// when they name different vehicles is inventory.vehicle's rule.
func (s *service) vehicle(o offer) mcp.ResourceHandler {
	before := strings.TrimSuffix(o.vehicleTemplate(), "{id}")
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		id, err := url.PathUnescape(strings.TrimPrefix(uri, before))
		if err != nil || strings.TrimSpace(id) == "" {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		wanted := map[string]any{"stock": id, "vehicle_id": id}
		if vin := strings.ToUpper(id); vinForm.MatchString(vin) {
			wanted["vin"] = vin
		}
		payload, err := s.question(ctx, o, aap.InventoryVehicle, wanted)
		if err != nil {
			return nil, err
		}
		return contents(uri, "application/json", string(payload)), nil
	}
}

// disclosure says in words what a quoted price includes and which fees the
// rooftops name.
func disclosure(o offer, information json.RawMessage) string {
	var answer struct {
		Data struct {
			Rooftops []struct {
				Name string
				Fees *[]struct {
					Name   string
					Amount json.Number
				}
			}
		}
	}
	_ = json.Unmarshal(information, &answer) // an odd answer discloses nothing
	var b strings.Builder
	fmt.Fprintf(&b, "# Prices and fees of %s\n\n%s\n\nA vehicle without 'price' has no advertised price; its list_price or msrp is not one.\n", o.name, o.priceRule())
	for _, rooftop := range answer.Data.Rooftops {
		fmt.Fprintf(&b, "\n## %s\n\n", plain(rooftop.Name, longLine))
		switch {
		case rooftop.Fees == nil:
			b.WriteString("Mandatory dealer fees are not disclosed here.\n")
		case len(*rooftop.Fees) == 0:
			b.WriteString("There are no mandatory dealer fees.\n")
		default:
			b.WriteString("Mandatory dealer fees, unless a vehicle names its own:\n\n")
			for _, fee := range *rooftop.Fees {
				fmt.Fprintf(&b, "- %s: $%s\n", plain(fee.Name, longLine), fee.Amount)
			}
		}
	}
	return b.String()
}

// priceRule says what a price is (AAP v1.3 pricing-and-ftc; out the door up to v1.2).
func (o offer) priceRule() string {
	if o.version.PriceIsOutTheDoor {
		return "'price' is the final out-the-door price in whole US dollars: all that a buyer pays."
	}
	return "'price' is the advertised price in whole US dollars. Mandatory dealer charges are already inside and are never added again; " +
		"tax, title and registration come on top."
}
