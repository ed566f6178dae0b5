package crm_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// postOffice is a mail server whose answers can be set.
type postOffice struct {
	mu    sync.Mutex
	mails [][]byte
	from  string
	to    []string
	login string
	tls   bool
	helo  string // who says to be calling

	mailErr error
	rcptErr error
	unknown map[string]error // receivers that are refused, and how
	dataErr error
	drop    bool // the connection breaks after the mail was taken
	gray    bool // each receiver is refused once, then taken
	seen    map[string]bool
	speaks  string // the only mechanism offered; default PLAIN
	server  *smtp.Server
	addr    string
	ca      *x509.CertPool
}

func newPostOffice(t testing.TB, secure bool) *postOffice {
	t.Helper()
	p := readyPostOffice(t, secure)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.open(t, listener)
	return p
}

// readyPostOffice has not opened yet.
func readyPostOffice(t testing.TB, secure bool) *postOffice {
	t.Helper()
	p := &postOffice{seen: map[string]bool{}}
	p.server = smtp.NewServer(p)
	p.server.Domain = "mail.example"
	p.server.AllowInsecureAuth = true
	p.server.ErrorLog = quiet{}
	if secure {
		web := httptest.NewTLSServer(nil) // lends its certificate for 127.0.0.1
		t.Cleanup(web.Close)
		p.server.TLSConfig = &tls.Config{Certificates: web.TLS.Certificates}
		p.ca = x509.NewCertPool()
		p.ca.AddCert(web.Certificate())
	}
	return p
}

func (p *postOffice) open(t testing.TB, listener net.Listener) {
	p.addr = listener.Addr().String()
	go func() { _ = p.server.Serve(listener) }()
	t.Cleanup(func() { p.server.Close() })
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (p *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) { return &session{p, c}, nil }

type session struct {
	p *postOffice
	c *smtp.Conn
}

func (s *session) AuthMechanisms() []string {
	if s.p.speaks != "" {
		return []string{s.p.speaks}
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	check := func(user, password string) error {
		if password != "secret of env:MAIL" {
			return smtp.ErrAuthFailed
		}
		s.p.mu.Lock()
		defer s.p.mu.Unlock()
		s.p.login = user
		return nil
	}
	if s.p.speaks == sasl.Login {
		return &loginServer{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
}

// loginServer is the server's side of AUTH LOGIN.
type loginServer struct {
	check func(user, password string) error
	said  []string
}

func (l *loginServer) Next(response []byte) ([]byte, bool, error) {
	if response != nil {
		l.said = append(l.said, string(response))
	}
	switch len(l.said) {
	case 0:
		return []byte("Username:"), false, nil
	case 1:
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.said[0], l.said[1])
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.from, s.p.to, s.p.helo = from, nil, s.c.Hostname()
	_, s.p.tls = s.c.TLSConnectionState()
	return s.p.mailErr
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.rcptErr != nil {
		return s.p.rcptErr
	}
	if err := s.p.unknown[to]; err != nil {
		return err
	}
	if s.p.gray && !s.p.seen[to] {
		s.p.seen[to] = true
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted, come back later"}
	}
	s.p.to = append(s.p.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.dataErr != nil {
		return s.p.dataErr
	}
	s.p.mails = append(s.p.mails, data)
	if s.p.drop {
		s.p.drop = false
		s.c.Conn().Close()
	}
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (p *postOffice) bench(t testing.TB, change func(*dealer.Target)) *bench {
	target := dealer.Target{
		Name: "mail", Type: dealer.TargetSMTP, Server: p.addr, StartTLS: "off",
		From: "agent@lakeside.example", To: []string{"leads@crm.example", "copy@crm.example"},
	}
	if change != nil {
		change(&target)
	}
	b := newBench(t, target)
	b.RootCAs = p.ca
	return b
}
