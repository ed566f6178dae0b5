package embedded

import (
	"encoding/binary"
	"time"
)

// ticket is one pending id as it is stored: small, because the whole queue is
// read to find what is due.
type ticket struct {
	// due is when the next attempt may begin.
	due      time.Time
	attempts uint64
	// times counts the Enqueue calls; success removes the ticket only if none
	// came in between.
	times uint64
}

func (t ticket) encode() []byte {
	b := binary.AppendUvarint(moment(t.due), t.attempts)
	return binary.AppendUvarint(b, t.times)
}

func (t *ticket) decode(b []byte) error {
	if len(b) < 10 {
		return ErrFormat
	}
	t.due = timeOf(b)
	b = b[8:]
	for _, n := range []*uint64{&t.attempts, &t.times} {
		value, size := binary.Uvarint(b)
		if size <= 0 {
			return ErrFormat
		}
		*n, b = value, b[size:]
	}
	return nil
}
