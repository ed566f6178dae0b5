package feed

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// xmlWindow is how much of an XML document is looked at to find out which
// element is a vehicle.
const xmlWindow = maxRow

// items reads the vehicles of an XML document: every element of the name that
// looks like one, wherever it stands outside of another. A column is the path
// of an element or attribute below it.
//
// An element that is not well-formed is rejected alone as long as its own tags
// tell where it ends: wrong nesting and unknown entities inside, and a missing
// end tag before the next element begins, cost nothing else. A document whose
// outer elements do not close is refused, as one that was cut off.
type items struct {
	sheet
	dated
	s       *xmlScanner
	shape   itemShape
	paths   xmlPaths
	open    []wrapper
	carried bool // buf begins with the next item's start tag
	alone   bool // the item is all in its start tag
	ended   bool // the root has closed
	skips   map[string]int
}

// wrapper is an open element around the items.
type wrapper struct {
	name string
	kids int
	// holds says that items were found in it.
	holds bool
	text  int // where its text begins in the scanner's buf
}

// newItems looks at the beginning of the document; errNoItem when no element
// in it looks like a vehicle.
func newItems(in io.Reader, f dealer.Feed) (*items, error) {
	r := bufio.NewReaderSize(in, xmlWindow)
	head, err := r.Peek(xmlWindow)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	it := &items{
		sheet: newSheet(), s: &xmlScanner{r: r, line: 1, names: map[string]string{}}, paths: xmlPaths{}, skips: map[string]int{},
	}
	it.shape, err = findItem(head, f)
	return it, err
}

func (it *items) kind() string { return "XML" }

func (it *items) names() []string { return it.shape.columns }

func (it *items) skipped() map[string]int { return it.skips }

func (it *items) next() (record, error) {
	for !it.carried {
		if it.ended {
			return record{}, it.rest()
		}
		it.s.reset(nil)
		t, err := it.s.next()
		if err != nil {
			return record{}, it.broke(err)
		}
		for t.kind != xmlStart && t.kind != xmlEmpty || t.name != it.shape.name || len(it.open) < it.shape.depth {
			if err := it.step(t); err != nil {
				return record{}, err
			}
			if it.ended {
				break
			}
			if t, err = it.s.next(); err != nil {
				return record{}, it.broke(err)
			}
		}
		if it.ended {
			continue
		}
		it.s.reset(it.s.buf[t.at:])
		it.alone = t.kind == xmlEmpty
		break
	}
	it.carried = false
	for i := range it.open {
		it.open[i].holds = true
	}
	if n := len(it.open); n > 0 {
		it.open[n-1].kids++
	}
	rec, err := it.item()
	if len(it.open) == 0 && !it.carried {
		it.ended = true
	}
	return rec, err
}

func (it *items) broke(err error) error {
	switch {
	case errors.Is(err, errDoctype):
		return err
	case errors.Is(err, io.EOF):
		return fmt.Errorf("line %d: %w: the file ends before its last element is closed", it.s.line, errSyntax)
	}
	return err
}

// step takes one piece of markup around the items.
func (it *items) step(t tag) error {
	n := len(it.open)
	switch t.kind {
	case xmlStart, xmlEmpty:
		if n > 0 {
			it.open[n-1].kids++
		}
		if n < 3 {
			it.dates(it.s.buf[t.at:])
		}
		if t.kind == xmlEmpty {
			it.ended = n == 0
			break
		}
		if n >= maxDepth {
			return fmt.Errorf("line %d: %w: nested too deep", it.s.line, errSyntax)
		}
		it.s.reset(nil)
		it.open = append(it.open, wrapper{name: t.name})
		return nil
	case xmlEnd:
		if n == 0 || it.open[n-1].name != t.name {
			return fmt.Errorf("line %d: %w: </%s> closes nothing", it.s.line, errSyntax, cut(t.name, 60))
		}
		w := it.open[n-1]
		it.open = it.open[:n-1]
		it.ended = n == 1
		if w.kids == 0 {
			it.date(w.name, string(it.s.buf[w.text:t.at]))
		} else if w.kids > 3 && !w.holds && len(it.skips) < maxListed {
			it.skips[w.name]++
		}
	case xmlOther:
		return nil // its text may be a CDATA section's
	}
	it.s.reset(nil)
	return nil
}

// dates takes the time that an attribute of an outer element states.
func (it *items) dates(start []byte) {
	if tok, err := itemDecoder(start).RawToken(); err == nil {
		if e, ok := tok.(xml.StartElement); ok {
			for _, a := range e.Attr {
				it.date(a.Name.Local, a.Value)
			}
		}
	}
}

// rest passes over what may follow the root, and is io.EOF.
func (it *items) rest() error {
	for {
		it.s.reset(nil)
		t, err := it.s.next()
		switch {
		case err != nil:
			return err
		case t.kind != xmlOther:
			return fmt.Errorf("line %d: %w: a second document", it.s.line, errSyntax)
		}
	}
}

// item takes one item whose start tag is all that buf holds.
func (it *items) item() (record, error) {
	rec := record{line: it.s.line}
	depth, inner := 1, 0
	outer := ""
	if n := len(it.open); n > 0 {
		outer = it.open[n-1].name
	}
	if it.alone {
		it.alone, depth = false, 0
	}
	for depth > 0 {
		t, err := it.s.next()
		if err != nil {
			return rec, it.broke(err)
		}
		switch {
		case t.kind == xmlStart && t.name == it.shape.name:
			if !it.shape.nests {
				rec.problem = "the element is not closed before the next one begins"
				it.s.reset(it.s.buf[min(t.at, len(it.s.buf)):])
				it.carried = true
				return rec, nil
			}
			depth++
		case t.kind == xmlEnd && t.name == it.shape.name:
			depth--
		case t.kind == xmlStart && t.name == outer:
			inner++
		case t.kind == xmlEnd && t.name == outer:
			if inner--; inner < 0 {
				rec.problem = "the element is not closed"
				return rec, it.step(t)
			}
		}
	}
	if it.s.tooLong {
		rec.problem = "the element is longer than 1 MiB"
		return rec, nil
	}
	raw := it.s.buf
	if rec.latin = !utf8.Valid(raw); rec.latin {
		raw = []byte(text(raw))
	}
	err := it.paths.read(&it.sheet, raw)
	if err != nil {
		if mended := mendXML(raw); !bytes.Equal(mended, raw) {
			err = it.paths.read(&it.sheet, mended)
			rec.unclean = err == nil
		}
	}
	if err != nil {
		rec.problem = "the element is not well-formed XML"
	}
	rec.fields = it.fields
	return rec, nil
}
