package pickup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/gzip"
)

// maxFile is the largest export that is fetched, in bytes as they come.
const maxFile = 1 << 30

// spool is a fetched file on its way. What is in it counts for nothing until
// the fetch said that it is whole.
type spool struct {
	file *os.File
	sum  hash.Hash
	size int64
	most int64
	head []byte
}

// headLength is how much of a file tells a web page from an export.
const headLength = 2048

func newSpool(dir string, most int64) (*spool, error) {
	file, err := os.CreateTemp(dir, "pickup-*") // 0600
	if err != nil {
		return nil, &Fault{Reason: connecting(context.Background(), errDisk).Reason, Cause: err}
	}
	return &spool{file: file, sum: sha256.New(), most: most}, nil
}

// Write implements io.Writer.
func (s *spool) Write(p []byte) (int, error) {
	if s.size+int64(len(p)) > s.most {
		return 0, errTooLarge
	}
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	if len(s.head) < headLength {
		s.head = append(s.head, p[:min(n, headLength-len(s.head))]...)
	}
	if err != nil {
		err = errors.Join(errDisk, err)
	}
	return n, err
}

func (s *spool) digest() string { return hex.EncodeToString(s.sum.Sum(nil)) }

func (s *spool) remove() {
	_ = s.file.Close() // its content is of no more use
	_ = os.Remove(s.file.Name())
}

// page reports whether the file is a web page, also a packed one.
func (s *spool) page() bool {
	head := s.head
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		packed, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return false
		}
		plain := make([]byte, headLength)
		n, _ := io.ReadFull(packed, plain) // breaks off, since it is a head only
		head = plain[:n]
	}
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	return bytes.HasPrefix(head, []byte("<")) &&
		(bytes.Contains(head, []byte("<!doctype html")) || bytes.Contains(head, []byte("<html")))
}

// watch ends ctx with errStalled when nothing is written for so long.
func (s *spool) watch(ctx context.Context, silence time.Duration) (context.Context, io.Writer, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(silence, func() { cancel(errStalled) })
	return ctx, watched{s, timer, silence}, func() { timer.Stop(); cancel(nil) }
}

type watched struct {
	into    io.Writer
	timer   *time.Timer
	silence time.Duration
}

func (w watched) Write(p []byte) (int, error) {
	w.timer.Reset(w.silence)
	return w.into.Write(p)
}
