package adf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"sort"
	"strings"
)

// Limits of a document that is read.
const (
	maxBytes    = 1 << 20
	maxDepth    = 32
	maxElements = 20000
)

// element is one XML element; text is its own character data.
type element struct {
	name    string            // in small letters, without a prefix
	written string            // as it stands
	attrs   map[string]string // by name in small letters, without a prefix
	// attributes are as they stand, doubles included.
	attributes []xml.Attr
	text       string
	section    bool // some of the text is a CDATA section
	line       int
	path       string
	children   []*element
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

// hasText reports whether there is more than white space, as which even an
// empty CDATA section does not count (XML 1.0 §3.2.1).
func (n *element) hasText() bool { return n.section || strings.Trim(n.text, " \t\r\n") != "" }

// reading is one document under way.
type reading struct {
	data   []byte
	lines  []int // offsets of line feeds
	faults []Fault
	// instructed: an adf instruction was seen before parsing.
	instructed bool
	// unknown collects the elements of one prospect that ADF does not have.
	unknown []Unknown
}

// invalid reports what the DTD does not allow.
func (rd *reading) invalid(n *element, problem, mend string) {
	rd.faults = append(rd.faults, Fault{Line: n.line, Path: n.path, Problem: problem, Mend: mend, Invalid: true})
}

// odd reports what the DTD allows and receivers stumble over.
func (rd *reading) odd(n *element, problem, mend string) {
	rd.faults = append(rd.faults, Fault{Line: n.line, Path: n.path, Problem: problem, Mend: mend})
}

// invalidAt reports what XML does not allow at an offset.
func (rd *reading) invalidAt(offset int, problem, mend string) {
	rd.faults = append(rd.faults, Fault{Line: rd.line(offset), Problem: problem, Mend: mend, Invalid: true})
}

func (rd *reading) stop(kind error, offset int, problem, mend string) error {
	return &stopped{kind, Fault{Line: rd.line(offset), Problem: problem, Mend: mend, Invalid: true}}
}

func (rd *reading) line(offset int) int {
	return sort.SearchInts(rd.lines, offset) + 1
}

// parse builds the tree. It resolves the five entities of XML and numeric
// references only; a document type declaration ends it.
func (rd *reading) parse() (*element, error) {
	dec := xml.NewDecoder(bytes.NewReader(rd.data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &element{}
	open := []*element{root}
	count, instruction := 0, rd.instructed
	for {
		begin := int(dec.InputOffset())
		token, err := dec.RawToken()
		top := open[len(open)-1]
		if errors.Is(err, io.EOF) {
			if len(open) > 1 {
				return nil, rd.stop(ErrMalformed, begin, "the document ends inside "+top.name, "Add </"+top.name+">; perhaps the rest was cut off.")
			}
			if !instruction {
				rd.faults = append(rd.faults, Fault{Line: 1, Problem: "the adf instruction is missing", Mend: `Add <?adf version="1.0"?> after the XML declaration.`})
			}
			return root, nil
		}
		if err != nil {
			return nil, rd.syntax(begin, top, err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, rd.stop(ErrDoctype, begin, "", "Take <!DOCTYPE out; a lead needs none.")
		case xml.ProcInst:
			instruction = rd.instruction(t, begin, instruction)
		case xml.StartElement:
			count++
			if len(open) > maxDepth || count > maxElements {
				return nil, rd.stop(ErrTooLarge, begin, "", "Send one lead in a document, with fewer elements.")
			}
			child := rd.element(t, top, begin)
			top.children = append(top.children, child)
			open = append(open, child)
		case xml.EndElement:
			if len(open) == 1 || strings.ToLower(t.Name.Local) != top.name {
				return nil, rd.stop(ErrMalformed, begin, "</"+t.Name.Local+"> closes nothing that is open", "Close elements in the reverse of the order in which they open.")
			}
			if full(t.Name) != top.written {
				rd.invalidAt(begin, "</"+full(t.Name)+"> closes "+top.written, "Write </"+top.written+">: the letters of a name count.")
			}
			open = open[:len(open)-1]
		case xml.CharData:
			rd.references(begin, int(dec.InputOffset()), top)
			top.section = top.section || bytes.HasPrefix(rd.data[begin:], []byte("<![CDATA["))
			top.text += string(t)
			// Of markup in a text, such as <b>, the text stays.
			for i := len(open) - 2; i > 0 && content[open[i].name] == nil; i-- {
				open[i].text += string(t)
			}
			if len(open) == 1 && top.hasText() {
				rd.invalidAt(begin, "text outside the adf element", "Take it out: the document is the XML alone.")
				top.text = ""
			}
		}
	}
}

func (rd *reading) element(t xml.StartElement, parent *element, begin int) *element {
	n := &element{name: strings.ToLower(t.Name.Local), written: full(t.Name), attributes: t.Attr, line: rd.line(begin)}
	n.path = parent.path + "/" + n.name
	for _, a := range t.Attr {
		if n.attrs == nil {
			n.attrs = map[string]string{}
		}
		n.attrs[strings.ToLower(a.Name.Local)] = a.Value
	}
	return n
}

// full is a name with its prefix.
func full(name xml.Name) string {
	if name.Space != "" {
		return name.Space + ":" + name.Local
	}
	return name.Local
}

func (rd *reading) instruction(t xml.ProcInst, begin int, seen bool) bool {
	if !strings.EqualFold(t.Target, "adf") {
		if t.Target == "xml" && len(bytes.TrimSpace(rd.data[:begin])) > 0 {
			rd.invalidAt(begin, "the XML declaration is not at the start", "Begin the text with it.")
		}
		return seen
	}
	if t.Target != "adf" {
		rd.faults = append(rd.faults, Fault{Line: rd.line(begin), Problem: "the adf instruction is written " + t.Target, Mend: `Write <?adf version="1.0"?>.`})
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
			rd.invalidAt(begin+m[0], "unescaped & in "+n.name, "Write &amp;.")
		case m[2] >= 0:
			switch name := string(raw[m[2]:m[3]]); name {
			case "amp", "lt", "gt", "quot", "apos":
			default:
				rd.invalidAt(begin+m[0], "undefined entity "+name+" in "+n.name+"; kept as text", "Write the character itself, or its number as in &#160;.")
			}
		}
	}
}

// syntax words a decoder's error by what stands at the place.
func (rd *reading) syntax(begin int, in *element, err error) error {
	rest := rd.data[min(begin, len(rd.data)):]
	if len(rest) > 1 && rest[0] == '<' && in.name != "" {
		if tag, _, ok := bytes.Cut(rest, []byte(">")); !ok || bytes.ContainsAny(tag[1:], ":<") {
			return rd.stop(ErrMalformed, begin, "unescaped < in "+in.name, "Write &lt;.")
		}
	}
	problem := "not XML"
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		problem = s.Msg
	}
	return rd.stop(ErrMalformed, begin, problem, "Have the document written by an XML library.")
}
