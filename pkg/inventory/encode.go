package inventory

import (
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
	e := encoder{dst: append(dst, '{')}
	e.text("vin", v.VIN)
	e.text("stock", v.Stock)
	e.text("vehicle_id", v.VehicleID)
	e.text("vehicle_type", v.VehicleType)
	e.int("year", v.Year)
	e.text("make", v.Make)
	e.text("model", v.Model)
	e.text("trim", v.Trim)
	e.text("condition", v.Condition)
	e.text("status", v.Status)
	e.text("rooftop", v.Rooftop)
	e.int("price", v.Price)
	e.int("list_price", v.ListPrice)
	e.int("msrp", v.MSRP)
	if v.Fees != nil {
		e.value("fees", v.Fees)
	}
	e.int("mileage", v.Mileage)
	e.text("body", v.Body)
	e.text("transmission", v.Transmission)
	e.text("driveline", v.Driveline)
	e.text("engine", v.Engine)
	e.int("displacement_cc", v.DisplacementCC)
	e.text("fuel", v.Fuel)
	e.int("city_mpg", v.CityMPG)
	e.int("highway_mpg", v.HighwayMPG)
	e.float("electric_range_mi", v.ElectricRangeMi)
	e.float("battery_kwh", v.BatteryKWh)
	e.float("motor_power_hp", v.MotorPowerHP)
	if v.DCFastCharge != nil {
		e.name("dc_fast_charge")
		e.dst = strconv.AppendBool(e.dst, *v.DCFastCharge)
	}
	e.text("charge_port", v.ChargePort)
	e.text("exterior_color", v.ExteriorColor)
	e.text("interior_color", v.InteriorColor)
	e.texts("features", v.Features)
	e.texts("photos", v.Photos)
	e.text("vdp_url", v.VDPURL)
	e.text("description", v.Description)
	e.text("notes", v.Notes)
	if len(v.OtherAttributes) > 0 {
		e.value("other_attributes", v.OtherAttributes)
	}
	e.text("dealer_id", v.DealerID)
	e.text("inventory_date", v.InventoryDate)
	e.text("updated_at", v.UpdatedAt)
	return append(e.dst, '}'), e.err
}

type encoder struct {
	dst []byte
	err error
}

func (e *encoder) name(name string) {
	if e.dst[len(e.dst)-1] != '{' {
		e.dst = append(e.dst, ',')
	}
	e.dst = append(append(append(e.dst, '"'), name...), `":`...)
}

func (e *encoder) text(name, s string) {
	if s != "" {
		e.name(name)
		e.string(s)
	}
}

// string copies what needs no escape and leaves the rest to encoding/json.
func (e *encoder) string(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			e.append(s)
			return
		}
	}
	e.dst = append(append(append(e.dst, '"'), s...), '"')
}

func (e *encoder) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	e.name(name)
	e.dst = append(e.dst, '[')
	for i, s := range list {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.string(s)
	}
	e.dst = append(e.dst, ']')
}

func (e *encoder) int(name string, n *aap.Int) {
	if n != nil {
		e.name(name)
		e.dst = strconv.AppendInt(e.dst, int64(*n), 10)
	}
}

func (e *encoder) float(name string, n *float64) {
	if n != nil {
		e.value(name, *n)
	}
}

func (e *encoder) value(name string, v any) {
	e.name(name)
	e.append(v)
}

func (e *encoder) append(v any) {
	if e.err == nil {
		e.dst, e.err = aap.AppendValue(e.dst, v)
	}
}
