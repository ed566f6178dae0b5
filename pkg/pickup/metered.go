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

// metered is a connection over which no more comes than it was given left.
// A listing is held in memory until its end, which a server need not make.
type metered struct {
	net.Conn
	left atomic.Int64
}

// Read fails with errTalk beyond what was left.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if m.left.Add(-int64(n)) < 0 {
		return 0, errTalk
	}
	return n, err
}

func (m *metered) over() bool { return m.left.Load() < 0 }
