package crm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
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
	// At is the time of the attempt, and Attempt its number, from 1.
	At      time.Time
	Attempt int
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
	// Secrets resolves references such as env:NAME.
	Secrets Secrets
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
	// Credentials says that the receiver refused who sends rather than what was
	// sent: the target's secrets are read anew for the next attempt.
	Credentials bool
	// Wait is the pause that the receiver asked for.
	Wait time.Duration
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
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(cause, &dns):
		kind = "name not found"
	case errors.As(cause, &certificate):
		kind = "met a certificate that cannot be verified"
	case errors.Is(cause, context.DeadlineExceeded), errors.As(cause, &network) && network.Timeout():
		kind = "timed out"
	case errors.Is(cause, context.Canceled):
		kind = "was cut short"
	case errors.Is(cause, syscall.ENOSPC):
		kind = "found the disk full"
	case errors.Is(cause, fs.ErrPermission):
		kind = "was not permitted"
	}
	return &Failure{Reason: what + " " + kind, Cause: cause}
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
