package schema

import (
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var errFormat = errors.New("not in the format")

// formats are those this package asserts by its own reading; any other format
// a schema names is asserted as the library reads it.
func formats() []*jsonschema.Format {
	text := func(name string, ok func(string) bool) *jsonschema.Format {
		return &jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, is := v.(string); is && !ok(s) {
				return errFormat
			}
			return nil
		}}
	}
	return []*jsonschema.Format{
		text("date-time", isDateTime), text("date", isDate), text("email", isEmail), text("uri", isURI),
	}
}

// isDateTime accepts what RFC 3339 calls a date-time and time.Parse can read
// once T and Z are capitals. The offset is mandatory; a leap second is refused,
// because no program here could keep it.
func isDateTime(s string) bool {
	// time.Parse lets a comma stand for the point of a fraction, and an hour of one digit pass.
	if len(s) < len("2006-01-02T15:04:05Z") || s[13] != ':' || strings.IndexByte(s, ',') >= 0 {
		return false
	}
	if s[10] == 't' || strings.HasSuffix(s, "z") {
		s = strings.ToUpper(s)
	}
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// isDate accepts a full-date of RFC 3339.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isEmail accepts an address of RFC 5321 length without display name, comment or
// control character: local part, at-sign, and a domain of dot-separated labels
// (in letters of any script) or an address literal.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 || strings.ContainsAny(s, "<>(),;\\ \t") {
		return false
	}
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Name != "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	domain := s[at+1:]
	if strings.HasPrefix(domain, "[") {
		return true // mail.ParseAddress has read the literal
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool {
				return r < 0x80 && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
			}) {
			return false
		}
	}
	return true
}

// isURI accepts an absolute URI. Letters beyond ASCII pass, since the released
// examples' own checker lets them.
func isURI(s string) bool {
	if strings.ContainsAny(s, " <>\"{}|\\^`") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}
