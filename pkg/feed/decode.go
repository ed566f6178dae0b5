package feed

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// window is how much of a file is looked at to tell its form.
const window = 64 << 10

// decode gives the file as UTF-8, or as bytes of which text decodes those that
// are not, and names the encoding. A mark at its beginning says which it is,
// then the profile, then an XML declaration.
func decode(r io.Reader, profile string) (*bufio.Reader, string, error) {
	b := bufio.NewReaderSize(r, window)
	head, err := b.Peek(window)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	switch {
	case bytes.HasPrefix(head, []byte("ï»¿")): // a mark that was taken for Windows-1252 on the way
		_, _ = b.Discard(len("ï»¿"))
		return b, "UTF-8 with mark", nil
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = b.Discard(3)
		return b, "UTF-8 with mark", nil
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return wide(b, unicode.LittleEndian), "UTF-16LE", nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return wide(b, unicode.BigEndian), "UTF-16BE", nil
	}
	if profile != "" {
		return named(b, profile)
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
	if name := declared(head); name != "" {
		return named(b, name)
	}
	if !validHead(head) {
		return b, "Windows-1252", nil
	}
	return b, "UTF-8", nil
}

func wide(r io.Reader, e unicode.Endianness) *bufio.Reader {
	return bufio.NewReaderSize(transform.NewReader(r, unicode.UTF16(e, unicode.UseBOM).NewDecoder()), window)
}

var declaration = regexp.MustCompile(`^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// declared is the encoding that an XML declaration names, or empty.
func declared(head []byte) string {
	if found := declaration.FindSubmatch(head[:min(len(head), 256)]); found != nil {
		return string(found[1])
	}
	return ""
}

// named decodes a file by the name of its encoding.
func named(b *bufio.Reader, name string) (*bufio.Reader, string, error) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, "", &Refusal{Reason: "the encoding " + safe(name) + " is not known; name the right one in feed.encoding"}
	}
	usual, err := htmlindex.Name(e)
	if strings.EqualFold(name, "iso-8859-1") || err != nil {
		usual = name
	}
	switch usual {
	case "utf-8", "utf-16le", "utf-16be": // the bytes before this said better
		return b, "UTF-8", nil
	}
	return bufio.NewReaderSize(transform.NewReader(b, e.NewDecoder()), window), encodingName(usual), nil
}

func encodingName(s string) string {
	if strings.HasPrefix(s, "windows") {
		return "W" + s[1:]
	}
	return strings.ToUpper(s)
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
	formPage = "a web page"
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
	case len(head) > 14 && (bytes.EqualFold(head[:14], []byte("<!doctype html")) || bytes.EqualFold(head[:5], []byte("<html"))):
		return formPage
	case head[0] == '<':
		return formXML
	}
	return formText
}
