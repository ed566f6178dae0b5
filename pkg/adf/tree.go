package adf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Limits of a document that is read.
const (
	maxBytes    = 1 << 20
	maxDepth    = 32
	maxElements = 20000
)

// element is one XML element as it stands; text is its own character data.
type element struct {
	name     string
	attrs    map[string]string
	text     string
	line     int
	path     string
	children []*element
}

// first returns the first child of that name, or an empty element.
func (n *element) first(name string) *element {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return &element{name: name, line: n.line, path: n.path + "/" + name}
}

func (n *element) all(name string) []*element {
	var out []*element
	for _, c := range n.children {
		if c.name == name {
			out = append(out, c)
		}
	}
	return out
}

// value is the text without outer white space.
func (n *element) value() string { return strings.TrimSpace(n.text) }

// reading is one document under way.
type reading struct {
	data   []byte
	lines  []int // offsets of line feeds
	faults []Fault
	// unknown collects the elements of one prospect that ADF does not have.
	unknown []Unknown
}

func (rd *reading) fault(n *element, format string, args ...any) {
	rd.faults = append(rd.faults, Fault{Line: n.line, Path: n.path, Problem: fmt.Sprintf(format, args...)})
}

func (rd *reading) faultAt(offset int, format string, args ...any) {
	rd.faults = append(rd.faults, Fault{Line: rd.line(offset), Problem: fmt.Sprintf(format, args...)})
}

func (rd *reading) line(offset int) int {
	return sort.SearchInts(rd.lines, offset) + 1
}

// load takes the document, makes it UTF-8 and drops what XML forbids.
func (rd *reading) load(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	if len(data) > maxBytes {
		return ErrTooLarge
	}
	data, note := decode(data)
	rd.index(data)
	if note != "" {
		rd.faultAt(0, "%s", note)
	}
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) != len(data) && bytes.HasPrefix(trimmed, []byte("<?xml")) {
		rd.faultAt(0, "white space before the XML declaration")
	}
	rd.data = rd.legal(data)
	rd.index(rd.data)
	return nil
}

func (rd *reading) index(data []byte) {
	rd.lines = rd.lines[:0]
	for i, c := range data {
		if c == '\n' {
			rd.lines = append(rd.lines, i)
		}
	}
}

// legal drops the characters XML 1.0 §2.2 forbids and reports the first.
func (rd *reading) legal(data []byte) []byte {
	forbidden := func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	}
	first := bytes.IndexFunc(data, forbidden)
	if first < 0 {
		return data
	}
	rd.faultAt(first, "characters that XML forbids were dropped")
	return bytes.Map(func(r rune) rune {
		if forbidden(r) {
			return -1
		}
		return r
	}, data)
}

var declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// decode returns the document in UTF-8 and what was odd about its encoding.
func decode(data []byte) (text []byte, note string) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		if out, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data); err == nil {
			return out, ""
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	name := "utf-8"
	if m := declaredEncoding.FindSubmatch(data[:min(len(data), 200)]); m != nil {
		name = strings.ToLower(string(m[1]))
	}
	western := func() []byte {
		out, err := charmap.Windows1252.NewDecoder().Bytes(data)
		if err != nil {
			return bytes.ToValidUTF8(data, []byte("\ufffd"))
		}
		return out
	}
	switch name {
	case "utf-8", "utf8", "us-ascii", "ascii":
		if utf8.Valid(data) {
			return data, ""
		}
		return western(), "the text is not " + strings.ToUpper(name) + "; read as Windows-1252"
	case "iso-8859-1", "latin1", "windows-1252", "cp1252":
		return western(), ""
	case "iso-8859-15":
		if out, err := charmap.ISO8859_15.NewDecoder().Bytes(data); err == nil {
			return out, ""
		}
	}
	if utf8.Valid(data) {
		return data, "encoding " + name + " is declared, the text is UTF-8"
	}
	return western(), "unknown encoding " + name + "; read as Windows-1252"
}

