package stored

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

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
