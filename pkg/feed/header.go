package feed

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// openRecords reads the header and chooses the delimiter under which most
// columns are known, then most fields stand.
// A title above the header is passed over. Of a file without a header the
// profile gives the columns; a first row that repeats them is one all the same.
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
	best, n := headed(l, first, candidates, f)
	if n < 2 {
		if below := headedBelow(l, first, candidates, f); below != nil {
			best = below
		}
	}
	if len(best.header) > maxColumns {
		return nil, fmt.Errorf("%w has more than %d columns", errHeader, maxColumns)
	}
	return best, nil
}

// Names of columns may be wrapped, and some reports have a title and a date
// above them.
const (
	maxHeaderLines = 20
	maxTitleLines  = 20
)

// headed reads a line as the header, under each delimiter, and tells how many
// columns are known. Lines below belong to it where a name in quotes goes on
// and more columns are known with them.
func headed(l *lines, first line, candidates []byte, f dealer.Feed) (best *records, most int) {
	best, most = &records{lines: l}, -1
	below := 0
	for _, d := range candidates {
		s := splitter{delim: d}
		s.split(first.text)
		text, wrapped := first.text, 0
		if s.open {
			text, wrapped = wrappedHeader(l, splitter{delim: d}, first)
		}
		for _, try := range []struct {
			text []byte
			more int
		}{{first.text, 0}, {text, wrapped}} {
			header := headerCells(splitter{delim: d}, try.text)
			if k := known(header, f); k > most || k == most && try.more == 0 && len(header) > len(best.header) {
				most, below = k, try.more
				best.header, best.s = header, splitter{delim: d}
			}
			if wrapped == 0 {
				break
			}
		}
	}
	for range below {
		_, _ = l.take() // they were read before
	}
	return best, most
}

// wrappedHeader is the text of a header whose names hold line breaks, and how
// many lines it has below the first; it leaves them to be taken.
func wrappedHeader(l *lines, s splitter, first line) (text []byte, below int) {
	text = slices.Clone(first.text)
	s.split(text)
	var held []line
	for s.open && len(held) < maxHeaderLines && len(text) < maxRow {
		more, err := l.take()
		if err != nil {
			break
		}
		held = append(held, more)
		text = append(append(text, '\n'), more.text...)
		s.resume(text)
	}
	l.giveBack(held)
	if s.open {
		return first.text, 0
	}
	return text, len(held)
}

// headerCells cuts the names of columns apart.
func headerCells(s splitter, line []byte) []string {
	s.split(line)
	s.closeOpen(line)
	fields, _ := s.fields(line, nil, nil)
	header := make([]string, len(fields))
	for i, f := range fields {
		header[i] = line1(text(f))
	}
	for len(header) > 1 && header[len(header)-1] == "" {
		header = header[:len(header)-1]
	}
	return header
}

// headedBelow looks for the header below a title. It names an identity and a
// make or model, which no title and no row of values does; nil when there is none.
func headedBelow(l *lines, first line, candidates []byte, f dealer.Feed) *records {
	held := []line{}
	for titles := 1; len(held) < maxTitleLines; {
		next, err := l.take()
		if err != nil {
			break
		}
		held = append(held, next)
		if next.tooLong || len(bytes.Trim(next.text, " \t,|;")) == 0 {
			continue
		}
		table, n := headed(l, next, candidates, f)
		if m := newMapping(table.header, f); n > 2 && m.identified() && (m.has(mMake) || m.has(mModel)) {
			table.titles, table.titleLine = titles, first.number
			return table
		}
		titles++
	}
	l.giveBack(held)
	return nil
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
