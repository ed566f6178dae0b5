package stored

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
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
	return v, r.into(src, &v)
}

// Vehicles decodes what AppendVehicles wrote and adds it to dst.
func (r *Reader) Vehicles(dst []inventory.Vehicle, src string) ([]inventory.Vehicle, error) {
	for len(src) > 0 {
		n, size := uvarint(src)
		if size <= 0 || n > uint64(len(src)-size) {
			return dst, ErrFormat
		}
		dst = append(dst, inventory.Vehicle{})
		if err := r.into(src[size:size+int(n)], &dst[len(dst)-1]); err != nil {
			return dst, err
		}
		src = src[size+int(n):]
	}
	return dst, nil
}

func (r *Reader) into(src string, v *inventory.Vehicle) error {
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

// encoder appends the fields that are set and notes which they are.
type encoder struct {
	out     []byte
	present uint64
	bit     int
	err     error
}

func (e *encoder) mark(set bool) bool {
	if set {
		e.present |= 1 << e.bit
	}
	e.bit++
	return set
}

func (e *encoder) string(s string) {
	e.out = append(binary.AppendUvarint(e.out, uint64(len(s))), s...)
}

func (e *encoder) text(s *string) {
	if e.mark(*s != "") {
		e.string(*s)
	}
}

func (e *encoder) whole(n **aap.Int) {
	if e.mark(*n != nil) {
		e.out = binary.AppendVarint(e.out, int64(**n))
	}
}

func (e *encoder) real(f **float64) {
	if e.mark(*f != nil) {
		e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(**f))
	}
}

func (e *encoder) flag(b **bool) {
	if e.mark(*b != nil) {
		value := byte(0)
		if **b {
			value = 1
		}
		e.out = append(e.out, value)
	}
}

func (e *encoder) list(l *[]string) {
	if e.mark(len(*l) > 0) {
		e.out = binary.AppendUvarint(e.out, uint64(len(*l)))
		for _, s := range *l {
			e.string(s)
		}
	}
}

// An empty list of fees is a statement of its own and is kept.
func (e *encoder) fees(l *[]aap.Fee) {
	if e.mark(*l != nil) {
		e.out = binary.AppendUvarint(e.out, uint64(len(*l)))
		for _, fee := range *l {
			e.string(fee.Name)
			e.out = binary.AppendVarint(e.out, int64(fee.Amount))
		}
	}
}

func (e *encoder) object(o *map[string]any) {
	if e.mark(len(*o) > 0) {
		body, err := json.Marshal(*o)
		if err != nil {
			e.err = err
		}
		e.string(string(body))
	}
}

func (e *encoder) extra(m *map[string]json.RawMessage) {
	if e.mark(len(*m) > 0) {
		e.out = binary.AppendUvarint(e.out, uint64(len(*m)))
		for _, name := range slices.Sorted(maps.Keys(*m)) {
			e.string(name)
			e.string(string((*m)[name]))
		}
	}
}

func (e *encoder) moment(t *time.Time) {
	if e.mark(!t.IsZero()) {
		e.out = binary.AppendVarint(e.out, t.Unix())
		e.out = binary.AppendUvarint(e.out, uint64(t.Nanosecond()))
	}
}

// decoder reads fields off the front of src; after the first fault everything
// reads as absent.
type decoder struct {
	src     string
	present uint64
	bit     int
	bad     bool

	wholes []aap.Int
	reals  []float64
	texts  []string
}

func (d *decoder) next() bool {
	set := d.present&(1<<d.bit) != 0
	d.bit++
	return set && !d.bad
}

func (d *decoder) fail() { d.bad, d.src = true, "" }

func (d *decoder) unsigned() uint64 {
	n, size := uvarint(d.src)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.src = d.src[size:]
	return n
}

func (d *decoder) signed() int64 {
	u := d.unsigned()
	n := int64(u >> 1)
	if u&1 != 0 {
		n = ^n
	}
	return n
}

func (d *decoder) string() string {
	n := d.unsigned()
	if n > uint64(len(d.src)) {
		d.fail()
		return ""
	}
	s := d.src[:n]
	d.src = d.src[n:]
	return s
}

// count reads the length of a list whose entries take at least one byte each.
func (d *decoder) count() int {
	n := d.unsigned()
	if n > uint64(len(d.src)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) text(s *string) {
	if d.next() {
		*s = d.string()
	}
}

func (d *decoder) whole(n **aap.Int) {
	if d.next() {
		*n = place(&d.wholes, aap.Int(d.signed()))
	}
}

func (d *decoder) real(f **float64) {
	if !d.next() {
		return
	}
	if len(d.src) < 8 {
		d.fail()
		return
	}
	var bits uint64
	for i := range 8 {
		bits |= uint64(d.src[i]) << (8 * i)
	}
	d.src = d.src[8:]
	*f = place(&d.reals, math.Float64frombits(bits))
}

func (d *decoder) flag(b **bool) {
	if d.next() {
		value := d.unsigned() != 0
		*b = &value
	}
}

func (d *decoder) list(l *[]string) {
	if !d.next() {
		return
	}
	n := d.count()
	if cap(d.texts)-len(d.texts) < n {
		d.texts = make([]string, 0, max(1024, n))
	}
	from := len(d.texts)
	for range n {
		d.texts = append(d.texts, d.string())
	}
	*l = slices.Clip(d.texts[from:])
}

func (d *decoder) fees(l *[]aap.Fee) {
	if !d.next() {
		return
	}
	out := make([]aap.Fee, d.count())
	for i := range out {
		out[i] = aap.Fee{Name: d.string(), Amount: aap.Int(d.signed())}
	}
	*l = out
}

func (d *decoder) object(o *map[string]any) {
	if d.next() && json.NewDecoder(strings.NewReader(d.string())).Decode(o) != nil {
		d.fail()
	}
}

func (d *decoder) extra(m *map[string]json.RawMessage) {
	if !d.next() {
		return
	}
	n := d.count()
	out := make(map[string]json.RawMessage, n)
	for range n {
		name := d.string()
		out[name] = json.RawMessage(d.string())
	}
	*m = out
}

func (d *decoder) moment(t *time.Time) {
	if d.next() {
		seconds := d.signed()
		*t = time.Unix(seconds, int64(d.unsigned()%1e9)).UTC()
	}
}

// place keeps value in a shared block and returns its address.
func place[T any](block *[]T, value T) *T {
	if len(*block) == cap(*block) {
		*block = make([]T, 0, 512)
	}
	*block = append(*block, value)
	return &(*block)[len(*block)-1]
}

// uvarint is binary.Uvarint on a string; size is 0 or less when there is none.
func uvarint(s string) (n uint64, size int) {
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		n |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
