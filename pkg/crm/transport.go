package crm

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Document is one lead ready to be handed over.
type Document struct {
	LeadID string
	// Rooftop is the selling location's name.
	Rooftop string
	// Body is the ADF/XML in UTF-8.
	Body []byte
	// At is the time of the attempt.
	At time.Time
}

// Receipt is what a transport can say about a document it handed over.
type Receipt struct {
	// Status is the fact of the hand-over, such as "HTTP 201"; safe to log.
	Status string
	// Text is the receiver's own words, printable and short. It may echo the
	// lead: it is stored with it and never logged.
	Text string
	// File is the path written, for files.
	File string
}

// at is the receipt as it is stored.
func (r Receipt) at(now time.Time) string {
	text := r.Text
	if r.Status != "" {
		text = r.Status + " at " + now.UTC().Format(time.RFC3339)
		if r.Text != "" {
			text += ": " + r.Text
		}
	}
	return text
}

// Transport hands one document over. A nil error says that the receiver took
// it, no more. Errors are *Failure; any other error counts as a temporary
// failure that may have reached the receiver. Deliver returns when ctx ends.
type Transport interface {
	Deliver(ctx context.Context, d Document) (Receipt, error)
}

// Setup is what transports need besides their target.
type Setup struct {
	// BaseDir is where relative folders of file targets begin.
	BaseDir string
	// Secret resolves a reference such as env:NAME.
	Secret func(ref string) (string, error)
	// RootCAs verifies servers; nil takes the system's.
	RootCAs *x509.CertPool
}

// Opener makes the transport of one target.
type Opener func(t dealer.Target, s Setup) (Transport, error)

// openers is the one table from target type to transport.
var openers = map[string]Opener{
	dealer.TargetFile:  openFile,
	dealer.TargetHTTPS: openHTTPS,
	dealer.TargetSMTP:  openSMTP,
}

// Failure is an attempt that did not hand the lead over.
type Failure struct {
	// Reason is short and safe to log: no personal data, no receiver's text.
	Reason string
	// Permanent failures are not tried again.
	Permanent bool
	// MayHaveReached says that the receiver may hold the document although it
	// did not confirm it.
	MayHaveReached bool
	// Cause may quote the receiver; it is not part of Error.
	Cause error
}

// Error is the reason.
func (f *Failure) Error() string { return f.Reason }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

func permanent(format string, args ...any) *Failure {
	return &Failure{Reason: fmt.Sprintf(format, args...), Permanent: true}
}

// temporary words a failure by the kind of its cause; the cause's own text
// stays out.
func temporary(what string, cause error) *Failure {
	kind := "failed"
	var network net.Error
	var dns *net.DNSError
	switch {
	case errors.As(cause, &dns):
		kind = "name not found"
	case errors.Is(cause, context.DeadlineExceeded), errors.As(cause, &network) && network.Timeout():
		kind = "timed out"
	case errors.Is(cause, context.Canceled):
		kind = "was cut short"
	}
	return &Failure{Reason: what + " " + kind, Cause: cause}
}

// Environment resolves env:NAME from the process environment.
func Environment(ref string) (string, error) {
	name, ok := strings.CutPrefix(ref, "env:")
	if !ok {
		return "", fmt.Errorf("secret reference %q is not env:NAME", ref)
	}
	value, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	return value, nil
}

// resolve returns value, or the secret it refers to.
func (s Setup) resolve(value string) (string, error) {
	if !strings.HasPrefix(value, "env:") {
		return value, nil
	}
	secret, err := s.Secret(value)
	if err != nil {
		return "", &Failure{Reason: "the secret " + value + " cannot be read", Cause: err}
	}
	return secret, nil
}

// receiptLength is how much of a receiver's answer is kept.
const receiptLength = 200

// printable keeps at most receiptLength characters that a terminal can show.
func printable(text string) string {
	var b strings.Builder
	kept := 0
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			continue
		}
		if kept++; kept > receiptLength {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
