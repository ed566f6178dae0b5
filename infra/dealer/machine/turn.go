package machine

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/dealer-agent/dealer/pkg/a2a"
)

// mostAtOnce bounds the requests that are worked on at the same time. A request
// of the longest allowed body takes some twenty times its length in memory
// while it is; a flood of them waits instead of exhausting the machine.
const mostAtOnce = 32

// inTurn lets requests through a few at a time, each with its body already
// read and its answer sent afterwards: a caller who sends or reads slowly holds
// up nobody.
type inTurn struct {
	slots chan struct{}
	next  http.Handler
	// idle has the memory of answers that were sent.
	idle *sync.Pool
}

// mostIdle is how long an answer may be for its memory to be used again.
const mostIdle = 256 << 10

func newInTurn(next http.Handler, most int) http.Handler {
	return inTurn{make(chan struct{}, most), next, &sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

func (t inTurn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.ContentLength <= a2a.MaxBody {
		body, err := io.ReadAll(io.LimitReader(r.Body, a2a.MaxBody+1))
		r.Body = arrived{bytes.NewReader(body), err, r.Body}
	}
	answer := kept{header: w.Header(), status: http.StatusOK, body: t.idle.Get().(*bytes.Buffer)}
	defer func() {
		if answer.body.Reset(); answer.body.Cap() <= mostIdle {
			t.idle.Put(answer.body)
		}
	}()
	if !t.work(&answer, r) {
		return // the caller hung up
	}
	w.WriteHeader(answer.status)
	_, _ = answer.body.WriteTo(w) // fails when there is nobody left to tell
}

// work waits for a slot and reports whether the request got one.
func (t inTurn) work(answer *kept, r *http.Request) bool {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
		t.next.ServeHTTP(answer, r)
		return true
	case <-r.Context().Done():
		return false
	}
}

// kept is an answer that waits to be sent.
type kept struct {
	header http.Header
	status int
	body   *bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }

// arrived is a body that was read, and how that ended.
type arrived struct {
	read *bytes.Reader
	err  error
	io.Closer
}

func (a arrived) Read(p []byte) (int, error) {
	n, err := a.read.Read(p)
	if err == io.EOF && a.err != nil {
		err = a.err
	}
	return n, err
}
