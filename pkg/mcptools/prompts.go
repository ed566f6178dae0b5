package mcptools

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// prompt is one thing a person may start with, from a menu of the host.
type prompt struct {
	name, title, description string
	// needs are the skills without which it cannot be followed.
	needs     []aap.Skill
	arguments []*mcp.PromptArgument
	// text is the request in the person's voice, after what they filled in.
	text func(o offer) string
}

// longestArgument is as much of an argument as is taken, in characters.
const longestArgument = 500

func prompts() []prompt {
	return []prompt{{
		name: "find_car", title: "Find my next car",
		description: "Searches this dealer's inventory for what you want and shows the best matches with prices as advertised.",
		needs:       []aap.Skill{aap.InventoryFacets, aap.InventorySearch},
		arguments: []*mcp.PromptArgument{
			{Name: "make", Description: "A make, such as Honda."},
			{Name: "model", Description: "A model, such as CR-V."},
			{Name: "budget", Description: "The most you want to spend, in US dollars."},
			{Name: "use", Description: "What it is for: a family of five, towing, a short commute."},
			{Name: "rooftop", Description: "The dealer's location you would go to."},
		},
		text: func(o offer) string {
			return "Find vehicles for me at " + o.called() + ". Ask me for what you need to know and I have not said. " +
				"Call aap_inventory_facets first and filter aap_inventory_search with its terms unchanged. " +
				"Show at most five matches with year, make, model, trim, mileage, rooftop and price, and when the dealer last vouched for each. " + o.quoting() +
				" If nothing fits, say which wish excluded the vehicles and what comes closest; do not fill in vehicles from elsewhere."
		},
	}, {
		name: "compare_vehicles", title: "Compare vehicles",
		description: "Puts two or three vehicles of this dealer side by side: equipment, mileage, price and what the price includes.",
		needs:       []aap.Skill{aap.InventoryVehicle},
		arguments: []*mcp.PromptArgument{
			{Name: "first", Description: "VIN, stock number or vehicle_id of a vehicle.", Required: true},
			{Name: "second", Description: "VIN, stock number or vehicle_id of another one.", Required: true},
			{Name: "third", Description: "VIN, stock number or vehicle_id of a third one."},
		},
		text: func(o offer) string {
			return "Compare these vehicles of " + o.called() + ". Get each with aap_inventory_vehicle. " +
				"Put them side by side: year, trim, mileage, condition, fuel and economy, equipment that only one of them has, price, fees inside the price, rooftop. " +
				"Write \"not stated\" where a vehicle does not say something; look nothing up elsewhere. " + o.quoting() +
				" Say so when one of them is no longer for sale. Then tell me which suits whom, without urging me to any."
		},
	}, {
		name: "book_test_drive", title: "Book a test drive",
		description: "Prepares a request for a test drive, shows you what will be sent, and sends it only after you have agreed.",
		needs:       []aap.Skill{aap.InventoryVehicle, aap.LeadSubmit},
		arguments: []*mcp.PromptArgument{
			{Name: "vehicle", Description: "VIN, stock number or vehicle_id of the vehicle.", Required: true},
			{Name: "when", Description: "Day and time that suit you, such as Saturday at 10."},
			{Name: "rooftop", Description: "The dealer's location you would come to."},
		},
		text: func(o offer) string {
			return "I want to test-drive this vehicle of " + o.called() + ". First see with aap_inventory_vehicle that it is still for sale, and look up the rooftop's opening hours and time zone. " +
				o.consenting() + " Send aap_lead_submit with the vehicle and an appointment of type test_drive. " +
				"Only an appointment whose status is 'confirmed' is booked: tell me plainly when it is merely requested, or which other times are proposed."
		},
	}, {
		name: "trade_in", title: "Ask what my trade-in is worth",
		description: "Prepares a question to the dealer about your present vehicle, and sends it only after you have agreed. The dealer answers; no value is guessed.",
		needs:       []aap.Skill{aap.LeadSubmit},
		arguments: []*mcp.PromptArgument{
			{Name: "year", Description: "The model year of your present vehicle."},
			{Name: "make", Description: "Its make."},
			{Name: "model", Description: "Its model, and trim if you know it."},
			{Name: "mileage", Description: "Its mileage, in miles."},
			{Name: "condition", Description: "How it is, in your own words, with damage and accidents."},
			{Name: "interest", Description: "The dealer's vehicle you would trade it for: VIN, stock number or vehicle_id."},
		},
		text: func(o offer) string {
			return "I want " + o.called() + " to tell me what my present vehicle is worth as a trade-in. Name no value yourself, neither an estimate nor a range: only the dealer can, after looking at it. " +
				"Ask me for what is missing of year, make, model, mileage and condition. " + o.consenting() +
				" Send aap_lead_submit with the trade_in, and with the vehicle of interest if I named one. Then tell me that the dealer has the question, not that there is an offer."
		},
	}}
}

// quoting is how prices are told.
func (o offer) quoting() string {
	return "Tell prices as they are: " + o.priceRule() + " Where 'price' is absent say that no price is published, and quote neither list_price nor msrp in its place."
}

// consenting is what comes before any personal data leaves. The consent text of
// a dealer elsewhere names it by a stranger's words, and so is only pointed at.
func (o offer) consenting() string {
	ask := "Ask me for my name and how I may be reached. Before you send anything show me exactly what will be sent"
	if o.elsewhere() {
		return ask + ". Leave 'consent' out, so that a form asks me for it. Where no form comes show me the resource " + o.uri("consent") +
			" word for word, wait until I agree and choose the channels, and put that text, my channels and the time I agreed into 'consent'; never agree for me."
	}
	return ask + " and this text, word for word, and wait until I agree and choose the channels:\n\n" +
		strings.TrimSpace(o.consentText()) + "\n\nPut the text I agreed to, my channels and the time I agreed into 'consent'; never agree for me."
}

// addPrompts adds those that the offered skills can follow.
func (s *service) addPrompts(server *mcp.Server, o offer) {
	for _, p := range prompts() {
		if !o.offers(p.needs...) {
			continue
		}
		server.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: p.arguments},
			func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				filled, err := p.filled(req.Params.Arguments)
				if err != nil {
					return nil, err
				}
				return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: p.text(o) + filled}},
				}}, nil
			})
	}
}

// filled lists what the person filled in, each as one line of quoted text.
func (p prompt) filled(given map[string]string) (string, error) {
	var b strings.Builder
	for _, a := range p.arguments {
		value := plain(given[a.Name], longestArgument)
		switch {
		case value != "":
			fmt.Fprintf(&b, "\n- %s: %q", a.Name, value)
		case a.Required:
			return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("The prompt %s needs the argument %q.", p.name, a.Name)}
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "\n\nWhat I have told you:\n" + b.String(), nil
}
