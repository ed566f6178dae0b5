package inventory

import (
	"strconv"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// car is what a listing without vehicle_type is (AAP v1.2 vehicle schema).
const car = "car"

// fillFields gives one document its terms. pairs collects the keys of the
// model field's terms.
func (x *Index) fillFields(doc int, v *Vehicle, pairs *[]string) {
	row, k := &v.Listing, known()
	plain := func(id fieldID, s string) {
		x.fields[id].add(doc, s, s, func() string { return fold(s) })
	}
	grouped := func(id fieldID, s string) {
		x.fields[id].add(doc, s, s, func() string { return k.group(fieldInfos[id].section, s) })
	}
	x.fields[fieldMake].add(doc, row.Make, row.Make, func() string { return k.makeName(row.Make) })
	raw := ""
	if row.Model != "" {
		raw = row.Make + pairSeparator + row.Model
	}
	x.fields[fieldModel].add(doc, raw, row.Model, func() string { return pairKey(row.Make, row.Model) })
	if id := int(x.fields[fieldModel].of[doc]); id == len(*pairs) {
		*pairs = append(*pairs, pairKey(row.Make, row.Model))
	}
	plain(fieldTrim, row.Trim)
	plain(fieldCondition, row.Condition)
	kind := row.VehicleType
	if kind == "" {
		kind = car
	}
	plain(fieldVehicleType, kind)
	grouped(fieldBody, row.Body)
	grouped(fieldDriveline, row.Driveline)
	grouped(fieldTransmission, row.Transmission)
	grouped(fieldFuel, row.Fuel)
	colored := func(id fieldID, s, generic string) {
		raw := s
		if generic != "" {
			raw += pairSeparator + generic
		}
		x.fields[id].add(doc, raw, s, func() string { return fold(s) + pairSeparator + generic })
	}
	colored(fieldExterior, row.ExteriorColor, genericColor(row, "exterior_color"))
	colored(fieldInterior, row.InteriorColor, genericColor(row, "interior_color"))
	plain(fieldRooftop, row.Rooftop)
	grouped(fieldChargePort, row.ChargePort)
	fast := ""
	if row.DCFastCharge != nil {
		fast = strconv.FormatBool(*row.DCFastCharge)
	}
	plain(fieldDCFastCharge, fast)
	plain(fieldStatus, string(v.State))
	year := ""
	if row.Year != nil {
		year = strconv.FormatInt(int64(*row.Year), 10)
	}
	plain(fieldYear, year)
}

// genericColor is the plain color that some feeds give beside the maker's
// name for the paint.
func genericColor(row *aap.Vehicle, part string) string {
	for _, name := range [...]string{part + "_generic", "generic_" + part, part + "_base"} {
		if s, ok := row.OtherAttributes[name].(string); ok {
			return s
		}
	}
	return ""
}
