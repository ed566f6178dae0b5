package crm_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestMailBodyIsTheDocument(t *testing.T) {
	p := newPostOffice(t, false)
	b := p.bench(t, func(t *dealer.Target) { t.Subject = "ADF {rooftop} {lead_id}" })
	r := b.submit(t, "L-1", func(_ *aap.LeadRequest, r *lead.Record) { r.Rooftop = "Süd & Söhne" })
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "mail", lead.HandedOver, 1)
	if diff := cmp.Diff([]string{"leads@crm.example", "copy@crm.example"}, p.to); diff != "" {
		t.Error(diff)
	}
	raw := p.mails[0]
	for line := range bytes.Lines(raw) {
		if len(line) > 78 || !bytes.HasSuffix(line, []byte("\r\n")) {
			t.Errorf("line of %d bytes: %q", len(line), line)
		}
		for _, c := range line {
			if c >= 0x7f {
				t.Fatalf("byte beyond ASCII in %q", line)
			}
		}
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"From": "agent@lakeside.example", "To": "leads@crm.example, copy@crm.example", "Message-Id": "<L-1.1@lakeside.example>",
		"Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "quoted-printable", "Mime-Version": "1.0",
		"Date": "Fri, 01 May 2026 12:00:00 +0000",
	} {
		if got := m.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if subject != "ADF Süd & Söhne L-1" {
		t.Errorf("subject %q", subject)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.rendered(t, r, adf.Options{}), string(body)); diff != "" {
		t.Error(diff)
	}
}

func TestMailSubjectCannotBeInjected(t *testing.T) {
	p := newPostOffice(t, false)
	b := p.bench(t, func(t *dealer.Target) { t.Subject = "x\r\nBcc: evil@example.com\r\n\r\nbody" })
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadMessage(bytes.NewReader(p.mails[0]))
	if err != nil || m.Header.Get("Bcc") != "" || m.Header.Get("Mime-Version") == "" {
		t.Errorf("headers %v, %v", m.Header, err)
	}
}

func TestMailConnectionIsProtectedAsTheProfileSays(t *testing.T) {
	tests := []struct {
		name     string
		offered  bool
		starttls string
		state    string
		tls      bool
	}{
		{"required and offered", true, "required", lead.HandedOver, true},
		{"required and not offered", false, "required", lead.Retrying, false},
		{"required by default", false, "", lead.Retrying, false},
		{"opportunistic and offered", true, "opportunistic", lead.HandedOver, true},
		{"opportunistic and not offered", false, "opportunistic", lead.HandedOver, false},
		{"off", true, "off", lead.HandedOver, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPostOffice(t, tt.offered)
			b := p.bench(t, func(t *dealer.Target) { t.StartTLS = tt.starttls })
			b.submit(t, "L-1", nil)
			_ = b.handle(t, "L-1")
			d := b.want(t, "L-1", "mail", tt.state, 1)
			if p.tls != tt.tls || d.Begun {
				t.Errorf("over TLS: %v, begun: %v", p.tls, d.Begun)
			}
			// Many servers refuse a caller without a full name, for good.
			if tt.state == lead.HandedOver && p.helo != "lakeside.example" {
				t.Errorf("it calls as %q", p.helo)
			}
		})
	}
	t.Run("a certificate of an unknown authority", func(t *testing.T) {
		p := newPostOffice(t, true)
		b := p.bench(t, func(t *dealer.Target) { t.StartTLS = "required" })
		b.RootCAs = x509.NewCertPool()
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); err == nil || len(p.mails) != 0 {
			t.Errorf("got %v, %d mails", err, len(p.mails))
		}
	})
	t.Run("off is refused for a server elsewhere", func(t *testing.T) {
		b := newPostOffice(t, false).bench(t, func(t *dealer.Target) { t.Server = "mail.example.com:25" })
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
		b.want(t, "L-1", "mail", lead.Failed, 0)
	})
}

func TestPort465SpeaksTLSFromTheFirstByte(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:465")
	if err != nil {
		aaptest.Missing(t, "the right to listen on port 465: "+err.Error())
	}
	p := readyPostOffice(t, true)
	p.open(t, tls.NewListener(listener, p.server.TLSConfig))
	b := p.bench(t, func(t *dealer.Target) { t.StartTLS, t.Username, t.Password = "required", "agent", "env:MAIL" })
	r := b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "L-1", "mail", lead.HandedOver, 1)
	if got, _ := opened(t, p.mails[0]); got != b.rendered(t, r, adf.Options{}) {
		t.Errorf("the mail decodes to %q", got)
	}
	if !p.tls || p.login != "agent" {
		t.Errorf("over TLS: %v, logged in as %q", p.tls, p.login)
	}
	b.RootCAs = x509.NewCertPool()
	b.submit(t, "L-2", nil)
	if err := b.handle(t, "L-2"); err == nil || len(p.mails) != 1 {
		t.Errorf("a certificate of an unknown authority: %v, %d mails", err, len(p.mails))
	}
	if d := b.want(t, "L-2", "mail", lead.Retrying, 1); d.Begun || d.LastError != "the connection met a certificate that cannot be verified" {
		t.Errorf("%+v", d)
	}
}

