package faults

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
)

// postOffice is a mail server that breaks at any stage while there is a storm,
// after the mail was taken too.
type postOffice struct {
	addr   string
	name   string
	storm  *storm
	ledger *ledger
	odd    int
}

func newPostOffice(t testing.TB, name string, s *storm, l *ledger) *postOffice {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &postOffice{addr: listener.Addr().String(), name: name, storm: s, ledger: l, odd: 6}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// target is the mail server in a profile.
func (p *postOffice) target() string {
	return fmt.Sprintf("  - {name: %s, type: smtp, server: %q, starttls: \"off\", from: agent@dealer.example, to: [leads@crm.example], timeout: %s}\n", p.name, p.addr, patience)
}

// outage is a stage of one session that goes wrong, and the line that is said
// there instead; an empty one hangs up.
type outage struct{ stage, line string }

var outages = []outage{
	{"greeting", "421 too busy"}, {"greeting", "554 you are on a list"}, {"greeting", ""},
	{"EHLO", ""}, {"MAIL", "451 later"}, {"MAIL", ""}, {"RCPT", "450 grey"}, {"RCPT", ""},
	{"DATA", "421 shutting down"}, {"DATA", ""}, {"end", "452 disk full"}, {"end", "451 local error"},
	{"end of what was refused", "550 no such mailbox"},
	{"taken", ""}, {"taken", "garbage"}, {"told", ""}, {"told", ""},
}

// serve holds one session.
func (p *postOffice) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var fails outage
	if p.storm.strikes(p.odd) {
		fails = outages[p.storm.roll(len(outages))]
	}
	say := func(stage, line string) bool {
		if fails.stage == stage {
			line = fails.line
		}
		_, err := io.WriteString(conn, line+"\r\n")
		return err == nil && line != ""
	}
	if fails.stage == "greeting" && fails.line == "" || !say("greeting", "220 mail.example") {
		return
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		if fails.stage == verb && fails.line == "" {
			return
		}
		switch verb {
		case "DATA":
			if !say(verb, "354 go ahead") {
				return
			}
			if fails.stage == verb {
				continue
			}
			text, err := mailOf(in)
			if err != nil || !p.end(conn, fails, text) {
				return
			}
		case "QUIT":
			say(verb, "221 bye")
			return
		default:
			if !say(verb, "250 fine") {
				return
			}
		}
	}
}

// end decides about a mail that came whole, and reports whether to go on.
func (p *postOffice) end(conn net.Conn, fails outage, text []byte) bool {
	doc := xmlOf(text)
	line := "250 taken"
	switch fails.stage {
	case "end":
		line = fails.line
	case "end of what was refused":
		p.ledger.refuse(p.name, doc)
		line = fails.line
	case "taken":
		p.ledger.take(p.name, fails.stage, doc, false)
		if line = fails.line; line == "" {
			return false
		}
	default: // told: the connection breaks once all is said
		p.ledger.take(p.name, fails.stage, doc, true)
	}
	_, err := io.WriteString(conn, line+"\r\n")
	return err == nil && fails.stage != "told"
}

func mailOf(in *bufio.Reader) ([]byte, error) {
	var text bytes.Buffer
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == ".\r\n" {
			return text.Bytes(), nil
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
}

// xmlOf is the document that a mail holds as its text.
func xmlOf(text []byte) []byte {
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	doc, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
	return doc
}
