package pickup

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/dealer-agent/dealer/pkg/outbound"
)

// Fault is why a visit brought no file.
type Fault struct {
	// Reason is a sentence for people, safe to log: it names no address, no
	// secret and nothing that the source said.
	Reason string
	// Denied says that who asks was refused: asking again soon is of no use,
	// and may lock the account.
	Denied bool
	// Wait is the pause that the source asked for.
	Wait time.Duration
	// Cause may quote the source; it is not part of Error.
	Cause error
}

// Error is the reason.
func (f *Fault) Error() string { return f.Reason }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

var (
	errUnchanged = errors.New("unchanged")
	errWriting   = errors.New("still being written")
	errStalled   = errors.New("the source fell silent")
	errTooLong   = errors.New("the visit took too long")
	errTooLarge  = errors.New("larger than is read")
	errDisk      = errors.New("the file cannot be kept here")
)

// connecting words an error of the network or of TLS by its kind alone.
func connecting(ctx context.Context, err error) *Fault {
	f := &Fault{Cause: err}
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var network net.Error
	cause := context.Cause(ctx)
	switch {
	case errors.Is(err, errTooLarge):
		f.Reason = fmt.Sprintf("the file is larger than %d bytes, which is more than an export holds; see that the address is that of the export", int64(maxFile))
	case errors.Is(err, errDisk):
		f.Reason = "the file cannot be kept on the way: no space is left, or the folder cannot be written to"
	case errors.Is(cause, errTooLong):
		f.Reason = "the file did not arrive in time; ask for a smaller or packed export, or a faster server"
	case errors.Is(cause, errStalled):
		f.Reason = "the server fell silent; it is asked again"
	case ctx.Err() != nil:
		f.Reason = "the visit was cut short; it is made again"
	case errors.Is(err, outbound.ErrPrivate):
		f.Reason = "the address leads into a private network, where nothing is fetched from; write the public address of the export"
	case errors.As(err, &dns):
		f.Reason = "the host's name cannot be found; check the url"
	case errors.As(err, &certificate):
		f.Reason = "the server's certificate cannot be verified; it must be one that browsers accept, for this very host"
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Reason = "the server refuses the connection; check host and port, and whether it is up"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		f.Reason = "the connection broke off before the whole file was there; it is asked again"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		f.Reason = "the server did not answer in time; it is asked again"
	default:
		f.Reason = "the server cannot be reached, or does not speak as it should; check the url"
	}
	return f
}
