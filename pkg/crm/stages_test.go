package crm_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// oldServer is a mail server by hand, for what a library's server never does:
// it knows no EHLO, answers a stage with a line of the test's, or hangs up.
type oldServer struct {
	addr string
	// says overrides the answer to a stage: greeting, EHLO, HELO, MAIL, RCPT,
	// DATA or end. "hang up" closes the connection instead.
	says map[string]string

	mu    sync.Mutex
	mails []string
}

func newOldServer(t *testing.T, says map[string]string) *oldServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s := &oldServer{addr: listener.Addr().String(), says: says}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *oldServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	answer := func(stage, otherwise string) bool {
		line, ok := s.says[stage]
		if !ok {
			line = otherwise
		}
		if line == "hang up" {
			return false
		}
		_, err := fmt.Fprintf(conn, "%s\r\n", line)
		return err == nil
	}
	if !answer("greeting", "220 old.example") {
		return
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		more := true
		switch verb {
		case "EHLO":
			more = answer(verb, "502 never heard of it")
		case "DATA":
			if more = answer(verb, "354 go ahead"); more && s.says[verb] == "" {
				var text strings.Builder
				for line, err = in.ReadString('\n'); err == nil && line != ".\r\n"; line, err = in.ReadString('\n') {
					text.WriteString(strings.TrimPrefix(line, "."))
				}
				s.mu.Lock()
				s.mails = append(s.mails, text.String())
				s.mu.Unlock()
				more = answer("end", "250 taken")
			}
		case "QUIT":
			answer(verb, "221 bye")
			return
		default:
			more = answer(verb, "250 fine")
		}
		if !more {
			return
		}
	}
}

func (s *oldServer) bench(t *testing.T) *bench {
	return newBench(t, dealer.Target{
		Name: "mail", Type: dealer.TargetSMTP, Server: s.addr, StartTLS: "off",
		From: "agent@lakeside.example", To: []string{"leads@crm.example"}, Timeout: dealer.Duration(3 * time.Second),
	})
}

func TestAServerWithoutExtensionsGetsTheSameDocument(t *testing.T) {
	s := newOldServer(t, nil)
	b := s.bench(t)
	r := b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	got, _ := opened(t, []byte(s.mails[0]))
	if diff := cmp.Diff(b.rendered(t, r, adf.Options{}), got); diff != "" {
		t.Error(diff)
	}
}

func TestEachStageOfAMailSessionDecidesForItself(t *testing.T) {
	for _, tt := range []struct {
		stage, answer, state string
		resend               bool
	}{
		{"greeting", "421 too busy", lead.Retrying, false},
		{"greeting", "554 you are on a list", lead.Retrying, false},
		{"greeting", "hang up", lead.Retrying, false},
		{"HELO", "550 who are you", lead.Retrying, false},
		{"HELO", "hang up", lead.Retrying, false},
		{"MAIL", "451 later", lead.Retrying, false},
		{"MAIL", "550 not from you", lead.Failed, false},
		{"MAIL", "hang up", lead.Retrying, false},
		{"RCPT", "450 mailbox busy", lead.Retrying, false},
		{"RCPT", "550 no such mailbox", lead.Failed, false},
		{"RCPT", "hang up", lead.Retrying, false},
		{"DATA", "421 shutting down", lead.Retrying, false},
		{"DATA", "554 no", lead.Failed, false},
		{"DATA", "hang up", lead.Retrying, false},
		{"end", "452 disk full", lead.Retrying, false},
		{"end", "552 too large", lead.Failed, false},
		{"end", "hang up", lead.Retrying, true},
		{"end", "garbage", lead.Retrying, true},
		{"QUIT", "hang up", lead.HandedOver, false},
	} {
		t.Run(tt.stage+"/"+tt.answer, func(t *testing.T) {
			s := newOldServer(t, map[string]string{tt.stage: tt.answer})
			b := s.bench(t)
			b.submit(t, "L-1", nil)
			err := b.handle(t, "L-1")
			if (err != nil) != (tt.state == lead.Retrying) {
				t.Errorf("the queue is told %v", err)
			}
			if d := b.want(t, "L-1", "mail", tt.state, 1); d.Begun != tt.resend {
				t.Errorf("may have arrived: %v, want %v; %s", d.Begun, tt.resend, d.LastError)
			}
			assertSilent(t, b, err)
		})
	}
}

func TestAGreylistedMailArrivesOnTheNextAttemptAndIsNoResend(t *testing.T) {
	p := newPostOffice(t, false)
	p.gray = true
	b := p.bench(t, func(t *dealer.Target) { t.To = t.To[:1] })
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err == nil {
		t.Fatal("a greylisted mail counts as done")
	}
	b.want(t, "L-1", "mail", lead.Retrying, 1)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "mail", lead.HandedOver, 2)
	if got, _ := opened(t, p.mails[0]); !strings.Contains(got, `<prospect status="new">`) {
		t.Errorf("document %.200s", got)
	}
}

func TestMailLoginSpeaksWhatTheServerOffers(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		p := newPostOffice(t, true)
		p.speaks = mechanism
		b := p.bench(t, func(t *dealer.Target) { t.StartTLS, t.Username, t.Password = "required", "agent", "env:MAIL" })
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
		if p.login != "agent" || !p.tls {
			t.Errorf("%s: logged in as %q, TLS %v", mechanism, p.login, p.tls)
		}
	}
}

func TestASenderRefusedForNowIsTriedAgain(t *testing.T) {
	p := newPostOffice(t, false)
	p.mailErr = &smtp.SMTPError{Code: 450, Message: "later"}
	b := p.bench(t, nil)
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err == nil {
		t.Fatal("done")
	}
	b.want(t, "L-1", "mail", lead.Retrying, 1)
}
