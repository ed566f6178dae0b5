package inventory

import (
	"cmp"
	"strconv"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// appendListing writes a listing as its MarshalJSON does, several times
// faster: building an index is mostly this.
func appendListing(dst []byte, v *aap.Vehicle) ([]byte, error) {
	if len(v.Extra) > 0 {
		b, err := v.MarshalJSON()
		return append(dst, b...), err
	}
	dst = append(dst, '{')
	var err error
	dst = appendText(dst, "vin", v.VIN)
	dst = appendText(dst, "stock", v.Stock)
	dst = appendText(dst, "vehicle_id", v.VehicleID)
	dst = appendText(dst, "vehicle_type", v.VehicleType)
	dst = appendNumber(dst, "year", v.Year)
	dst = appendText(dst, "make", v.Make)
	dst = appendText(dst, "model", v.Model)
	dst = appendText(dst, "trim", v.Trim)
	dst = appendText(dst, "condition", v.Condition)
	dst = appendText(dst, "status", v.Status)
	dst = appendText(dst, "rooftop", v.Rooftop)
	dst = appendNumber(dst, "price", v.Price)
	dst = appendNumber(dst, "list_price", v.ListPrice)
	dst = appendNumber(dst, "msrp", v.MSRP)
	if v.Fees != nil {
		dst, err = appendAny(dst, "fees", v.Fees, err)
	}
	dst = appendNumber(dst, "mileage", v.Mileage)
	dst = appendText(dst, "body", v.Body)
	dst = appendText(dst, "transmission", v.Transmission)
	dst = appendText(dst, "driveline", v.Driveline)
	dst = appendText(dst, "engine", v.Engine)
	dst = appendNumber(dst, "displacement_cc", v.DisplacementCC)
	dst = appendText(dst, "fuel", v.Fuel)
	dst = appendNumber(dst, "city_mpg", v.CityMPG)
	dst = appendNumber(dst, "highway_mpg", v.HighwayMPG)
	if v.ElectricRangeMi != nil {
		dst, err = appendAny(dst, "electric_range_mi", *v.ElectricRangeMi, err)
	}
	if v.BatteryKWh != nil {
		dst, err = appendAny(dst, "battery_kwh", *v.BatteryKWh, err)
	}
	if v.MotorPowerHP != nil {
		dst, err = appendAny(dst, "motor_power_hp", *v.MotorPowerHP, err)
	}
	if v.DCFastCharge != nil {
		dst = strconv.AppendBool(appendName(dst, "dc_fast_charge"), *v.DCFastCharge)
	}
	dst = appendText(dst, "charge_port", v.ChargePort)
	dst = appendText(dst, "exterior_color", v.ExteriorColor)
	dst = appendText(dst, "interior_color", v.InteriorColor)
	dst = appendTexts(dst, "features", v.Features)
	dst = appendTexts(dst, "photos", v.Photos)
	dst = appendText(dst, "vdp_url", v.VDPURL)
	dst = appendText(dst, "description", v.Description)
	dst = appendText(dst, "notes", v.Notes)
	if len(v.OtherAttributes) > 0 {
		dst, err = appendAny(dst, "other_attributes", v.OtherAttributes, err)
	}
	dst = appendText(dst, "dealer_id", v.DealerID)
	dst = appendText(dst, "inventory_date", v.InventoryDate)
	dst = appendText(dst, "updated_at", v.UpdatedAt)
	return append(dst, '}'), err
}

func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

func appendText(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	return appendString(appendName(dst, name), s)
}

// appendString copies what needs no escape and leaves the rest to encoding/json.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			dst, _ = aap.AppendValue(dst, s) // a string always encodes
			return dst
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

func appendTexts(dst []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(appendName(dst, name), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

func appendNumber(dst []byte, name string, n *aap.Int) []byte {
	if n == nil {
		return dst
	}
	return strconv.AppendInt(appendName(dst, name), int64(*n), 10)
}

// appendAny leaves a value to encoding/json; an earlier error stays.
func appendAny(dst []byte, name string, v any, earlier error) ([]byte, error) {
	dst, err := aap.AppendValue(appendName(dst, name), v)
	return dst, cmp.Or(earlier, err)
}
