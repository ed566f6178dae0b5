package adf

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// load takes the document, makes it UTF-8 and drops what XML forbids.
func (rd *reading) load(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	if len(data) > maxBytes {
		return ErrTooLarge
	}
	data, note := decode(data)
	rd.index(data)
	if note != "" {
		rd.invalidAt(0, note, "Save the text as UTF-8 and declare that, or nothing.")
	}
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) != len(data) && bytes.HasPrefix(trimmed, []byte("<?xml")) {
		rd.invalidAt(0, "white space before the XML declaration", "Begin the text with <?xml.")
	}
	rd.data = rd.bracketed(rd.declared(rd.legal(data)))
	rd.index(rd.data)
	return nil
}

var (
	// declaration is a whole XML declaration (XML 1.0 §2.8), instruction the adf
	// one, and anyDeclaration what senders write for either.
	declaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*(?:"1\.[0-9]+"|'1\.[0-9]+')` +
		`(?:\s+encoding\s*=\s*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$`)
	anyDeclaration = regexp.MustCompile(`^\s*<\?xml\s[^<>]*>`)
	anyInstruction = regexp.MustCompile(`^(\s*)<\?adf\b[^<>]*>`)
)

// declared blanks the XML declaration, which has served, and an adf instruction
// without its end, so that no parser stumbles over them; lines stay.
func (rd *reading) declared(data []byte) []byte {
	blank := func(part []byte) {
		for i, c := range part {
			if c != '\n' {
				part[i] = ' '
			}
		}
	}
	begun := anyDeclaration.Find(data)
	if begun != nil {
		if !declaration.Match(bytes.TrimSpace(begun)) {
			rd.invalidAt(0, "the XML declaration is malformed", `Write <?xml version="1.0" encoding="UTF-8"?>.`)
		}
		blank(begun)
	}
	rest := data[len(begun):]
	if m := anyInstruction.FindIndex(rest); m != nil && !bytes.HasSuffix(rest[:m[1]], []byte("?>")) {
		rd.invalidAt(len(begun)+m[1]-1, "the adf instruction has no end", `Write <?adf version="1.0"?>.`)
		blank(rest[:m[1]])
		rd.instructed = true
	}
	return data
}

// bracketed escapes the end of a CDATA section where none has begun.
func (rd *reading) bracketed(data []byte) []byte {
	const end = "]]>"
	if !bytes.Contains(data, []byte(end)) {
		return data
	}
	var out []byte
	for at := 0; at < len(data); {
		length := 1
		switch data[at] {
		case '<':
			length = markup(data[at:])
		case ']':
			if bytes.HasPrefix(data[at:], []byte(end)) {
				rd.invalidAt(at, "]]> outside a CDATA section", "Write ]]&gt;.")
				out, at = append(out, "]]&gt;"...), at+len(end)
				continue
			}
		}
		out, at = append(out, data[at:at+length]...), at+length
	}
	return out
}

// markup is the length of the section, comment or instruction that data begins
// with, else 1.
func markup(data []byte) int {
	for _, m := range [...][2]string{{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?", "?>"}} {
		if !bytes.HasPrefix(data, []byte(m[0])) {
			continue
		}
		if n := bytes.Index(data, []byte(m[1])); n >= 0 {
			return n + len(m[1])
		}
		return len(data)
	}
	return 1
}

func (rd *reading) index(data []byte) {
	rd.lines = rd.lines[:0]
	for i, c := range data {
		if c == '\n' {
			rd.lines = append(rd.lines, i)
		}
	}
}

// legal drops the characters XML 1.0 §2.2 forbids and reports the first.
func (rd *reading) legal(data []byte) []byte {
	forbidden := func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	}
	first := bytes.IndexFunc(data, forbidden)
	if first < 0 {
		return data
	}
	rd.invalidAt(first, "characters that XML forbids were dropped", "Take control characters out before writing.")
	return bytes.Map(func(r rune) rune {
		if forbidden(r) {
			return -1
		}
		return r
	}, data)
}

var declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// decode returns the document in UTF-8 and what was odd about its encoding.
func decode(data []byte) (text []byte, note string) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		if out, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data); err == nil {
			return out, ""
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	name := "utf-8"
	if m := declaredEncoding.FindSubmatch(data[:min(len(data), 200)]); m != nil {
		name = strings.ToLower(string(m[1]))
	}
	western := func() []byte {
		out, err := charmap.Windows1252.NewDecoder().Bytes(data)
		if err != nil {
			return bytes.ToValidUTF8(data, []byte("\ufffd"))
		}
		return out
	}
	switch name {
	case "utf-8", "utf8", "us-ascii", "ascii":
		if utf8.Valid(data) {
			return data, ""
		}
		return western(), "the text is not " + strings.ToUpper(name) + "; read as Windows-1252"
	case "iso-8859-1", "latin1", "windows-1252", "cp1252":
		return western(), ""
	case "iso-8859-15":
		if out, err := charmap.ISO8859_15.NewDecoder().Bytes(data); err == nil {
			return out, ""
		}
	}
	if utf8.Valid(data) {
		return data, "encoding " + name + " is declared, the text is UTF-8"
	}
	return western(), "unknown encoding " + name + "; read as Windows-1252"
}
