package wire

import "github.com/dealer-agent/dealer/pkg/aap"

// AAP v1.2 lacks fees, on vehicles and on rooftops, and its price means all
// that the buyer pays.
var _ = older("v1.2", step{
	up: func(_ aap.Skill, request *object, _ Context) {
		for _, vehicle := range leadVehicles(request) {
			vehicle.keepIf(isFees, "fees")
		}
	},
	down: func(s aap.Skill, response *object, c Context) {
		data := response.object("data")
		for _, vehicle := range listings(s, data) {
			vehicle.drop("fees")
			if !c.Priced {
				vehicle.drop("price")
			}
		}
		if !c.Priced {
			facets(s, data).drop("price_range")
		}
		if s == aap.DealerInformation {
			for _, rooftop := range data.objects("rooftops") {
				rooftop.drop("fees")
			}
		}
	},
})
