package adf

import (
	"strconv"
	"unicode/utf8"
)

// writer appends indented XML to one buffer. Attributes are name, value
// pairs; a pair with an empty value is left out.
type writer struct {
	buf   []byte
	ascii bool
	depth int
}

func (w *writer) open(name string, attrs ...string) {
	w.start(name, attrs)
	w.buf = append(w.buf, '>', '\n')
	w.depth++
}

func (w *writer) close(name string) {
	w.depth--
	w.indent()
	w.end(name)
}

// leaf writes an element that holds text only, also when the text is empty.
func (w *writer) leaf(name, text string, attrs ...string) {
	w.start(name, attrs)
	w.buf = append(w.buf, '>')
	w.escape(text, false)
	w.end(name)
}

// optional writes a leaf unless the text is empty.
func (w *writer) optional(name, text string, attrs ...string) {
	if text != "" {
		w.leaf(name, text, attrs...)
	}
}

func (w *writer) start(name string, attrs []string) {
	w.indent()
	w.buf = append(w.buf, '<')
	w.buf = append(w.buf, name...)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] == "" {
			continue
		}
		w.buf = append(w.buf, ' ')
		w.buf = append(w.buf, attrs[i]...)
		w.buf = append(w.buf, '=', '"')
		w.escape(attrs[i+1], true)
		w.buf = append(w.buf, '"')
	}
}

func (w *writer) end(name string) {
	w.buf = append(w.buf, '<', '/')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '>', '\n')
}

func (w *writer) indent() {
	const blanks = "                "
	w.buf = append(w.buf, blanks[:min(2*w.depth, len(blanks))]...)
}

// isPlain marks the bytes that are written as they are wherever they stand.
var isPlain = func() (plain [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		plain[c] = c != '&' && c != '<' && c != '>' && c != '"'
	}
	return plain
}()

// escape appends text so that a parser reads it back unchanged: a carriage
// return would be normalised away, and white space in an attribute folded,
// unless written as references. Control characters are dropped (XML 1.0 §2.2
// forbids most of them) and bytes that are no UTF-8 become U+FFFD.
func (w *writer) escape(text string, attribute bool) {
	for i := 0; i < len(text); {
		plain := i
		for plain < len(text) && isPlain[text[plain]] {
			plain++
		}
		if plain > i {
			w.buf = append(w.buf, text[i:plain]...)
			i = plain
			continue
		}
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '&':
				w.buf = append(w.buf, "&amp;"...)
			case c == '<':
				w.buf = append(w.buf, "&lt;"...)
			case c == '>':
				w.buf = append(w.buf, "&gt;"...)
			case c == '"' && attribute:
				w.buf = append(w.buf, "&quot;"...)
			case c == '\r':
				w.buf = append(w.buf, "&#xD;"...)
			case c == '\n' && attribute:
				w.buf = append(w.buf, "&#xA;"...)
			case c == '\t' && attribute:
				w.buf = append(w.buf, "&#x9;"...)
			case c == '"', c == '\n', c == '\t':
				w.buf = append(w.buf, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r < 0xa0, r == 0xfffe, r == 0xffff:
		case w.ascii:
			w.buf = append(w.buf, '&', '#')
			w.buf = strconv.AppendInt(w.buf, int64(r), 10)
			w.buf = append(w.buf, ';')
		default:
			w.buf = utf8.AppendRune(w.buf, r)
		}
	}
}
