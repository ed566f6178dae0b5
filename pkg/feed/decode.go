package feed

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// window is how much of a file is looked at to tell its form.
const window = 64 << 10

// decode gives the file as UTF-8, or as bytes of which text decodes those that
// are not, and names the encoding.
func decode(r io.Reader) (*bufio.Reader, string, error) {
	b := bufio.NewReaderSize(r, window)
	head, err := b.Peek(window)
	if err != nil && err != io.EOF && len(head) == 0 {
		return nil, "", err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = b.Discard(3)
		return b, "UTF-8 with mark", nil
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return wide(b, unicode.LittleEndian), "UTF-16LE", nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return wide(b, unicode.BigEndian), "UTF-16BE", nil
	}
	if n := len(head) &^ 1; n >= 4 {
		even, odd := 0, 0
		for i := 0; i < n; i += 2 {
			if head[i] == 0 {
				even++
			}
			if head[i+1] == 0 {
				odd++
			}
		}
		switch {
		case odd > n/4 && even == 0:
			return wide(b, unicode.LittleEndian), "UTF-16LE", nil
		case even > n/4 && odd == 0:
			return wide(b, unicode.BigEndian), "UTF-16BE", nil
		}
	}
	if !validHead(head) {
		return b, "Windows-1252", nil
	}
	return b, "UTF-8", nil
}

func wide(r io.Reader, e unicode.Endianness) *bufio.Reader {
	return bufio.NewReaderSize(transform.NewReader(r, unicode.UTF16(e, unicode.UseBOM).NewDecoder()), window)
}

// validHead allows a character cut at the window's end.
func validHead(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head)
		}
		head = head[n:]
	}
	return true
}

// Forms of a file.
const (
	formText = "text"
	formJSON = "JSON"
	formXML  = "XML"
	formGzip = "gzip"
	formZip  = "zip"
	formBook = "a spreadsheet workbook"
	formPDF  = "PDF"
)

// form tells what kind of file the bytes begin.
func form(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return formGzip
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		if bytes.Contains(head, []byte("xl/")) {
			return formBook
		}
		return formZip
	case bytes.HasPrefix(head, []byte{0xD0, 0xCF, 0x11, 0xE0}):
		return formBook
	case bytes.HasPrefix(head, []byte("%PDF")):
		return formPDF
	}
	switch head = bytes.TrimLeft(head, " \t\r\n\v\f"); {
	case len(head) == 0:
		return formText
	case head[0] == '{' || head[0] == '[':
		return formJSON
	case head[0] == '<':
		return formXML
	}
	return formText
}
