package feed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// Kinds of XML markup that the reader tells apart.
const (
	xmlStart byte = iota
	xmlEnd
	xmlEmpty
	xmlOther // comment, CDATA section or processing instruction
)

// errDoctype refuses documents that declare types or entities: what they say
// would depend on more than the file, and could be made endless.
var errDoctype = errors.New("a document type declaration (DOCTYPE)")

// tag is one piece of markup.
type tag struct {
	kind byte
	name string // as written, prefix and all
	at   int    // where it begins in the scanner's buf
}

// xmlScanner cuts markup out of a stream. It keeps what it passes over in buf,
// at most maxRow bytes, until the caller shortens it.
type xmlScanner struct {
	r       *bufio.Reader
	line    int
	buf     []byte
	tooLong bool
	names   map[string]string // spares one allocation a tag
}

func (s *xmlScanner) reset(keep []byte) {
	s.buf, s.tooLong = append(s.buf[:0], keep...), false
}

func (s *xmlScanner) byte() (byte, error) {
	c, err := s.r.ReadByte()
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		s.line++
	}
	if len(s.buf) < maxRow {
		s.buf = append(s.buf, c)
	} else {
		s.tooLong = true
	}
	return c, nil
}

// text passes over text up to the next "<", which stays.
func (s *xmlScanner) text() error {
	for {
		part, err := s.r.ReadSlice('<')
		if err == nil {
			part = part[:len(part)-1]
			_ = s.r.UnreadByte()
		}
		s.line += bytes.Count(part, []byte{'\n'})
		if room := maxRow - len(s.buf); len(part) > room {
			part, s.tooLong = part[:room], true
		}
		s.buf = append(s.buf, part...)
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// next passes over text and takes the next markup. A "<" that begins none is text.
func (s *xmlScanner) next() (tag, error) {
	for {
		if err := s.text(); err != nil {
			return tag{}, err
		}
		at := len(s.buf)
		head, _ := s.r.Peek(9)
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			return tag{kind: xmlOther, at: at}, s.until("-->")
		case bytes.HasPrefix(head, []byte("<![CDATA[")):
			return tag{kind: xmlOther, at: at}, s.until("]]>")
		case bytes.HasPrefix(head, []byte("<?")):
			return tag{kind: xmlOther, at: at}, s.until("?>")
		case bytes.HasPrefix(head, []byte("<!")):
			return tag{}, fmt.Errorf("line %d: %w", s.line, errDoctype)
		case len(head) > 2 && head[1] == '/' && isNameByte(head[2]), len(head) > 1 && isNameByte(head[1]):
			t, err := s.tag(at)
			return t, err
		}
		if _, err := s.byte(); err != nil {
			return tag{}, err
		}
	}
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// until passes over everything up to the end of mark.
func (s *xmlScanner) until(mark string) error {
	last := mark[len(mark)-1]
	tail := make([]byte, 0, 16)
	for {
		c, err := s.byte()
		if err != nil {
			return err
		}
		if tail = append(tail, c); len(tail) > len(mark) {
			tail = tail[:copy(tail, tail[1:])]
		}
		if c == last && string(tail) == mark {
			return nil
		}
	}
}

// tag takes a start or end tag. A "<" inside one ends it: the tag is broken,
// and what follows is another.
func (s *xmlScanner) tag(at int) (tag, error) {
	t := tag{at: at}
	var name []byte
	quote, last, inName := byte(0), byte(0), true
	if _, err := s.byte(); err != nil {
		return t, err
	}
	for {
		c, err := s.byte()
		if err != nil {
			return t, err
		}
		if c == '<' {
			if err := s.r.UnreadByte(); err == nil && !s.tooLong {
				s.buf = s.buf[:len(s.buf)-1]
			}
			break
		}
		if quote == 0 && c == '>' {
			if last == '/' && t.kind != xmlEnd {
				t.kind = xmlEmpty
			}
			break
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '/' && inName && len(name) == 0:
			t.kind = xmlEnd
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/':
			inName = false
		case (c == '"' || c == '\'') && !inName:
			quote = c
		case inName && len(name) < 512:
			name = append(name, c)
		}
		last = c
	}
	known, ok := s.names[string(name)]
	if !ok {
		known = string(name)
		if len(s.names) < maxColumns {
			s.names[known] = known
		}
	}
	t.name = known
	return t, nil
}
