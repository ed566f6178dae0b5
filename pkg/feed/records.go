package feed

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

var errHeader = errors.New("the header")

// Lookahead for the end of a quoted field that spans lines stops at this many
// lines, and altogether once the failed attempts of a file have cost this many
// bytes beyond four times what was read: time stays linear in the file's size.
const (
	maxSpanLines   = 2000
	freeLookahead  = 4 << 20
	lookaheadShare = 4
)

// endOfText ends the files of some old systems.
const endOfText = 0x1a

// record is one row of a table: its fields by column, or why it has none.
type record struct {
	fields  [][]byte
	line    int
	problem string // not empty: the row is rejected
	mended  bool   // quotes were read leniently
	short   bool   // fewer fields than the header
	unclean bool   // markup was mended
	latin   bool   // text that is not UTF-8
}

// records reads delimited rows under a header. A row whose quotes are broken
// costs at most itself: when the quoted reading does not give the header's
// number of fields, or eats a line that is a whole row by itself, other
// readings of the first line alone are tried.
type records struct {
	lines  *lines
	header []string
	s      splitter
	probe  splitter

	held    []line
	text    []byte
	fields  [][]byte
	scratch []byte
	wasted  int64
	broken  bool
	any     bool // a row has been read
	shorts  bool // rows without their last fields are usual in this file

	titles, titleLine int // lines above the header, and where they begin
}

func (r *records) columns() []string { return r.header }

// next returns the next row that is not blank, or io.EOF.
func (r *records) next() (record, error) {
	for {
		first, err := r.lines.take()
		if err != nil {
			return record{}, err
		}
		if first.tooLong {
			return record{line: first.number, problem: "the row is longer than 1 MiB"}, nil
		}
		if r.blank(first.text) {
			r.broken = false
			continue
		}
		rec, found := r.parse(first)
		if found || rec.problem == "" {
			r.broken = false
			return rec, nil
		}
		if r.broken && len(r.s.spans)*2 < len(r.header) {
			continue // the rest of a row already rejected
		}
		r.broken = true
		return rec, nil
	}
}

func (r *records) blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != r.s.delim && c != endOfText {
			return false
		}
	}
	return true
}

// parse tries the readings of a row in turn; found says that one of them gives
// the header's number of fields.
func (r *records) parse(first line) (rec record, found bool) {
	n := len(r.header)
	r.held = append(r.held[:0], first)
	defer func() { r.lines.recycle(r.held) }()

	used := r.attempt(false, false, r.mayLook())
	plain := used == 1 && !r.s.odd
	if len(r.s.spans) == n && !r.swallows(used) {
		return r.take(used, r.s.odd), true
	}
	r.waste(used)
	if !plain {
		for _, try := range []struct{ tail, raw, multi bool }{
			{true, false, r.mayLook()}, {false, false, false}, {true, false, false}, {false, true, false},
		} {
			used = r.attempt(try.tail, try.raw, try.multi)
			if len(r.s.spans) == n && !r.swallows(used) {
				return r.take(used, true), true
			}
			r.waste(used)
		}
		r.attempt(false, false, false)
	}
	switch got := len(r.s.spans); {
	case got > n && r.extraBlank(n):
		rec = r.take(1, !plain)
		rec.fields = rec.fields[:n]
		return rec, true
	case got > n && plain:
		rec.problem = fmt.Sprintf("%d fields under a header of %d", got, n)
	case plain && first.noEnd && !r.shorts && r.any:
		rec.problem = "the file ends inside this row"
	case plain && (got > 1 || n == 1):
		r.shorts = true
		rec = r.take(1, false)
		rec.short = true
		return rec, false
	case plain:
		rec.problem = "a single field, no delimiter"
	default:
		rec.problem = "quotes that cannot be matched"
	}
	rec.line = first.number
	r.release(1)
	return rec, false
}

// waste counts the bytes of a reading over several lines that did not do.
func (r *records) waste(used int) {
	if used > 1 {
		r.wasted += int64(len(r.text))
	}
}

func (r *records) mayLook() bool {
	return r.wasted <= freeLookahead+lookaheadShare*r.lines.read
}

// attempt splits the row one way and returns how many lines it spans.
func (r *records) attempt(tail, raw, multi bool) int {
	r.s.tail, r.s.raw = tail, raw
	text := r.held[0].text
	r.s.split(text)
	used := 1
	if r.s.open && multi {
		r.text = append(r.text[:0], text...)
		for r.s.open && used < maxSpanLines {
			if used == len(r.held) {
				more, err := r.lines.take()
				if err != nil {
					break
				}
				r.held = append(r.held, more)
			}
			more := r.held[used]
			if more.tooLong || len(r.text)+len(more.text) >= maxRow {
				break
			}
			r.text = append(append(r.text, '\n'), more.text...)
			r.s.resume(r.text)
			used++
		}
		text = r.text
	}
	if r.s.open {
		if used > 1 { // never closed: the first line alone is another attempt
			return used
		}
		r.s.closeOpen(text)
	}
	return used
}

// swallows reports whether the row is still open, or a later line of it is a
// whole, cleanly quoted row by itself.
func (r *records) swallows(used int) bool {
	if r.s.open {
		return true
	}
	n := len(r.header)
	if used == 1 || n < 3 {
		return false
	}
	r.probe.delim = r.s.delim
	for _, l := range r.held[1:used] {
		if r.blank(l.text) {
			continue
		}
		r.probe.split(l.text)
		if r.probe.open || r.probe.odd || len(r.probe.spans) != n {
			continue
		}
		if n >= 6 || !bytes.Contains(l.text, []byte{r.s.delim, ' '}) {
			return true
		}
	}
	return false
}

func (r *records) extraBlank(n int) bool {
	text := r.held[0].text
	for _, sp := range r.s.spans[n:] {
		if len(bytes.TrimSpace(text[sp.start:sp.end])) > 0 {
			return false
		}
	}
	return true
}

// take makes the record of the reading in s and gives back the lines beyond it.
func (r *records) take(used int, mended bool) record {
	text := r.held[0].text
	if used > 1 {
		text = r.text
	}
	r.fields, r.scratch = r.s.fields(text, r.fields[:0], r.scratch[:0])
	r.any = true
	rec := record{fields: r.fields, line: r.held[0].number, mended: mended, latin: !utf8.Valid(text)}
	r.release(used)
	return rec
}

func (r *records) release(used int) {
	r.lines.giveBack(r.held[used:])
	r.held = r.held[:used]
}
