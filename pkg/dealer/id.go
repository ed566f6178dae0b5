package dealer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// IDOf makes a Profile.ID of a dealer's name, accents taken off: "dealer" of a
// name without any letter or digit of ASCII.
func IDOf(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
		default:
			b.WriteByte('-')
		}
	}
	id := strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
	if len(id) > 63 {
		id = id[:63]
	}
	if id = strings.Trim(id, "-"); id == "" {
		return "dealer"
	}
	return id
}
