package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Row is one skill: how documents present it and how it is called.
type Row struct {
	aap.Skill
	// Name is the short title on cards.
	Name string
	// Description tells a language model what the skill answers and how not to
	// misquote the answer.
	Description string
	// Brief is Description in at most 200 characters, for catalogues that take
	// no more.
	Brief string
	// Tags rank the skill in catalogues; at least one (A2A 1.0 AgentSkill).
	Tags []string
	// Writes is true when a call leaves something behind at the dealer.
	Writes bool

	// outTheDoor and outTheDoorBrief are Description and Brief under contracts
	// whose price is all that a buyer pays and which know no fees; empty when
	// they are the same.
	outTheDoor, outTheDoorBrief string

	call   call
	refuse refuse
}

// Under is the row as contract v presents it.
func (r Row) Under(v aap.Version) Row {
	if v.PriceIsOutTheDoor && r.outTheDoor != "" {
		r.Description = r.outTheDoor
	}
	if v.PriceIsOutTheDoor && r.outTheDoorBrief != "" {
		r.Brief = r.outTheDoorBrief
	}
	return r
}

// call answers a payload that has passed the request schema.
type call func(ctx context.Context, parts Parts, p *dealer.Profile, v aap.Version, payload []byte) (aap.Reply, error)

// refuse chooses the error for a payload with schema faults.
type refuse func(payload []byte, faults []aap.Violation) *aap.Error

