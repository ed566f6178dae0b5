package feed

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Limits of packed files. What a packed file grows to is bounded by itself: a
// file that grows by more than maxGrowth is made to do harm.
const (
	maxLayers   = 2
	maxArchive  = 1 << 30
	maxInMemory = 8 << 20
	maxUnpacked = 8 << 30
	maxGrowth   = 400
	// freeGrowth is unpacked before growth is asked about.
	freeGrowth = 64 << 20
)

// dataSuffixes are the names of files in an archive that may be an export,
// surest first: a text file beside another one is a note.
var dataSuffixes = [][]string{
	{".csv", ".tsv", ".tab", ".psv", ".json", ".jsonl", ".ndjson", ".xml", ".rss", ".atom"},
	{".txt", ".dat"},
}

// unpack takes gzip and zip off a file. cleanUp must be called when the file
// has been read, also after an error.
func (r *reader) unpack(body io.Reader) (out io.Reader, cleanUp func(), err error) {
	source := &counted{r: body}
	out = source
	var closing []func()
	cleanUp = func() {
		for _, c := range slices.Backward(closing) {
			c()
		}
	}
	for layer := 0; ; layer++ {
		b := bufio.NewReaderSize(out, window)
		head, err := b.Peek(window)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, cleanUp, r.failed(err)
		}
		kind := form(head)
		if kind != formGzip && kind != formZip {
			return b, cleanUp, nil
		}
		if layer == maxLayers {
			r.report.Format = kind
			return nil, cleanUp, r.refuse("the file is packed more than %d times", maxLayers)
		}
		r.packing += kind + ", "
		if out, err = r.layer(kind, b, source, &closing); err != nil {
			r.report.Format = strings.TrimSuffix(r.packing, ", ")
			return nil, cleanUp, r.failed(err)
		}
	}
}

// layer takes one packing off. source is the file as it came.
func (r *reader) layer(kind string, b io.Reader, source *counted, closing *[]func()) (io.Reader, error) {
	if kind == formGzip {
		in, err := gzip.NewReader(b)
		if err != nil {
			return nil, damaged(kind, err, source)
		}
		return &unpacked{r: in, kind: kind, source: source, packed: func() int64 { return source.n }}, nil
	}
	archive, size, discard, err := seekable(b)
	*closing = append(*closing, discard)
	if err != nil {
		return nil, damaged(kind, err, source)
	}
	files, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, damaged(kind, err, source)
	}
	file, err := export(files.File)
	if err != nil {
		return nil, err
	}
	in, err := file.Open()
	if err != nil {
		return nil, damaged(kind, err, source)
	}
	*closing = append(*closing, func() { _ = in.Close() }) // it was read, or is of no use
	packed := min(int64(file.CompressedSize64), size)
	return &unpacked{r: in, kind: kind, source: source, packed: func() int64 { return packed }}, nil
}

// export is the one file of an archive that holds data. Folders count for
// nothing, and neither do the notes that some systems add.
func export(files []*zip.File) (*zip.File, error) {
	for _, suffixes := range dataSuffixes {
		var found []*zip.File
		for _, f := range files {
			name := path.Base(strings.ReplaceAll(strings.ToLower(f.Name), `\`, "/"))
			if strings.HasPrefix(name, ".") || strings.Contains(f.Name, "__MACOSX/") || f.FileInfo().IsDir() {
				continue
			}
			if slices.Contains(suffixes, path.Ext(strings.TrimSuffix(name, ".gz"))) {
				found = append(found, f)
			}
		}
		switch {
		case len(found) > 1:
			return nil, &Refusal{Reason: fmt.Sprintf("the zip archive holds %d data files; send one archive for each, or one file with every car", len(found))}
		case len(found) == 1 && found[0].Flags&1 != 0:
			return nil, &Refusal{Reason: "the zip archive has a password; send it without one"}
		case len(found) == 1:
			return found[0], nil
		}
	}
	return nil, &Refusal{Reason: "the zip archive holds no data file (csv, tsv, txt, json or xml)"}
}

// seekable gives an archive that can be read in any order: from memory when it
// is small, else from a file that discard removes.
func seekable(in io.Reader) (archive io.ReaderAt, size int64, discard func(), err error) {
	var small bytes.Buffer
	discard = func() {}
	n, err := io.CopyN(&small, in, maxInMemory)
	if errors.Is(err, io.EOF) {
		return bytes.NewReader(small.Bytes()), n, discard, nil
	}
	if err != nil {
		return nil, 0, discard, err
	}
	spool, err := os.CreateTemp("", "feed-*.zip")
	if err != nil {
		return nil, 0, discard, err
	}
	discard = func() {
		_ = spool.Close() // its content is of no more use
		_ = os.Remove(spool.Name())
	}
	size, err = io.Copy(spool, io.MultiReader(&small, io.LimitReader(in, maxArchive)))
	if err == nil && size > maxArchive {
		err = &Refusal{Reason: "the zip archive is larger than 1 GiB; send it as gzip"}
	}
	return spool, size, discard, err
}

// damaged blames the file, unless it did not come whole.
func damaged(kind string, err error, source *counted) error {
	var refusal *Refusal
	switch _, system := errors.AsType[*os.PathError](err); {
	case source.err != nil:
		return source.err
	case system || errors.As(err, &refusal):
		return err
	}
	return &Refusal{Reason: "the " + kind + " file is damaged or breaks off; send it again"}
}

// counted counts what was read and keeps the error that ended it.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// unpacked guards what comes out of a packed file.
type unpacked struct {
	r      io.Reader
	kind   string
	source *counted
	packed func() int64 // how much of it was packed
	n      int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	u.n += int64(n)
	if u.n > maxUnpacked || u.n > freeGrowth && u.n/maxGrowth > u.packed() {
		return 0, &Refusal{Reason: fmt.Sprintf("the %s file unpacks to more than an export holds", u.kind)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(u.kind, err, u.source)
	}
	return n, err
}
