package cloud

import (
	"context"
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// NewLogger writes one JSON object a line with the request's id and trace. It
// is the last barrier for personal data: attributes may be numbers, times,
// errors, short words and names of things; whole values (structs, maps, lists,
// JSON text) are replaced by their type, and e-mail addresses and telephone
// numbers inside text are struck out.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(&logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: scrub})})
}

// apiRequest is the context key of API Gateway's id of a request, which is the
// error_id of what API Gateway answers itself, such as when a function is slow.
type apiRequest struct{}

// logHandler adds what Lambda knows about the invocation.
type logHandler struct{ slog.Handler }

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Message = scrubText(r.Message)
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		r.AddAttrs(slog.String("aws_request_id", lc.AwsRequestID))
	}
	if id, ok := ctx.Value(apiRequest{}).(string); ok && id != "" {
		r.AddAttrs(slog.String("api_request_id", id))
	}
	if id := traceOf(ctx); id != "" {
		r.AddAttrs(slog.String("trace_id", id))
	}
	noted(ctx, &r)
	if id, ok := DealerOf(ctx); ok {
		r.AddAttrs(slog.String("dealer", id))
	}
	return h.Handler.Handle(ctx, r)
}

// traceOf is X-Ray's id of the request, which its pages are found by.
func traceOf(ctx context.Context) string {
	header, _ := ctx.Value("x-amzn-trace-id").(string) // as the runtime's library calls it
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(part, "Root="); ok {
			return root
		}
	}
	return ""
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.Handler.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.Handler.WithGroup(name)}
}

// personal names members that hold personal data wherever they appear.
var personal = map[string]bool{
	"customer": true, "first_name": true, "last_name": true, "full_name": true, "email": true, "phone": true,
	"address": true, "line1": true, "line2": true, "message": true, "comments": true, "consent": true,
	"payload": true, "request": true, "body": true, "adf": true,
}

func scrub(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return a
	}
	if personal[strings.ToLower(a.Key)] {
		return slog.String(a.Key, "[withheld]")
	}
	switch a.Value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, scrubText(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case nil, bool, int, int64, uint64, float64, time.Time, time.Duration:
			return a
		case error:
			return slog.String(a.Key, scrubText(v.Error()))
		case slog.Level, *slog.Source:
			return a
		case ObjectName:
			return slog.String(a.Key, v.String())
		case encoding.TextMarshaler:
			if text, err := v.MarshalText(); err == nil {
				return slog.String(a.Key, scrubText(string(text)))
			}
		}
		return slog.String(a.Key, fmt.Sprintf("[withheld %T]", a.Value.Any()))
	}
	return a
}

// ObjectName is the key of an object or its s3:// address. File names are the
// dealer's own words: the log keeps their digits, but no control characters.
type ObjectName string

// String is the name without what could forge or hide a line.
func (n ObjectName) String() string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(n), ""))
	return mailAddress.ReplaceAllString(clean, "[e-mail]")
}

const longest = 1000

var (
	mailAddress = regexp.MustCompile(`[^\s<>"'(),:;=]+@[^\s<>"'(),:;=]+`)
	// Ids, X-Ray's too, dates and words with letters come first, so that the digits in them
	// are not taken for a telephone number.
	phoneNumber = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b1-[0-9a-f]{8}-[0-9a-f]{24}\b` +
		`|\d{4}-\d{2}-\d{2}[T0-9:.Z+-]*|\b[0-9]*[A-Za-z][A-Za-z0-9_]*\b|(\+?\(?\d[\d ().-]{7,}\d)`)
)

// scrubText strikes out what looks like personal data. Document-like text is
// withheld whole: names have no shape of their own. Dates and ids stay.
func scrubText(s string) string {
	if strings.ContainsAny(s, "{<") && strings.ContainsAny(s, "}>") {
		return fmt.Sprintf("[withheld %d bytes]", len(s))
	}
	if len(s) > longest {
		s = s[:longest] + "…"
	}
	s = mailAddress.ReplaceAllString(s, "[e-mail]")
	return phoneNumber.ReplaceAllStringFunc(s, func(m string) string {
		if phoneNumber.FindStringSubmatch(m)[1] != "" {
			return "[number]"
		}
		return m
	})
}
