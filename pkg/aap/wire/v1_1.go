package wire

import "github.com/dealer-agent/dealer/pkg/aap"

// AAP v1.1 knows cars only: it lacks the members, filters and facets of
// motorcycles and electric vehicles. On a vehicle they may stay.
var _ = older("v1.1", step{
	up: func(_ aap.Skill, request *object, _ Context) {
		for _, vehicle := range leadVehicles(request) {
			vehicle.keepIf(oneOf("car", "motorcycle", "trailer", "rv", "other"), "vehicle_type")
			vehicle.keepIf(isCount, "displacement_cc")
			vehicle.keepIf(isAmount, "battery_kwh", "motor_power_hp")
			vehicle.keepIf(isBool, "dc_fast_charge")
			vehicle.keepIf(isTextOrNull, "charge_port")
			vehicle.keepIf(isAttributes, "other_attributes")
		}
	},
	down: func(s aap.Skill, response *object, _ Context) {
		facets(s, response.object("data")).drop(
			"vehicle_types", "dc_fast_charge", "charge_ports", "displacement_cc_range", "electric_range_mi_range")
	},
})
