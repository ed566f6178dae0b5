package stored

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// fields is either side of the one list of fields: the encoder reads through
// the pointers, the decoder writes through them. The order of calls is the
// format.
type fields interface {
	text(*string)
	whole(**aap.Int)
	real(**float64)
	flag(**bool)
	list(*[]string)
	fees(*[]aap.Fee)
	object(*map[string]any)
	extra(*map[string]json.RawMessage)
	moment(*time.Time)
}

// walk names every field of a stored vehicle once. New fields go to the end:
// an older value simply lacks them. There is room for 64.
func walk(f fields, u *inventory.Vehicle) {
	v := &u.Listing
	f.text(&u.Key)
	f.text((*string)(&u.State))
	f.moment(&u.GoneAt)
	f.text(&v.VIN)
	f.text(&v.Stock)
	f.text(&v.VehicleID)
	f.text(&v.VehicleType)
	f.whole(&v.Year)
	f.text(&v.Make)
	f.text(&v.Model)
	f.text(&v.Trim)
	f.text(&v.Condition)
	f.text(&v.Status)
	f.text(&v.Rooftop)
	f.whole(&v.Price)
	f.whole(&v.ListPrice)
	f.whole(&v.MSRP)
	f.fees(&v.Fees)
	f.whole(&v.Mileage)
	f.text(&v.Body)
	f.text(&v.Transmission)
	f.text(&v.Driveline)
	f.text(&v.Engine)
	f.whole(&v.DisplacementCC)
	f.text(&v.Fuel)
	f.whole(&v.CityMPG)
	f.whole(&v.HighwayMPG)
	f.real(&v.ElectricRangeMi)
	f.real(&v.BatteryKWh)
	f.real(&v.MotorPowerHP)
	f.flag(&v.DCFastCharge)
	f.text(&v.ChargePort)
	f.text(&v.ExteriorColor)
	f.text(&v.InteriorColor)
	f.list(&v.Features)
	f.list(&v.Photos)
	f.text(&v.VDPURL)
	f.text(&v.Description)
	f.text(&v.Notes)
	f.object(&v.OtherAttributes)
	f.text(&v.DealerID)
	f.text(&v.InventoryDate)
	f.text(&v.UpdatedAt)
	f.extra(&v.Extra)
	f.text((*string)(&u.Word.State))
	f.moment(&u.Word.StateAt)
	f.text((*string)(&u.Word.Feed))
	f.whole(&u.Word.Price)
	f.moment(&u.Word.PriceAt)
}

// AppendVehicle writes one vehicle at the end of dst.
func AppendVehicle(dst []byte, v inventory.Vehicle) ([]byte, error) {
	start := len(dst) + 1
	e := encoder{out: append(dst, vehicleFormat, 0, 0, 0, 0, 0, 0, 0, 0)}
	walk(&e, &v)
	binary.LittleEndian.PutUint64(e.out[start:], e.present)
	if e.err != nil {
		return dst, fmt.Errorf("vehicle %s: %w", v.Key, e.err)
	}
	return e.out, nil
}

// AppendVehicles writes vehicles one after the other, each behind its length.
func AppendVehicles(dst []byte, vehicles ...inventory.Vehicle) ([]byte, error) {
	var one []byte
	var err error
	for _, v := range vehicles {
		if one, err = AppendVehicle(one[:0], v); err != nil {
			return dst, err
		}
		dst = binary.AppendUvarint(dst, uint64(len(one)))
		dst = append(dst, one...)
	}
	return dst, nil
}

// Reader decodes vehicles. It hands out small values from shared blocks, which
// is what makes a whole lot cheap; it is not safe for concurrent use.
type Reader struct{ d decoder }

// Vehicle decodes what AppendVehicle wrote. The vehicle's strings share src.
func (r *Reader) Vehicle(src string) (inventory.Vehicle, error) {
	var v inventory.Vehicle
	return v, r.Decode(src, &v)
}

// Vehicles decodes what AppendVehicles wrote and adds it to dst.
func (r *Reader) Vehicles(dst []inventory.Vehicle, src string) ([]inventory.Vehicle, error) {
	for len(src) > 0 {
		n, size := uvarint(src)
		if size <= 0 || n > uint64(len(src)-size) {
			return dst, ErrFormat
		}
		dst = append(dst, inventory.Vehicle{})
		if err := r.Decode(src[size:size+int(n)], &dst[len(dst)-1]); err != nil {
			return dst, err
		}
		src = src[size+int(n):]
	}
	return dst, nil
}

// Decode is Vehicle into v, which must be zero: cheaper where many are read.
func (r *Reader) Decode(src string, v *inventory.Vehicle) error {
	if len(src) < 9 || src[0] != vehicleFormat {
		return ErrFormat
	}
	d := &r.d
	d.present, d.bit, d.src, d.bad = 0, 0, src[9:], false
	for i := range 8 {
		d.present |= uint64(src[1+i]) << (8 * i)
	}
	walk(d, v)
	if d.bad || d.src != "" || d.present>>d.bit != 0 {
		return ErrFormat
	}
	return nil
}
