package stored

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

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
