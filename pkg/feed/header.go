package feed

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// openRecords reads the header and chooses the delimiter under which most
// columns are known, then most fields stand.
//
// Of a file without a header the profile gives the columns; a first row that
// repeats them is one all the same.
func openRecords(l *lines, f dealer.Feed) (*records, error) {
	var first line
	for {
		var err error
		if first, err = l.take(); err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(first.text)) > 0 {
			break
		}
	}
	if first.tooLong {
		return nil, fmt.Errorf("%w is longer than 1 MiB", errHeader)
	}
	candidates := []byte{',', '\t', '|', ';'}
	if t := bytes.TrimSpace(first.text); len(t) == 5 && bytes.EqualFold(t[:4], []byte("sep=")) {
		candidates = []byte{t[4]} // a spreadsheet's own hint
		next, err := l.take()
		if err != nil {
			return nil, err
		}
		first = next
	}
	if len(f.Header) > 0 {
		return withoutHeader(l, first, candidates, f), nil
	}
	best := &records{lines: l}
	bestKnown := -1
	for _, d := range candidates {
		s := splitter{delim: d}
		s.split(first.text)
		s.closeOpen(first.text)
		fields, _ := s.fields(first.text, nil, nil)
		header := make([]string, len(fields))
		for i, f := range fields {
			header[i] = line1(text(f))
		}
		for len(header) > 1 && header[len(header)-1] == "" {
			header = header[:len(header)-1]
		}
		if k := known(header, f); k > bestKnown || k == bestKnown && len(header) > len(best.header) {
			bestKnown = k
			best.header, best.s = header, splitter{delim: d}
		}
	}
	if len(best.header) > maxColumns {
		return nil, fmt.Errorf("%w has more than %d columns", errHeader, maxColumns)
	}
	return best, nil
}

// withoutHeader chooses the delimiter that gives the first row as many fields
// as the profile has columns, or comes nearest.
func withoutHeader(l *lines, first line, candidates []byte, f dealer.Feed) *records {
	table := &records{lines: l, header: f.Header}
	nearest := maxRow
	var row []string
	for _, d := range candidates {
		s := splitter{delim: d}
		s.split(first.text)
		s.closeOpen(first.text)
		off := len(s.spans) - len(f.Header)
		if off = max(off, -off); off >= nearest {
			continue
		}
		nearest, table.s, row = off, splitter{delim: d}, nil
		fields, _ := s.fields(first.text, nil, nil)
		for _, cell := range fields {
			row = append(row, foldHeader(text(cell)))
		}
	}
	same := func(cell, name string) bool { return cell == foldHeader(name) }
	if !slices.EqualFunc(row, f.Header, same) {
		l.giveBack([]line{first})
	}
	return table
}
