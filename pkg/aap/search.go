package aap

// SearchRequest is the payload of inventory.search.
type SearchRequest struct {
	Type       string      `json:"type"`
	Filters    Filters     `json:"filters,omitzero"`
	Pagination *Pagination `json:"pagination,omitempty"`
	Sort       *Sort       `json:"sort,omitempty"`
	Privacy    *Privacy    `json:"privacy,omitempty"`
}

// FacetsRequest is the payload of inventory.facets.
type FacetsRequest struct {
	Type    string  `json:"type"`
	Filters Filters `json:"filters,omitzero"`
}

// Filters narrow a search: members combine with AND, values within one array
// with OR, and an absent or empty member is no constraint.
type Filters struct {
	Make               []string `json:"make,omitempty"`
	Model              []string `json:"model,omitempty"`
	Trim               []string `json:"trim,omitempty"`
	Condition          []string `json:"condition,omitempty"`
	VehicleType        []string `json:"vehicle_type,omitempty"`
	Transmission       []string `json:"transmission,omitempty"`
	Fuel               []string `json:"fuel,omitempty"`
	Driveline          []string `json:"driveline,omitempty"`
	Body               []string `json:"body,omitempty"`
	ExteriorColor      []string `json:"exterior_color,omitempty"`
	InteriorColor      []string `json:"interior_color,omitempty"`
	Rooftops           []string `json:"rooftops,omitempty"`
	ChargePort         []string `json:"charge_port,omitempty"`
	DCFastCharge       *bool    `json:"dc_fast_charge,omitempty"`
	YearMin            *Int     `json:"year_min,omitempty"`
	YearMax            *Int     `json:"year_max,omitempty"`
	PriceMin           *Int     `json:"price_min,omitempty"`
	PriceMax           *Int     `json:"price_max,omitempty"`
	MileageMax         *Int     `json:"mileage_max,omitempty"`
	DisplacementCCMin  *Int     `json:"displacement_cc_min,omitempty"`
	DisplacementCCMax  *Int     `json:"displacement_cc_max,omitempty"`
	ElectricRangeMiMin *Int     `json:"electric_range_mi_min,omitempty"`
	ElectricRangeMiMax *Int     `json:"electric_range_mi_max,omitempty"`
	VIN                string   `json:"vin,omitempty"`
	Stock              string   `json:"stock,omitempty"`
	Query              string   `json:"query,omitempty"`
}

// Pagination asks for one page. A nil member takes the dealer's default.
type Pagination struct {
	Skip  *Int `json:"skip,omitempty"`
	Limit *Int `json:"limit,omitempty"`
}

// Sort orders the result; both members are required on the wire.
type Sort struct {
	Field string `json:"field"`
	Order string `json:"order"`
}

// Privacy is a hint that changes nothing (AAP v1.3 inventory.search).
type Privacy struct {
	Anonymous *bool `json:"anonymous,omitempty"`
}

// VehicleRequest is the payload of inventory.vehicle. At least one member
// besides Type is set; the most specific match answers.
type VehicleRequest struct {
	Type      string `json:"type"`
	VIN       string `json:"vin,omitempty"`
	Stock     string `json:"stock,omitempty"`
	VehicleID string `json:"vehicle_id,omitempty"`
}

// Facets counts the matching listings by term and spans them by range. A nil
// member is left out: the dealer has no inventory with it. Term members that
// the dealer knows but the subset lacks are empty, not nil.
type Facets struct {
	Makes               []Term `json:"makes,omitzero"`
	Models              []Term `json:"models,omitzero"`
	Trims               []Term `json:"trims,omitzero"`
	Years               []Term `json:"years,omitzero"`
	Conditions          []Term `json:"conditions,omitzero"`
	Transmissions       []Term `json:"transmissions,omitzero"`
	Fuels               []Term `json:"fuels,omitzero"`
	DCFastCharge        []Term `json:"dc_fast_charge,omitzero"`
	ChargePorts         []Term `json:"charge_ports,omitzero"`
	Drivelines          []Term `json:"drivelines,omitzero"`
	Bodies              []Term `json:"bodies,omitzero"`
	VehicleTypes        []Term `json:"vehicle_types,omitzero"`
	ExteriorColors      []Term `json:"exterior_colors,omitzero"`
	InteriorColors      []Term `json:"interior_colors,omitzero"`
	Rooftops            []Term `json:"rooftops,omitzero"`
	Statuses            []Term `json:"statuses,omitzero"`
	PriceRange          *Range `json:"price_range,omitempty"`
	MileageRange        *Range `json:"mileage_range,omitempty"`
	YearRange           *Range `json:"year_range,omitempty"`
	DisplacementCCRange *Range `json:"displacement_cc_range,omitempty"`
	ElectricRangeMi     *Range `json:"electric_range_mi_range,omitempty"`
}

// Term is one facet value with the number of listings that have it. Value is a
// string, except in years, where it is an integer.
type Term struct {
	Value any `json:"value"`
	Count int `json:"count"`
}

// Range spans the smallest and largest value among the matching listings.
type Range struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}
