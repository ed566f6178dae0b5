package aap

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// Fee is one mandatory, non-government dealer charge in whole US dollars
// (AAP v1.3 dealer-fee schema). Its amount is already inside the price it
// stands beside.
type Fee struct {
	Name   string `json:"name"`
	Amount Int    `json:"amount"`
}

// Vehicle is the one vehicle shape of AAP v1.3: a listing, a vehicle of
// interest or a trade-in. Money is whole US dollars, distance is miles. Empty
// strings and nil pointers are absent members; a nil Fees says "not
// disclosed", an empty one "no mandatory charges". The null that AAP allows
// for rooftop and charge_port is read as absent.
type Vehicle struct {
	VIN             string         `json:"vin,omitempty"`
	Stock           string         `json:"stock,omitempty"`
	VehicleID       string         `json:"vehicle_id,omitempty"`
	VehicleType     string         `json:"vehicle_type,omitempty"`
	Year            *Int           `json:"year,omitempty"`
	Make            string         `json:"make,omitempty"`
	Model           string         `json:"model,omitempty"`
	Trim            string         `json:"trim,omitempty"`
	Condition       string         `json:"condition,omitempty"`
	Status          string         `json:"status,omitempty"`
	Rooftop         string         `json:"rooftop,omitempty"`
	Price           *Int           `json:"price,omitempty"`
	ListPrice       *Int           `json:"list_price,omitempty"`
	MSRP            *Int           `json:"msrp,omitempty"`
	Fees            []Fee          `json:"fees,omitzero"`
	Mileage         *Int           `json:"mileage,omitempty"`
	Body            string         `json:"body,omitempty"`
	Transmission    string         `json:"transmission,omitempty"`
	Driveline       string         `json:"driveline,omitempty"`
	Engine          string         `json:"engine,omitempty"`
	DisplacementCC  *Int           `json:"displacement_cc,omitempty"`
	Fuel            string         `json:"fuel,omitempty"`
	CityMPG         *Int           `json:"city_mpg,omitempty"`
	HighwayMPG      *Int           `json:"highway_mpg,omitempty"`
	ElectricRangeMi *float64       `json:"electric_range_mi,omitempty"`
	BatteryKWh      *float64       `json:"battery_kwh,omitempty"`
	MotorPowerHP    *float64       `json:"motor_power_hp,omitempty"`
	DCFastCharge    *bool          `json:"dc_fast_charge,omitempty"`
	ChargePort      string         `json:"charge_port,omitempty"`
	ExteriorColor   string         `json:"exterior_color,omitempty"`
	InteriorColor   string         `json:"interior_color,omitempty"`
	Features        []string       `json:"features,omitempty"`
	Photos          []string       `json:"photos,omitempty"`
	VDPURL          string         `json:"vdp_url,omitempty"`
	Description     string         `json:"description,omitempty"`
	Notes           string         `json:"notes,omitempty"`
	OtherAttributes map[string]any `json:"other_attributes,omitempty"`
	DealerID        string         `json:"dealer_id,omitempty"`
	InventoryDate   string         `json:"inventory_date,omitempty"`
	UpdatedAt       string         `json:"updated_at,omitempty"`

	// Extra holds members AAP does not declare, as they came: the vehicle
	// object is open.
	Extra map[string]json.RawMessage `json:"-"`
}

// vehicleFields is Vehicle without its methods, for the default encoding.
type vehicleFields Vehicle

// MarshalJSON writes the declared members in a fixed order, then the extra
// ones by name. An extra member never replaces a declared one.
func (v Vehicle) MarshalJSON() ([]byte, error) {
	out, err := AppendValue(nil, vehicleFields(v))
	if err != nil || len(v.Extra) == 0 {
		return out, err
	}
	out = out[:len(out)-1]
	for _, name := range slices.Sorted(maps.Keys(v.Extra)) {
		if vehicleMembers[name] {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if out, err = AppendValue(out, name); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), v.Extra[name]...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads the declared members and keeps the others in Extra.
func (v *Vehicle) UnmarshalJSON(b []byte) error {
	var fields vehicleFields
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	for name, value := range rawjson.Members(b) {
		if vehicleMembers[string(name)] {
			continue
		}
		if fields.Extra == nil {
			fields.Extra = map[string]json.RawMessage{}
		}
		fields.Extra[string(name)] = bytes.Clone(value)
	}
	*v = Vehicle(fields)
	return nil
}

// vehicleMembers names what AAP v1.3 declares on a vehicle.
var vehicleMembers = jsonNames(vehicleFields{})
