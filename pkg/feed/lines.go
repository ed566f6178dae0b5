package feed

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxRow caps one row, its line breaks included; a longer one is rejected
// without being held.
const maxRow = 1 << 20

// lines reads physical lines and can take lines back.
type lines struct {
	r    *bufio.Reader
	end  byte // '\n', or '\r' in files that know no line feed
	next int  // number of the next line, from 1
	back []line
	free [][]byte
	read int64 // bytes taken from the file
}

type line struct {
	text    []byte
	number  int
	tooLong bool
	noEnd   bool // the file ends without a line end here
}

func newLines(r *bufio.Reader) *lines {
	head, _ := r.Peek(r.Size())
	l := &lines{r: r, end: '\n', next: 1}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		l.end = '\r'
	}
	return l
}

// take returns the next line without its end. The text is the caller's until
// it hands the line to giveBack or recycle.
func (l *lines) take() (line, error) {
	if n := len(l.back); n > 0 {
		got := l.back[n-1]
		l.back = l.back[:n-1]
		return got, nil
	}
	var buf []byte
	if n := len(l.free); n > 0 {
		buf, l.free = l.free[n-1][:0], l.free[:n-1]
	}
	out := line{number: l.next}
	for {
		part, err := l.r.ReadSlice(l.end)
		l.read += int64(len(part))
		if out.tooLong = out.tooLong || len(buf)+len(part) > maxRow; !out.tooLong {
			buf = append(buf, part...)
		}
		switch {
		case err == nil:
			l.next++
			out.text = bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte{l.end}), []byte{'\r'})
			return out, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(buf) > 0 || out.tooLong):
			l.next++
			out.text, out.noEnd = bytes.TrimSuffix(buf, []byte{'\r'}), true
			return out, nil
		default:
			return line{}, err
		}
	}
}

// giveBack returns lines, in file order, to be taken again.
func (l *lines) giveBack(ls []line) {
	for i := len(ls) - 1; i >= 0; i-- {
		l.back = append(l.back, ls[i])
	}
}

func (l *lines) recycle(ls []line) {
	for _, one := range ls {
		if len(l.free) < 8 && cap(one.text) <= 1<<16 {
			l.free = append(l.free, one.text)
		}
	}
}
