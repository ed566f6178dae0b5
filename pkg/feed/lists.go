package feed

import (
	"encoding/json"
	"strings"
)

// listMark parts the elements of a list that came as one, such as a JSON array.
const listMark = '\x1f'

// separators may part the addresses of a photo list, or wrap one.
const separators = ",|; \t\r\n\x1f\"'~^<>[]{}"

const (
	maxPhotos   = 100
	maxFeatures = 300
	maxURL      = 2000
)

// splitPhotos cuts a cell where a separator stands before "http": a comma
// inside an address belongs to it. Of a list written as JSON, as a program
// prints one or as HTML, the addresses alone are taken.
func splitPhotos(cell string, dst []string) (photos []string, bad int) {
	photos = dst
	cell = strings.TrimSpace(cell)
	markup := cell != "" && strings.IndexByte("[{<", cell[0]) >= 0 && squash(cell) != ""
	if markup {
		cell = strings.ReplaceAll(cell, `\/`, "/")
	}
	if strings.Contains(cell, "HTTP") {
		cell = upperScheme.Replace(cell)
	}
	if n := strings.Count(cell, "http"); photos == nil && n > 0 {
		photos = make([]string, 0, min(n, maxPhotos))
	}
	for cell != "" {
		one := cell
		cell = ""
		for at := 1; at < len(one); at++ {
			next := strings.Index(one[at:], "http")
			if next < 0 {
				break
			}
			at += next
			if isURLStart(one[at:]) && strings.IndexByte(separators, one[at-1]) >= 0 {
				one, cell = one[:at], one[at:]
				break
			}
		}
		one = strings.Trim(one, separators)
		if end := strings.IndexAny(one, `"<>`); end >= 0 {
			one = strings.TrimRight(one[:end], separators)
		}
		if one == "" || isAbsent(one) || markup && !isURLStart(one) {
			continue
		}
		u, ok := webAddress(strings.ReplaceAll(one, "&amp;", "&"))
		if !ok {
			bad++
			continue
		}
		if !contains(photos, u) {
			if len(photos) == maxPhotos {
				return photos, bad
			}
			photos = append(photos, u)
		}
	}
	if markup && len(photos) == len(dst) {
		bad++
	}
	return photos, bad
}

var upperScheme = strings.NewReplacer("HTTP://", "http://", "HTTPS://", "https://")

func isURLStart(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

const hexDigits = "0123456789ABCDEF"

// webAddress makes an absolute http(s) address that is a URI by RFC 3986:
// characters it does not allow are percent-encoded.
func webAddress(s string) (string, bool) {
	rest := ""
	switch {
	case len(s) > maxURL:
		return "", false
	case strings.HasPrefix(s, "https://"):
		rest = s[8:]
	case strings.HasPrefix(s, "http://"):
		rest = s[7:]
	case strings.HasPrefix(s, "//"):
		return webAddress("https:" + s)
	default:
		return "", false
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if !isHost(host) {
		return "", false
	}
	ok := true
	for i := 0; i < len(s) && ok; i++ {
		ok = uriByte(s, i)
	}
	if ok {
		return s, true
	}
	var b strings.Builder
	hash := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c < ' ' || c == 0x7f:
		case uriByte(s, i) && !(c == '#' && hash):
			hash = hash || c == '#'
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String(), true
}

func isHost(h string) bool {
	name, port, hasPort := strings.Cut(h, ":")
	if name == "" || name[0] == '.' || name[0] == '-' || hasPort && (len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// uriBytes are the characters that RFC 3986 lets stand, but % and #.
var uriBytes = func() (set [256]bool) {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
		set[c] = letter || c >= '0' && c <= '9' || c < 0x80 && strings.IndexByte("-._~:/?@!$&'()*+,;=", byte(c)) >= 0
	}
	return set
}()

// uriByte reports whether the byte may stand as it is.
func uriByte(s string, i int) bool {
	switch c := s[i]; c {
	case '%':
		return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
	case '#':
		return strings.IndexByte(s, '#') == i
	default:
		return uriBytes[c]
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// splitFeatures cuts a list of options at its own separator: the list mark, a
// bullet, a pipe, a semicolon, a line, a tilde, else a comma.
func splitFeatures(cell string, dst []string) []string {
	if strings.HasPrefix(cell, "[") {
		var list []string
		if json.Unmarshal([]byte(cell), &list) == nil {
			cell = strings.Join(list, string(listMark))
		}
	}
	if strings.ContainsAny(cell, "<&") {
		cell = strings.TrimSpace(plain(cell))
	}
	sep := ","
	for _, s := range []string{string(listMark), "•", "●", "▪", "|", ";", "\n", "~"} {
		if strings.Contains(cell, s) {
			sep = s
			break
		}
	}
	for part := range strings.SplitSeq(cell, sep) {
		if part = strings.TrimPrefix(line1(part), "- "); part != "" && (!uriBytes[part[0]] || !uriBytes[part[len(part)-1]]) {
			part = strings.Trim(part, " ,;|•·*")
		}
		if part == "" || isAbsent(part) || contains(dst, part) {
			continue
		}
		if len(dst) == maxFeatures {
			break
		}
		dst = append(dst, part)
	}
	return dst
}