// Table lists every skill in the order cards and documents show them. The
// slice is the caller's own.
func Table() []Row {
	return []Row{
		{
			Skill: aap.DealerInformation,
			Name:  "Dealer information",
			Description: "Who the dealer is and where: group name, rooftops with address, phones, e-mails, opening hours in each " +
				"rooftop's own time zone, mandatory dealer fees and capabilities. A weekday without hours is unknown, not open; " +
				"a day with null hours is closed. Absent fees mean they are not disclosed, an empty list means there are none.",
			outTheDoor: "Who the dealer is and where: name, address, phones, e-mails, opening hours in the dealer's own time zone and " +
				"capabilities. A weekday without hours is unknown, not open; a day with null hours is closed.",
			Brief: "Who and where the dealer is: rooftops, phones, hours, mandatory fees. A day without hours is unknown, null means closed. " +
				"Absent fees are undisclosed; an empty list means none.",
			outTheDoorBrief: "Who and where the dealer is: address, phones, hours and capabilities. A day without hours is unknown, null " +
				"means closed.",
			Tags:   []string{"dealer", "rooftops", "opening-hours", "contact", "fees"},
			call:   information,
			refuse: refuseFaults,
		},
		{
			Skill: aap.InventoryFacets,
			Name:  "Inventory facets",
			Description: "Which makes, models, conditions, fuels, body styles and other terms are in stock, with counts, and the " +
				"ranges of price, mileage and year. Each term can be sent back unchanged as a filter of inventory.search. Counts " +
				"are of listed vehicles at the time of the answer; a range covers only vehicles that state that value.",
			Brief: "Makes, models, fuels and other terms in stock with counts, and price, mileage and year ranges. Call it before filtering: " +
				"its terms are the filters of the search.",
			Tags:   []string{"inventory", "facets", "filters", "counts"},
			call:   onLot(aap.InventoryFacets, (*inventory.Lot).Facets),
			refuse: refuseFaults,
		},
		{
			Skill: aap.InventorySearch,
			Name:  "Inventory search",
			Description: "Find vehicles for sale by make, model, year, condition, price, mileage, equipment and more, sorted and " +
				"paged. 'price' is the advertised price in whole US dollars with mandatory dealer charges inside and government " +
				"charges (tax, title, registration) outside: quote it as such, never add 'fees' to it again. A vehicle without " +
				"'price' has no advertised price; do not quote list_price or msrp in its place. 'updated_at' says when the dealer's " +
				"system last vouched for the vehicle; confirm availability with the dealer. No buyer data is needed.",
			outTheDoor: "Find vehicles for sale by make, model, year, condition, price, mileage, equipment and more, sorted and " +
				"paged. 'price' is the final out-the-door price, all that a buyer pays: quote it as such. A vehicle without 'price' has " +
				"none to quote, and no price filter finds it; do not quote list_price or msrp in its place. Each vehicle says when the " +
				"dealer's system last vouched for it; confirm availability with the dealer. No buyer data is needed.",
			Brief: "Find vehicles for sale. Quote 'price' as advertised: dealer fees are inside, never add them again; tax, title and " +
				"registration are extra. No 'price': do not quote list_price or msrp.",
			outTheDoorBrief: "Find vehicles for sale. 'price' is the final out-the-door price, all that a buyer pays. A vehicle without " +
				"'price' has none to quote: do not quote list_price or msrp in its place.",
			Tags:   []string{"inventory", "search", "vehicles", "cars", "motorcycles", "price"},
			call:   onLot(aap.InventorySearch, (*inventory.Lot).Search),
			refuse: refuseFaults,
		},
		{
			Skill: aap.InventoryVehicle,
			Name:  "Vehicle detail",
			Description: "Everything the dealer publishes about one vehicle, by VIN (upper case), stock number or vehicle_id. " +
				"VEHICLE_UNAVAILABLE means the dealer had it and no longer offers it; VEHICLE_NOT_FOUND means no such vehicle is " +
				"known. The rules for quoting prices are those of inventory.search. Members that are absent are unknown: do not " +
				"fill them from other sources.",
			Brief: "All the dealer publishes on one vehicle, by VIN, stock or vehicle_id. Absent members are unknown: fill nothing in. " +
				"VEHICLE_UNAVAILABLE: no longer offered. Prices as in search.",
			Tags:   []string{"inventory", "vehicle", "vin", "stock", "detail"},
			call:   onLot(aap.InventoryVehicle, (*inventory.Lot).Vehicle),
			refuse: refuseFaults,
		},
		{
			Skill: aap.LeadSubmit,
			Name:  "Submit lead",
			Description: "Hand a buyer to the dealer, with any of vehicle of interest, trade-in and appointment request. It needs " +
				"the buyer's own consent: the verbatim text they agreed to, when, and for which contact channels; never make one " +
				"up. Send an idempotency_key and repeat the same payload with it after a lost answer. Only an appointment with " +
				"status 'confirmed' is booked; 'requested' and 'proposed' are not. 'received' means the dealer has the lead, not " +
				"that anyone has replied.",
			Brief: "Send a buyer to the dealer, only with the consent text they accepted; never make one up. Retry with the same " +
				"idempotency_key. Only status 'confirmed' is a booked visit.",
			Tags:   []string{"lead", "consent", "appointment", "test-drive", "trade-in"},
			Writes: true,
			call:   submit,
			refuse: lead.Refuse,
		},
	}
}

// information answers dealer.information from the profile alone.
func information(_ context.Context, _ Parts, p *dealer.Profile, _ aap.Version, _ []byte) (aap.Reply, error) {
	return aap.Reply{Data: p.Information()}, nil
}

// onLot is a row whose skill is a method of the lot, as the version shows it:
// from request struct to reply.
func onLot[Req any](s aap.Skill, method func(*inventory.Lot, context.Context, *dealer.Profile, Req) (aap.Reply, error)) call {
	return func(ctx context.Context, parts Parts, p *dealer.Profile, v aap.Version, payload []byte) (aap.Reply, error) {
		primary, err := wire.Up(v, s, payload)
		if err != nil {
			return aap.Reply{}, err
		}
		var req Req
		if err := json.Unmarshal(primary, &req); err != nil {
			return aap.Reply{}, fmt.Errorf("decode a payload that fits its schema: %w", err)
		}
		return method(parts.Lot.Under(v), ctx, p, req)
	}
}

// submit passes the payload on as it came: the lead's audit record is those bytes.
func submit(ctx context.Context, parts Parts, p *dealer.Profile, v aap.Version, payload []byte) (aap.Reply, error) {
	return parts.Desk.Submit(ctx, p, v, payload)
}
