package crm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// relay gives the document to a mail server as one mail. An accepted mail is a
// hand-over; mail has no receipt beyond that. What else the server says:
//
//	connection, greeting, EHLO, STARTTLS   temporary, whatever the code
//	login refused (530, 534, 535, 538 …)   temporary, with the secret read anew
//	4yz to sender, receiver or mail        temporary; greylisting is one of these
//	5yz to sender, receiver or mail        permanent
//	5yz to some of several receivers       permanent once the others have the
//	                                       mail: a person has to look
//	no answer after the end of the mail    temporary, and the mail may have arrived
//	any other break, time-out or TLS fault temporary
type relay struct {
	target dealer.Target
	setup  Setup
	host   string
	port   string
}

func openSMTP(t dealer.Target, s Setup) (Transport, error) {
	host, port, err := net.SplitHostPort(t.Server)
	if err != nil {
		return nil, permanent("the server is not host:port")
	}
	if t.StartTLS == "off" && !loopback(host) {
		return nil, permanent("a mail server elsewhere needs starttls")
	}
	return relay{t, s, host, port}, nil
}

func (r relay) Deliver(ctx context.Context, d Document) (Receipt, error) {
	text, err := Mail(r.target, d)
	if err != nil {
		return Receipt{}, permanent("the mail cannot be written")
	}
	// Closing the connection is how ctx ends a session; say so, not how it felt.
	fail := func(what string, err error) *Failure { return mailFailure(what, errors.Join(err, ctx.Err())) }
	c, hangUp, err := r.connect(ctx)
	if err != nil {
		f := fail("the connection", err)
		f.Permanent = false // it is not about this lead
		return Receipt{}, f
	}
	defer hangUp()
	if err := r.login(ctx, c); err != nil {
		return Receipt{}, loginFailure(fail("the login", err))
	}
	if err := c.Mail(r.target.From, nil); err != nil {
		return Receipt{}, fail("the sender", err)
	}
	refused, err := r.address(c)
	if err != nil {
		return Receipt{}, fail("a receiver", err)
	}
	data, err := c.Data()
	if err != nil {
		return Receipt{}, fail("the mail", err)
	}
	if _, err := data.Write(text); err != nil {
		return Receipt{}, fail("the mail", err)
	}
	answer, err := data.CloseWithResponse()
	if err != nil {
		f := fail("the mail", err)
		// Without an answer to the end of the mail nobody knows (RFC 5321 §4.5.3.2.6).
		_, answered := errors.AsType[*smtp.SMTPError](err)
		f.MayHaveReached = !answered
		return Receipt{}, f
	}
	_ = c.Quit() // the mail is accepted; a rude goodbye changes nothing
	if n := len(refused); n > 0 {
		f := fail(fmt.Sprintf("%d of %d receivers; the others have the mail", n, len(r.target.To)), refused[0])
		f.MayHaveReached = true
		return Receipt{}, f
	}
	return Receipt{Status: "SMTP 250", Text: printable(answer.StatusText)}, nil
}

// address names the receivers. It returns what the server said of those that
// it refuses for good, as long as it takes another one, and an error when the
// mail is not to be sent at all.
func (r relay) address(c *smtp.Client) (refused []error, err error) {
	for _, to := range r.target.To {
		err := c.Rcpt(to, nil)
		answer, answered := errors.AsType[*smtp.SMTPError](err)
		switch {
		case err == nil:
		case answered && answer.Code/100 == 5:
			refused = append(refused, err)
		default:
			return nil, err
		}
	}
	if len(refused) == len(r.target.To) {
		return nil, errors.Join(refused...)
	}
	return refused, nil
}

// connect opens the session as the target's starttls says. The returned
// function ends it; the session also ends with ctx.
func (r relay) connect(ctx context.Context) (*smtp.Client, func(), error) {
	secure := &tls.Config{ServerName: r.host, MinVersion: tls.VersionTLS12, RootCAs: r.setup.RootCAs}
	dial := func(open func(net.Conn) (*smtp.Client, error)) (*smtp.Client, func(), error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.target.Server)
		if err != nil {
			return nil, nil, err
		}
		conn = &patient{conn, mostSaid}
		// The client sets deadlines of its own; closing is what ctx can do.
		release := context.AfterFunc(ctx, func() { conn.Close() })
		hangUp := func() {
			release()
			conn.Close()
		}
		c, err := open(conn)
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		c.CommandTimeout, c.SubmissionTimeout = timeoutOf(r.target), timeoutOf(r.target)
		return c, hangUp, nil
	}
	// Many servers refuse whoever calls by no full name.
	name := domain(r.target.From)
	startTLS := func(conn net.Conn) (*smtp.Client, error) {
		c, err := smtp.NewClientStartTLS(conn, secure)
		if err != nil {
			return nil, err
		}
		return c, c.Hello(name)
	}
	plain := func(conn net.Conn) (*smtp.Client, error) {
		c := smtp.NewClient(conn)
		return c, c.Hello(name)
	}
	switch {
	case r.port == "465": // TLS from the first byte (RFC 8314 §3.3)
		return dial(func(conn net.Conn) (*smtp.Client, error) { return plain(tls.Client(conn, secure)) })
	case r.target.StartTLS == "off":
		return dial(plain)
	case r.target.StartTLS == "opportunistic":
		c, hangUp, err := dial(plain)
		if err != nil {
			return nil, nil, err
		}
		if offered, _ := c.Extension("STARTTLS"); !offered {
			return c, hangUp, nil
		}
		_ = c.Quit()
		hangUp()
	}
	return dial(startTLS)
}

// mostSaid is what a mail server may say in a session, its certificates
// included; a reply has no length of its own.
const mostSaid = 1 << 20

// patient is a connection that hears no more than it has patience for.
type patient struct {
	net.Conn
	left int
}

var errTalkative = errors.New("the mail server says too much")

func (p *patient) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, errTalkative
	}
	n, err := p.Conn.Read(b[:min(len(b), p.left)])
	p.left -= n
	return n, err
}

// login authenticates when the profile names a user; a password never crosses
// an unprotected connection to another machine.
func (r relay) login(ctx context.Context, c *smtp.Client) error {
	if r.target.Username == "" {
		return nil
	}
	if _, secure := c.TLSConnectionState(); !secure && !loopback(r.host) {
		return &Failure{Reason: "the mail server offers no TLS for the login"}
	}
	password, err := r.setup.resolve(ctx, r.target.Password)
	if err != nil {
		return err
	}
	if c.SupportsAuth(sasl.Plain) {
		return c.Auth(sasl.NewPlainClient("", r.target.Username, password))
	}
	return c.Auth(sasl.NewLoginClient(r.target.Username, password))
}

// loginFailure is a failure before anything of the lead was said: wrong
// credentials can be mended, so the lead waits.
func loginFailure(f *Failure) *Failure {
	_, answered := errors.AsType[*smtp.SMTPError](f.Cause)
	f.Credentials = f.Permanent && answered
	f.Permanent = false
	return f
}

// mailFailure sorts an error by the server's code: 5yz is final, 4yz is not
// (RFC 5321 §4.2.1).
func mailFailure(what string, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if answer, ok := errors.AsType[*smtp.SMTPError](err); ok {
		return &Failure{
			Reason:    fmt.Sprintf("SMTP %d to %s", answer.Code, what),
			Permanent: answer.Code/100 == 5,
			Cause:     err,
		}
	}
	return temporary(what, err)
}
