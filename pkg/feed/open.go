package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// open chooses how the file is read.
func (r *reader) open(in *bufio.Reader, encoding string) error {
	head, err := in.Peek(window)
	if err != nil && !errors.Is(err, io.EOF) {
		return r.failed(err)
	}
	kind := form(head)
	switch kind {
	case formText:
	case formJSON:
		r.report.Format, r.report.Encoding = r.packing+kind, encoding
		r.table = newObjects(in, r.profile.Feed)
		return nil
	case formXML:
		r.report.Format, r.report.Encoding = r.packing+kind, encoding
		return r.openXML(in)
	case formPage:
		r.report.Format = kind
		return r.refuse("the file is %s, not an export; an address that wants a login answers so", kind)
	default:
		r.report.Format = kind
		return r.refuse("the file is %s, which is not read; send delimited text, JSON or XML, as it is or in gzip or zip", kind)
	}
	table, err := openRecords(newLines(in), r.profile.Feed)
	switch {
	case errors.Is(err, io.EOF):
		return r.refuse("the file is empty")
	case errors.Is(err, errHeader):
		return r.refuse("%v", err)
	case err != nil:
		return r.failed(err)
	}
	if table.titles > 0 {
		passed := "1 line above the header was passed over"
		if table.titles > 1 {
			passed = fmt.Sprintf("%d lines above the header were passed over", table.titles)
		}
		r.report.warn(table.titleLine, passed)
	}
	r.report.Encoding = encoding
	r.report.Format = map[byte]string{',': "comma", '\t': "tab", '|': "pipe", ';': "semicolon"}[table.s.delim]
	if r.report.Format == "" {
		r.report.Format = fmt.Sprintf("delimiter %q", table.s.delim)
	}
	r.report.Format = r.packing + r.report.Format + "-separated text"
	r.table = table
	return nil
}

// openXML finds the element that is a vehicle.
func (r *reader) openXML(in *bufio.Reader) error {
	table, err := newItems(in, r.profile.Feed)
	if table != nil {
		r.table = table
	}
	switch {
	case errors.Is(err, errDoctype):
		return r.refuseDoctype(err)
	case errors.Is(err, errNoItem):
		r.remap(table.names())
		return r.refuse("no element of the XML is a vehicle: one has a VIN, stock number or id and a make, model, year or price; map them in feed.columns by the path below it, such as details.price")
	case err != nil:
		return r.failed(err)
	}
	return nil
}

func (r *reader) refuseDoctype(err error) error {
	return r.refuse("the XML has %s, which is not read; ask for the export without one", err)
}
