package peers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mostRequests ends a round early.
const mostRequests = 100_000

// rounds is how often the sides take turns, so that whatever else the machine
// does meanwhile slows all of them down.
const rounds = 10

// rates are how many answers a second each side gives when so many callers ask,
// each the questions in turn over connections that stay open. A first round
// warms up and does not count.
func rates(t *testing.T, span time.Duration, callers int, sides ...asker) []float64 {
	t.Helper()
	answers, took := make([]float64, len(sides)), make([]float64, len(sides))
	for round := range rounds + 1 {
		for n, side := range sides {
			began := time.Now()
			got := load(t, span/rounds, callers, side)
			if round > 0 {
				answers[n] += float64(got)
				took[n] += time.Since(began).Seconds()
			}
		}
	}
	for n := range answers {
		answers[n] /= took[n]
	}
	return answers
}

func load(t *testing.T, span time.Duration, callers int, to asker) int64 {
	t.Helper()
	var asked, answered atomic.Int64
	var failure atomic.Pointer[error]
	var all sync.WaitGroup
	end := time.Now().Add(span)
	for range callers {
		all.Go(func() {
			for failure.Load() == nil && time.Now().Before(end) {
				n := asked.Add(1)
				if n > mostRequests {
					return
				}
				right := false
				err := to(questions[int(n)%len(questions)], func(answer []byte) {
					right = bytes.Contains(answer, []byte(`"inventory.search.response"`))
				})
				if err == nil && !right {
					err = errors.New("an answer to another question")
				}
				if err != nil {
					failure.Store(&err)
					return
				}
				answered.Add(1)
			}
		})
	}
	all.Wait()
	if err := failure.Load(); err != nil {
		t.Fatal(*err)
	}
	return answered.Load()
}

// overHTTP asks a server, over connections that stay open. It costs as little as
// it can, since what it takes is missing to the server on the same machine: the
// request is one write, and the body is read into the memory of the one before.
func overHTTP(url string) asker {
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	head := "POST /" + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nA2A-Extensions: " +
		aap.Primary().ExtensionURI + "\r\nContent-Length: "
	idle := sync.Pool{New: func() any { return new(line) }}
	return func(question string, read func([]byte)) error {
		l := idle.Get().(*line)
		if err := l.ask(host, head, envelope(question)); err != nil {
			return err
		}
		read(l.body)
		idle.Put(l)
		return nil
	}
}

// line is a connection and the last answer on it.
type line struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

func (l *line) ask(host, head, body string) (err error) {
	if l.Conn == nil {
		if l.Conn, err = net.Dial("tcp", host); err != nil {
			return err
		}
		l.in = bufio.NewReaderSize(l.Conn, 64<<10)
	}
	if err := l.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(l.Conn, "%s%d\r\n\r\n%s", head, len(body), body); err != nil {
		return err
	}
	res, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return err
	}
	into := bytes.NewBuffer(l.body[:0])
	_, err = into.ReadFrom(res.Body)
	l.body = into.Bytes()
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d: %.300s", res.StatusCode, l.body)
	}
	return err
}
