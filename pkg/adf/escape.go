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
	w.buf = append(w.start(name, attrs), '>', '\n')
	w.depth++
}

func (w *writer) close(name string) {
	w.depth--
	w.buf = appendEnd(w.indented(), name)
}

// leaf writes an element that holds text only, also when the text is empty.
func (w *writer) leaf(name, text string, attrs ...string) {
	b := append(w.start(name, attrs), '>')
	w.buf = appendEnd(w.appendText(b, text, false), name)
}

// optional writes a leaf unless the text is empty.
func (w *writer) optional(name, text string, attrs ...string) {
	if text != "" {
		w.leaf(name, text, attrs...)
	}
}

// start is the buffer with a start tag at its end that is not closed yet.
func (w *writer) start(name string, attrs []string) []byte {
	b := append(append(w.indented(), '<'), name...)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] == "" {
			continue
		}
		b = append(append(append(b, ' '), attrs[i]...), '=', '"')
		b = append(w.appendText(b, attrs[i+1], true), '"')
	}
	return b
}

func appendEnd(b []byte, name string) []byte {
	return append(append(append(b, '<', '/'), name...), '>', '\n')
}

// indented is the buffer with the blanks of a new line.
func (w *writer) indented() []byte {
	const blanks = "                "
	return append(w.buf, blanks[:min(2*w.depth, len(blanks))]...)
}

// isPlain marks the bytes that are written as they are wherever they stand.
var isPlain = func() (plain [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		plain[c] = c != '&' && c != '<' && c != '>' && c != '"'
	}
	return plain
}()

// appendText appends text so that a parser reads it back unchanged: a carriage
// return would be normalised away, and white space in an attribute folded,
// unless written as references. Control characters are dropped (XML 1.0 §2.2
// forbids most of them) and bytes that are no UTF-8 become U+FFFD.
func (w *writer) appendText(b []byte, text string, attribute bool) []byte {
	for i := 0; i < len(text); {
		plain := i
		for plain < len(text) && isPlain[text[plain]] {
			plain++
		}
		if plain > i {
			b = append(b, text[i:plain]...)
			i = plain
			continue
		}
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '&':
				b = append(b, "&amp;"...)
			case c == '<':
				b = append(b, "&lt;"...)
			case c == '>':
				b = append(b, "&gt;"...)
			case c == '"' && attribute:
				b = append(b, "&quot;"...)
			case c == '\r':
				b = append(b, "&#xD;"...)
			case c == '\n' && attribute:
				b = append(b, "&#xA;"...)
			case c == '\t' && attribute:
				b = append(b, "&#x9;"...)
			case c == '"', c == '\n', c == '\t':
				b = append(b, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r < 0xa0, r == 0xfffe, r == 0xffff:
		case w.ascii:
			b = append(b, '&', '#')
			b = strconv.AppendInt(b, int64(r), 10)
			b = append(b, ';')
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
