package wire

import "github.com/dealer-agent/dealer/pkg/aap"

// AAP v1.0 names the buyer's agent in one word, in the consent too, and knows
// offered_price, which is for the zip code of a buyer. No listing of this
// agent has one, so a sort by it leaves the dealer's own order.
var _ = older("v1.0", step{
	up: func(s aap.Skill, request *object, _ Context) {
		switch s {
		case aap.InventorySearch:
			if field, _ := request.object("sort").text("field"); field == "offered_price" {
				request.drop("sort")
			}
		case aap.InventoryVehicle:
			request.drop("zip")
		case aap.LeadSubmit:
			if name, ok := request.text("source_agent"); ok {
				request.set("source_agent", aap.SourceAgent{Name: name})
			}
			request.object("consent").drop("source_agent")
			for _, vehicle := range leadVehicles(request) {
				vehicle.drop("offered_price", "zip")
			}
		}
	},
	down: func(s aap.Skill, response *object, _ Context) {
		for _, vehicle := range listings(s, response.object("data")) {
			vehicle.drop("offered_price", "zip") // what others call so
		}
	},
})
