package feed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var errSyntax = errors.New("syntax")

// maxDepth caps how deep a value may nest.
const maxDepth = 64

// scanner cuts JSON values out of a stream without holding more than one.
type scanner struct {
	r    *bufio.Reader
	line int
	buf  []byte
}

// peek returns the next byte that is not blank, without taking it.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, s.r.UnreadByte()
		}
	}
}

// expect takes the next byte that is not blank.
func (s *scanner) expect(want byte) error {
	c, err := s.peek()
	if err != nil {
		return short(err)
	}
	if c != want {
		return fmt.Errorf("line %d: %w: %q where %q belongs", s.line, errSyntax, c, want)
	}
	_, err = s.r.ReadByte()
	return err
}

func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// wholeLine takes the object of one line. A line that is none is passed over
// with the problem: the next one begins anew. The file may not end inside one.
func (s *scanner) wholeLine() (raw []byte, problem string, err error) {
	s.buf = s.buf[:0]
	ended := false
	for more := true; more; {
		part, err := s.r.ReadSlice('\n')
		ended = err == nil
		if more = errors.Is(err, bufio.ErrBufferFull); err != nil && !more && !errors.Is(err, io.EOF) {
			return nil, "", err
		}
		if len(s.buf) <= maxRow {
			s.buf = append(s.buf, part...)
		}
	}
	s.line++
	switch raw = bytes.TrimSpace(s.buf); {
	case len(raw) > maxRow:
		return nil, tooLong(true), nil
	case !ended && !json.Valid(raw):
		return nil, "", io.ErrUnexpectedEOF
	case !json.Valid(raw) || raw[0] != '{':
		return nil, "a line that is not a JSON object", nil
	}
	return raw, "", nil
}

// value takes one whole value by its brackets and strings. A value longer than
// maxRow is passed over and tooLong. The bytes are good until the next call.
func (s *scanner) value() (raw []byte, tooLong bool, err error) {
	if _, err = s.peek(); err != nil {
		return nil, false, short(err)
	}
	s.buf = s.buf[:0]
	depth, inString, escape := 0, false, false
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && depth == 0 && !inString && len(s.buf) > 0 {
				return s.buf, tooLong, nil
			}
			return nil, false, short(err)
		}
		if c == '\n' {
			s.line++
		}
		if depth == 0 && !inString && len(s.buf) > 0 && (c == ',' || c == ']' || c == '}' || c == '\n' || c == ' ' || c == '\r' || c == '\t' || c == ':') {
			if c == '\n' {
				s.line--
			}
			return s.buf, tooLong, s.r.UnreadByte()
		}
		if len(s.buf) < maxRow {
			s.buf = append(s.buf, c)
		} else {
			tooLong = true
		}
		switch {
		case escape:
			escape = false
		case inString:
			escape = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth < 0 {
			return nil, false, fmt.Errorf("line %d: %w: %q closes nothing", s.line, errSyntax, c)
		}
		if depth == 0 && !inString && (c == '}' || c == ']' || c == '"') {
			return s.buf, tooLong, nil
		}
	}
}