// parse builds the tree. It resolves the five entities of XML and numeric
// references only; a document type declaration ends it.
func (rd *reading) parse() (*element, error) {
	dec := xml.NewDecoder(bytes.NewReader(rd.data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &element{}
	open := []*element{root}
	count, instruction := 0, false
	for {
		begin := int(dec.InputOffset())
		token, err := dec.RawToken()
		top := open[len(open)-1]
		if errors.Is(err, io.EOF) {
			if len(open) > 1 {
				return nil, rd.malformed(begin, "the document ends inside %s", top.name)
			}
			if !instruction {
				rd.faultAt(0, "the adf instruction is missing")
			}
			return root, nil
		}
		if err != nil {
			return nil, rd.syntax(begin, top, err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, fmt.Errorf("line %d: %w", rd.line(begin), ErrDoctype)
		case xml.ProcInst:
			instruction = rd.instruction(t, begin, instruction)
		case xml.StartElement:
			count++
			if len(open) > maxDepth || count > maxElements {
				return nil, fmt.Errorf("line %d: %w", rd.line(begin), ErrTooLarge)
			}
			child := rd.element(t, top, begin)
			top.children = append(top.children, child)
			open = append(open, child)
		case xml.EndElement:
			if len(open) == 1 || strings.ToLower(t.Name.Local) != top.name {
				return nil, rd.malformed(begin, "</%s> closes nothing that is open", t.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			rd.references(begin, int(dec.InputOffset()), top)
			top.text += string(t)
		}
	}
}

func (rd *reading) element(t xml.StartElement, parent *element, begin int) *element {
	n := &element{name: strings.ToLower(t.Name.Local), line: rd.line(begin)}
	n.path = parent.path + "/" + n.name
	for _, a := range t.Attr {
		if n.attrs == nil {
			n.attrs = map[string]string{}
		}
		n.attrs[strings.ToLower(a.Name.Local)] = a.Value
	}
	return n
}

func (rd *reading) instruction(t xml.ProcInst, begin int, seen bool) bool {
	if !strings.EqualFold(t.Target, "adf") {
		if t.Target == "xml" && len(bytes.TrimSpace(rd.data[:begin])) > 0 {
			rd.faultAt(begin, "the XML declaration is not at the start")
		}
		return seen
	}
	if t.Target != "adf" {
		rd.faultAt(begin, "the adf instruction is written %s", t.Target)
	}
	return true
}

var reference = regexp.MustCompile(`&(?:#[0-9]+;|#x[0-9A-Fa-f]+;|([A-Za-z_][A-Za-z0-9_.-]*);)?`)

// references reports ampersands that are no reference; their text is kept as
// it stands.
func (rd *reading) references(begin, end int, n *element) {
	raw := rd.data[begin:end]
	if bytes.HasPrefix(raw, []byte("<![CDATA[")) {
		return
	}
	for _, m := range reference.FindAllSubmatchIndex(raw, -1) {
		switch {
		case m[1]-m[0] == 1:
			rd.faultAt(begin+m[0], "unescaped & in %s", n.name)
		case m[2] >= 0:
			switch name := string(raw[m[2]:m[3]]); name {
			case "amp", "lt", "gt", "quot", "apos":
			default:
				rd.faultAt(begin+m[0], "undefined entity %s in %s; kept as text", name, n.name)
			}
		}
	}
}

// syntax words a decoder's error by what stands at the place.
func (rd *reading) syntax(begin int, in *element, err error) error {
	rest := rd.data[min(begin, len(rd.data)):]
	if len(rest) > 1 && rest[0] == '<' && in.name != "" {
		if tag, _, ok := bytes.Cut(rest, []byte(">")); !ok || bytes.ContainsAny(tag[1:], ":<") {
			return rd.malformed(begin, "unescaped < in %s", in.name)
		}
	}
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		return rd.malformed(begin, "%s", s.Msg)
	}
	return rd.malformed(begin, "not XML")
}

func (rd *reading) malformed(offset int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrMalformed, rd.line(offset), fmt.Sprintf(format, args...))
}
