package faults

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// behaviour is what a CRM does with one document.
type behaviour struct {
	name string
	// accepts and tells say what becomes of the document; refuses, that it is
	// turned down for good.
	accepts, tells, refuses bool
	act                     func(*receiver, http.ResponseWriter, *http.Request)
}

func status(code int, body string, header ...string) func(*receiver, http.ResponseWriter, *http.Request) {
	return func(_ *receiver, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp ends the connection after the given bytes, without an answer's end.
func hangUp(first string) func(*receiver, http.ResponseWriter, *http.Request) {
	return func(_ *receiver, w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, first)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

// silence answers when the sender has given up, if then.
func silence(c *receiver, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-c.closed:
	}
}

const failureWord = "not processed"

// oddities are the ways in which a CRM misbehaves.
var oddities = []behaviour{
	{name: "500", act: status(500, "oops")},
	{name: "500 after taking it", accepts: true, act: status(500, "oops")},
	{name: "502 by a gateway", accepts: true, act: status(502, "<html>Bad Gateway</html>")},
	{name: "503", act: status(503, "closed", "Retry-After", "0")},
	{name: "503 with a pause", act: status(503, "closed", "Retry-After", "1")},
	{name: "429", act: status(429, "slow down", "Retry-After", "0")},
	{name: "429 with a pause", act: status(429, "slow down", "Retry-After", "1")},
	{name: "429 with a pause nobody can read", act: status(429, "slow down", "Retry-After", "soon")},
	{name: "408", act: status(408, "")},
	{name: "401", act: status(401, "who are you")},
	{name: "403", act: status(403, "go away")},
	{name: "301", refuses: true, act: status(301, "", "Location", "http://127.0.0.1:9/elsewhere")},
	{name: "307", refuses: true, act: status(307, "", "Location", "/again")},
	{name: "400", refuses: true, act: status(400, "bad xml")},
	{name: "200 with garbage", accepts: true, tells: true, act: status(200, "\x00\xff\xfe<html>\x1b[31m{]}")},
	{name: "200 with nothing", accepts: true, tells: true, act: status(200, "")},
	{name: "202 with a reference", accepts: true, tells: true, act: status(202, "ok", "Location", "/leads/7")},
	{name: "204", accepts: true, tells: true, act: status(204, "")},
	{name: "200 with a failure word", act: status(200, "Lead NOT Processed today")},
	{name: "200 with a failure word after taking it", accepts: true, act: status(200, "lead not processed (duplicate?)")},
	{name: "200 that breaks off", accepts: true, act: hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nlead pro")},
	{name: "half a status line", accepts: true, act: hangUp("HTTP/1.1 2")},
	{name: "no HTTP at all", accepts: true, act: hangUp("220 mail.example ESMTP\r\n")},
	{name: "hangs up", act: hangUp("")},
	{name: "hangs up after taking it", accepts: true, act: hangUp("")},
}

// silences make the sender wait for its time-out.
var silences = []behaviour{
	{name: "silent", act: silence},
	{name: "silent after taking it", accepts: true, act: silence},
}

// receiver is an HTTP receiver that misbehaves as long as there is a storm.
type receiver struct {
	*httptest.Server
	name   string
	storm  *storm
	ledger *ledger
	// odd and silent say how seldom it misbehaves.
	odd, silent int
	// hook, when set, is called with each document that is accepted, before the
	// answer; false takes the answer away.
	hook   atomic.Pointer[func() bool]
	closed chan struct{}
}

func newCRM(t testing.TB, name string, s *storm, l *ledger) *receiver {
	t.Helper()
	c := &receiver{name: name, storm: s, ledger: l, odd: 5, silent: 500, closed: make(chan struct{})}
	c.Server = httptest.NewUnstartedServer(c)
	t.Cleanup(func() {
		close(c.closed)
		c.Close()
	})
	return c
}

// target opens the CRM and is what a profile says of it.
func (c *receiver) target() string {
	c.Start()
	return fmt.Sprintf("  - {name: %s, type: https, url: %q, timeout: %s, failure_words: [%s]}\n", c.name, c.URL+"/adf", patience, failureWord)
}

// patience is the time-out of a hand-over: long beside what a busy machine takes.
const patience = 4 * time.Second

// ServeHTTP takes one document, or does not.
func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	does := behaviour{name: "200", accepts: true, tells: true, act: status(200, "thanks")}
	switch {
	case c.storm.strikes(c.silent):
		does = silences[c.storm.roll(len(silences))]
	case c.storm.strikes(c.odd):
		does = oddities[c.storm.roll(len(oddities))]
	}
	doc, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender died half-way
	}
	if does.refuses {
		c.ledger.refuse(c.name, doc)
	}
	if does.accepts {
		hook := c.hook.Load()
		answers := hook == nil || (*hook)()
		c.ledger.take(c.name, does.name, doc, does.tells && answers)
		if !answers {
			hangUp("")(c, w, r)
			return
		}
	}
	does.act(c, w, r)
}
