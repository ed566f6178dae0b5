package feed

import "bytes"

// span is one field inside a record's bytes.
type span struct {
	start, end int
	escaped    bool // holds doubled quotes
	slashed    bool // holds quotes behind a backslash
}

// splitter cuts one record into fields. Quoting is read leniently: a quote
// inside a quoted field that no delimiter follows is text.
type splitter struct {
	delim byte
	// tail reads a doubled quote before a delimiter as text and the end of the
	// field ("17"" for 17 inches) instead of as an escaped quote.
	tail bool
	// raw ignores quotes altogether.
	raw bool

	spans []span
	// odd is set when quotes stood where they should not.
	odd bool
	// open is set when the text ended inside a quoted field, which then
	// starts at openAt.
	open   bool
	openAt int
	// slashed is set once a quoted field has a quote behind a backslash that
	// ends nothing; then no quote behind a backslash ends the field.
	slashed bool
	scan    int // where a continued scan of the open field resumes
}

// split starts a new record.
func (s *splitter) split(text []byte) {
	s.spans, s.odd, s.open = s.spans[:0], false, false
	s.from(text, 0)
}

// resume goes on after more text was appended to a record that was open.
func (s *splitter) resume(text []byte) {
	s.open = false
	if at, more := s.quoted(text, s.openAt, s.scan); more {
		s.from(text, at)
	}
}

// closeOpen ends an open field at the end of text.
func (s *splitter) closeOpen(text []byte) {
	if s.open {
		s.spans = append(s.spans, span{s.openAt, len(text), true, s.slashed})
		s.open, s.odd = false, true
	}
}

func (s *splitter) from(text []byte, at int) {
	for {
		if q := s.quoteAt(text, at); q >= 0 {
			next, more := s.quoted(text, q+1, q+1)
			if !more {
				return
			}
			at = next
			continue
		}
		end := bytes.IndexByte(text[at:], s.delim)
		last := end < 0
		if last {
			end = len(text)
		} else {
			end += at
		}
		if !s.raw && !s.odd && bytes.IndexByte(text[at:end], '"') >= 0 {
			s.odd = true
		}
		s.spans = append(s.spans, span{start: at, end: end})
		if last {
			return
		}
		at = end + 1
	}
}

// quoteAt returns where an opening quote stands, blanks and a spreadsheet's
// equals sign (="00417") before it aside, or -1.
func (s *splitter) quoteAt(text []byte, at int) int {
	if s.raw {
		return -1
	}
	for at < len(text) && text[at] == ' ' {
		at++
	}
	if at+1 < len(text) && text[at] == '=' && text[at+1] == '"' {
		at++
	}
	if at < len(text) && text[at] == '"' {
		return at
	}
	return -1
}

// quoted reads a quoted field whose text begins at start, looking for its end
// from scan on. It returns where the next field begins and whether there is one.
func (s *splitter) quoted(text []byte, start, scan int) (int, bool) {
	escaped := scan > start
	if !escaped {
		s.slashed = false
	}
	for {
		q := bytes.IndexByte(text[scan:], '"')
		if q < 0 {
			s.open, s.openAt, s.scan = true, start, len(text)
			return 0, false
		}
		q += scan
		if behind := q > start && text[q-1] == '\\'; behind && (s.slashed || q+1 < len(text) && text[q+1] != '"' && !s.endsAt(text, q+1)) {
			s.slashed, s.odd = true, true
			scan = q + 1
			continue
		}
		if q+1 < len(text) && text[q+1] == '"' {
			if !s.tail || !s.endsAt(text, q+2) {
				escaped = true
				scan = q + 2
				continue
			}
			q++ // the first of the two is text
			s.odd = true
		} else if !s.endsAt(text, q+1) {
			s.odd = true
			scan = q + 1
			continue
		}
		s.spans = append(s.spans, span{start, q, escaped, s.slashed})
		for q++; q < len(text) && text[q] != s.delim; q++ {
		}
		return q + 1, q < len(text)
	}
}

// endsAt reports whether only blanks stand between at and a delimiter, a line
// break or the end.
func (s *splitter) endsAt(text []byte, at int) bool {
	for at < len(text) && text[at] == ' ' && s.delim != ' ' {
		at++
	}
	return at >= len(text) || text[at] == s.delim || text[at] == '\n'
}

// fields appends the values of the spans to dst; scratch holds unescaped ones.
func (s *splitter) fields(text []byte, dst [][]byte, scratch []byte) ([][]byte, []byte) {
	for _, sp := range s.spans {
		part := text[sp.start:sp.end]
		if sp.slashed {
			part = bytes.ReplaceAll(part, []byte(`\"`), []byte(`"`))
		}
		if sp.escaped && bytes.Contains(part, []byte(`""`)) {
			from := len(scratch)
			for i := 0; i < len(part); i++ {
				scratch = append(scratch, part[i])
				if part[i] == '"' && i+1 < len(part) && part[i+1] == '"' {
					i++
				}
			}
			part = scratch[from:len(scratch):len(scratch)]
		}
		dst = append(dst, part)
	}
	return dst, scratch
}
