package feed

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Lengths, in bytes, at which texts are cut.
const (
	maxLine        = 300
	maxDescription = 12_000
)

// text decodes one cell: bytes that are not UTF-8 are Windows-1252, the charset
// of most exports that are not.
//
// ="00417" is how spreadsheets are told to leave a text alone; it says 00417.
func text(b []byte) string {
	if n := len(b); n > 2 && b[0] == '=' && b[1] == '"' && b[n-1] == '"' {
		b = bytes.ReplaceAll(b[2:n-1], []byte(`""`), []byte(`"`))
	}
	if utf8.Valid(b) {
		return string(b)
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "")
	}
	return strings.ReplaceAll(string(out), "�", "")
}

// clean reports a text that line1 would not change.
func clean(s string) bool {
	blank := true // a leading blank is not clean
	for i := range len(s) {
		c := s[i]
		if c <= ' ' {
			if c != ' ' || blank {
				return false
			}
			blank = true
			continue
		}
		if c >= 0x7f || c == '&' || c == '<' {
			return false
		}
		blank = false
	}
	return !blank || s == ""
}

// line1 makes one line of plain text: markup and control characters gone,
// blanks of every kind one space, at most maxLine bytes.
func line1(s string) string {
	if len(s) <= maxLine && clean(s) {
		return s
	}
	if strings.ContainsAny(s, "<&") {
		s = plain(s)
	}
	var b strings.Builder
	blank := false
	for _, c := range s {
		if unicode.IsSpace(c) || c == listMark {
			blank = b.Len() > 0
			continue
		}
		if invisible(c) {
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(c)
	}
	return cut(b.String(), maxLine)
}

// prose makes plain text that keeps its line breaks, at most one blank line
// between paragraphs.
func prose(s string) string {
	if strings.ContainsAny(s, "<&") {
		s = plain(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	breaks, blank, done := 0, false, 0
	for at, c := range s {
		if at < done {
			continue
		}
		if breaks == 0 && !blank {
			if done = at + plainRun(s[at:]); done > at {
				b.WriteString(s[at:done])
				continue
			}
		}
		switch {
		case c == '\n' || c == '\u2028' || c == '\u2029' || c == listMark:
			breaks++
			continue
		case unicode.IsSpace(c):
			blank = true
			continue
		case invisible(c):
			continue
		}
		if b.Len() > 0 {
			switch {
			case breaks > 1:
				b.WriteString("\n\n")
			case breaks == 1:
				b.WriteByte('\n')
			case blank:
				b.WriteByte(' ')
			}
		}
		breaks, blank = 0, false
		b.WriteRune(c)
	}
	return cut(b.String(), maxDescription)
}

// plainRun is how many bytes from the start are printable ASCII with single
// blanks between words.
func plainRun(s string) int {
	printable := func(i int) bool { return s[i] > ' ' && s[i] < 0x7f }
	n := 0
	for n < len(s) && (printable(n) || n > 0 && s[n] == ' ' && n+1 < len(s) && printable(n+1)) {
		n++
	}
	return n
}

// invisible are characters that a reader does not see: controls, marks of
// direction and width, the byte-order mark, and what stands for a lost character.
func invisible(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) && c != '\u200d' || unicode.Is(unicode.Co, c) || c == unicode.ReplacementChar
}

// cut shortens at a character, with an ellipsis.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[:limit-3]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if len(s) > 0 && s[len(s)-1] >= utf8.RuneSelf {
		s = s[:len(s)-1]
	}
	return strings.TrimRightFunc(s, unicode.IsSpace) + "…"
}

// breaking are elements that end a line; silent ones hide their content.
var (
	breaking = []string{"br", "p", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
	silent   = []string{"script", "style", "head", "template", "iframe", "noscript"}
)

// plain turns HTML into text. A "<" that opens no tag stays text.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	lastEnd := strings.LastIndexByte(s, '>')
	total := len(s)
	for len(s) > 0 {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:open])
		s = s[open:]
		if strings.HasPrefix(s, "<!--") {
			_, after, found := strings.Cut(s, "-->")
			if !found {
				after = ""
			}
			s = after
			continue
		}
		name := tagName(s[1:])
		end := -1
		if name != "" && total-len(s) < lastEnd {
			end = strings.IndexByte(s, '>')
		}
		if end < 0 {
			b.WriteByte('<')
			s = s[1:]
			continue
		}
		closing := s[1] == '/'
		selfClosed := s[end-1] == '/'
		s = s[end+1:]
		if contains(silent, name) && !closing && !selfClosed {
			if at := indexFold(s, "</"+name); at >= 0 {
				s = s[at:]
			} else {
				s = ""
			}
			continue
		}
		if contains(breaking, name) {
			b.WriteByte('\n')
		}
	}
	return html.UnescapeString(b.String())
}

// indexFold finds an ASCII word whatever its letter case.
func indexFold(s, word string) int {
	for at := 0; at+len(word) <= len(s); at++ {
		next := strings.IndexByte(s[at:], word[0])
		if next < 0 || at+next+len(word) > len(s) {
			return -1
		}
		if at += next; strings.EqualFold(s[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}

func tagName(s string) string {
	s = strings.TrimPrefix(s, "/")
	end := 0
	for end < len(s) && end < 16 && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z' || end > 0 && s[end] >= '0' && s[end] <= '9') {
		end++
	}
	if end == 0 || end < len(s) && !strings.ContainsRune(" \t\r\n/>", rune(s[end])) {
		return ""
	}
	return strings.ToLower(s[:end])
}

// safe makes a text from the file fit for a report: one short line that no
// terminal obeys and no spreadsheet takes for a formula.
func safe(s string) string {
	s = cut(line1(s), 80)
	if s != "" && strings.ContainsRune("=+-@|%", rune(s[0])) {
		return "'" + s
	}
	return s
}
