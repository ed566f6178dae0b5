package pickup

import (
	"errors"
	"net"
	"sync/atomic"
)

// maxTalk is how much a server may send before the file itself, in bytes: more
// than the longest folder that is looked through takes.
const maxTalk = 16 << 20

var errTalk = errors.New("the server sends more than was asked for")

// meter is how much may still come from a server. A listing is held in memory
// until its end, which a server need not make.
type meter struct{ bytes atomic.Int64 }

func (m *meter) over() bool { return m.bytes.Load() < 0 }

// metered is a connection that its meter ends.
type metered struct {
	net.Conn
	*meter
}

// Read fails with errTalk beyond what was left.
func (m metered) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if m.bytes.Add(-int64(n)) < 0 {
		return 0, errTalk
	}
	return n, err
}
