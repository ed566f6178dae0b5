package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

var errNesting = errors.New("tags that do not match")

// itemDecoder reads the bytes of one element. Of entities it knows the
// characters of HTML and no other: a document cannot define any.
func itemDecoder(raw []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.Entity = xml.HTMLEntity
	return d
}

// xmlPaths remembers joined paths, which are the same for every item.
type xmlPaths map[[2]string]string

func (p xmlPaths) join(parent, name string) string {
	if parent == "" {
		return name
	}
	key := [2]string{parent, name}
	path, ok := p[key]
	if !ok {
		path = parent + "." + name
		if len(p) < maxColumns {
			p[key] = path
		}
	}
	return path
}

// element is an open element of an item.
type element struct {
	raw, path string
	text      []byte
	kids      int
	says      bool // attributes say something of it
	cost      bool // it is about what the dealer paid: its content is not read
	prose     bool // markup inside is layout: the content is one text
}

// read spreads one item over the columns of a sheet.
func (p xmlPaths) read(s *sheet, raw []byte) error {
	s.blank()
	d := itemDecoder(raw)
	var open []element
	for {
		tok, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(open) >= maxDepth {
				return errNesting
			}
			open = append(open, p.start(s, open, tok))
		case xml.EndElement:
			n := len(open)
			if n == 0 || open[n-1].raw != rawName(tok.Name) {
				return errNesting
			}
			e := open[n-1]
			open = open[:n-1]
			p.end(s, open, e)
		case xml.CharData:
			if n := len(open); n > 0 && !open[n-1].cost {
				open[n-1].text = append(open[n-1].text, tok...)
			}
		case xml.Directive:
			return errDoctype
		}
	}
}

// labelled are elements of which only the label says what they hold.
var labelled = []string{"attribute", "attr", "property", "field", "param", "parameter", "column", "spec", "data"}

func rawName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func (p xmlPaths) start(s *sheet, open []element, t xml.StartElement) element {
	e := element{raw: rawName(t.Name)}
	n := len(open)
	if n == 0 {
		p.attributes(s, &e, t.Attr)
		return e
	}
	parent := &open[n-1]
	parent.kids++
	if parent.prose || parent.cost {
		e.prose, e.cost = parent.prose, parent.cost
		return e
	}
	e.path = p.join(parent.path, e.raw)
	label, value := "", ""
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "name", "key", "field":
			label = a.Value
		case "value", "content":
			value = a.Value
		case "rel":
			if a.Value != "alternate" {
				e.path = p.join(e.path, cut(a.Value, 40))
			}
		case "type", "medium":
			if kind, _, _ := strings.Cut(a.Value, "/"); kind == "video" || kind == "audio" {
				e.path = p.join(e.path, kind)
			}
		}
	}
	if label != "" && len(label) <= 60 {
		if contains(labelled, t.Name.Local) {
			e.path = parent.path
		}
		e.path = p.join(e.path, strings.ReplaceAll(label, ".", " "))
		e.text = append(e.text, value...)
	}
	if e.cost = s.cost(e.path); e.cost {
		s.column(e.path) // listed as dropped, its value never read
		return e
	}
	if sp, ok := spellingOf(e.path, foldHeader(e.path)); ok && sp.member == mDescription {
		e.prose = true
	}
	e.says = len(t.Attr) > 0
	if label == "" {
		p.attributes(s, &e, t.Attr)
	}
	return e
}

// attributes gives each attribute its own column.
func (p xmlPaths) attributes(s *sheet, e *element, attrs []xml.Attr) {
	for _, a := range attrs {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || a.Name.Space == "xml" || a.Name.Space == "xsi" {
			continue
		}
		path := p.join(e.path, rawName(a.Name))
		if s.cost(path) {
			s.column(path)
			continue
		}
		s.put(path, strings.TrimSpace(a.Value))
	}
}

// end puts what an element held.
func (p xmlPaths) end(s *sheet, open []element, e element) {
	n := len(open)
	switch {
	case n == 0 || e.cost:
	case open[n-1].prose:
		up := &open[n-1]
		up.text = append(up.text, e.text...)
		if contains(breaking, e.raw) {
			up.text = append(up.text, '\n')
		}
	default:
		if text := bytes.TrimSpace(e.text); len(text) > 0 || e.kids == 0 && !e.says {
			s.put(e.path, string(text))
		}
	}
}

// mendXML makes text of what cannot be markup, as exports write it by mistake:
// an ampersand that begins no reference, a "<" that begins no tag, and
// characters that XML 1.0 §2.2 does not have.
func mendXML(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+64)
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case bytes.HasPrefix(raw[i:], []byte("<![CDATA[")), bytes.HasPrefix(raw[i:], []byte("<!--")):
			mark := "]]>"
			if raw[i+2] == '-' {
				mark = "-->"
			}
			end := bytes.Index(raw[i:], []byte(mark))
			if end < 0 {
				return raw
			}
			for _, c := range raw[i : i+end+3] {
				if !isControl(c) {
					out = append(out, c)
				}
			}
			i += end + 2
		case isControl(c):
		case bytes.HasPrefix(raw[i:], []byte("\uFFFE")), bytes.HasPrefix(raw[i:], []byte("\uFFFF")):
			i += 2
		case c == '&':
			switch n, known := reference(raw[i:]); {
			case known:
				out = append(out, c)
			case n > 0:
				i += n - 1
			default:
				out = append(out, "&amp;"...)
			}
		case c == '<' && (i+1 == len(raw) || raw[i+1] != '/' && raw[i+1] != '?' && !isNameByte(raw[i+1])):
			out = append(out, "&lt;"...)
		default:
			out = append(out, c)
		}
	}
	return out
}

func isControl(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' }

// reference is the length of the entity that is known, or of the character
// reference, that begins here; 0 when none does. A reference to a character
// that XML does not have is not known.
func reference(s []byte) (length int, known bool) {
	end := bytes.IndexByte(s[:min(len(s), 12)], ';')
	if end < 2 {
		return 0, false
	}
	name := string(s[1:end])
	if name[0] != '#' {
		if _, known = xml.HTMLEntity[name]; known || contains([]string{"amp", "lt", "gt", "quot", "apos"}, name) {
			return end + 1, true
		}
		return 0, false
	}
	digits, base := name[1:], 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	c, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, false
	}
	return end + 1, c == '\t' || c == '\n' || c == '\r' || c >= ' ' && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000 && c <= 0x10FFFF
}