func TestMailLogin(t *testing.T) {
	for password, want := range map[string]string{"env:MAIL": lead.HandedOver, "env:OTHER": lead.Retrying, "env:MISSING": lead.Retrying} {
		p := newPostOffice(t, true)
		b := p.bench(t, func(t *dealer.Target) { t.StartTLS, t.Username, t.Password = "required", "agent", password })
		b.submit(t, "L-1", nil)
		_ = b.handle(t, "L-1")
		b.want(t, "L-1", "mail", want, 1)
		if got := p.login == "agent"; got != (want == lead.HandedOver) {
			t.Errorf("%s: logged in as %q", password, p.login)
		}
		if strings.Contains(b.log.String(), "secret of") {
			t.Error("the password is in the log")
		}
	}
}

func TestMailAnswersDecideWhatHappensNext(t *testing.T) {
	code := func(n int) error {
		return &smtp.SMTPError{Code: n, EnhancedCode: smtp.NoEnhancedCode, Message: "no thanks, wilhelmina@example.com"}
	}
	tests := []struct {
		name   string
		set    func(*postOffice)
		state  string
		resend bool
	}{
		{"mailbox busy", func(p *postOffice) { p.rcptErr = code(450) }, lead.Retrying, false},
		{"no such mailbox", func(p *postOffice) { p.rcptErr = code(550) }, lead.Failed, false},
		{"mail refused for now", func(p *postOffice) { p.dataErr = code(451) }, lead.Retrying, false},
		{"mail refused for good", func(p *postOffice) { p.dataErr = code(554) }, lead.Failed, false},
		{"the line breaks after the mail", func(p *postOffice) { p.drop = true }, lead.Retrying, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPostOffice(t, false)
			tt.set(p)
			b := p.bench(t, nil)
			b.submit(t, "L-1", nil)
			err := b.handle(t, "L-1")
			if (err != nil) != (tt.state == lead.Retrying) {
				t.Errorf("the queue is told %v", err)
			}
			assertSilent(t, b, err)
			b.want(t, "L-1", "mail", tt.state, 1)
			if tt.state == lead.Failed {
				return
			}
			p.mu.Lock()
			p.rcptErr, p.dataErr, p.mails = nil, nil, nil
			p.mu.Unlock()
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(p.mails[0], []byte(`status=3D"resend"`)); got != tt.resend {
				t.Errorf("the second mail is a resend: %v", got)
			}
		})
	}
}

func TestAReceiverThatIsRefusedDoesNotCostTheOthersTheMail(t *testing.T) {
	code := func(n int) error {
		return &smtp.SMTPError{Code: n, EnhancedCode: smtp.NoEnhancedCode, Message: "no thanks, wilhelmina@example.com"}
	}
	const leads, copies = "leads@crm.example", "copy@crm.example"
	for _, tt := range []struct {
		name    string
		unknown map[string]error
		state   string
		reason  string
		sent    []string
	}{
		{"the first for good", map[string]error{leads: code(550)}, lead.Failed, "SMTP 550 to 1 of 2 receivers; the others have the mail", []string{copies}},
		{"the last for good", map[string]error{copies: code(553)}, lead.Failed, "SMTP 553 to 1 of 2 receivers; the others have the mail", []string{leads}},
		{"one for good and one for now", map[string]error{leads: code(550), copies: code(450)}, lead.Retrying, "SMTP 450 to a receiver", nil},
		{"one for now", map[string]error{copies: code(450)}, lead.Retrying, "SMTP 450 to a receiver", nil},
		{"all for good", map[string]error{leads: code(550), copies: code(550)}, lead.Failed, "SMTP 550 to a receiver", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPostOffice(t, false)
			p.unknown = tt.unknown
			b := p.bench(t, nil)
			b.submit(t, "L-1", nil)
			err := b.handle(t, "L-1")
			assertSilent(t, b, err)
			d := b.want(t, "L-1", "mail", tt.state, 1)
			if d.LastError != tt.reason || d.Begun != (tt.sent != nil) {
				t.Errorf("%+v", d)
			}
			if len(p.mails) != min(len(tt.sent), 1) {
				t.Fatalf("%d mails", len(p.mails))
			}
			if diff := cmp.Diff(tt.sent, p.to); tt.sent != nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}
