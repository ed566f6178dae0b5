package adf

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// cursor reads plain JSON from front to back: no byte is looked at twice, and
// none is skipped unread. Its methods report false where the text is not plain,
// be it unusual or damaged; what was read up to there is then void.
type cursor struct {
	text string
	at   int
}

func (c *cursor) blanks() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// take passes a character that may have blanks around it.
func (c *cursor) take(char byte) bool {
	c.blanks()
	if c.at == len(c.text) || c.text[c.at] != char {
		return false
	}
	c.at++
	c.blanks()
	return true
}

// end reports whether nothing but blanks is left.
func (c *cursor) end() bool {
	c.blanks()
	return c.at == len(c.text)
}

// object reads an object and puts each of its members where of says.
func (c *cursor) object(of members) bool {
	if !c.take('{') {
		return false
	}
	if c.take('}') {
		return true
	}
	for {
		name, ok := c.string()
		if !ok || !c.take(':') || !c.value(of(name)) {
			return false
		}
		if !c.take(',') {
			return c.take('}')
		}
	}
}

func (c *cursor) value(into any) (ok bool) {
	switch into := into.(type) {
	case *string:
		*into, ok = c.string()
		return ok
	case **aap.Int:
		n := new(aap.Int)
		*into = n
		return c.integer(n)
	case *[]string:
		return c.strings(into)
	case members:
		return c.object(into)
	}
	return false
}

func (c *cursor) strings(into *[]string) bool {
	if !c.take('[') {
		return false
	}
	list := make([]string, 0, 4)
	for !c.take(']') {
		if len(list) > 0 && !c.take(',') {
			return false
		}
		s, ok := c.string()
		if !ok {
			return false
		}
		list = append(list, s)
	}
	*into = list
	return true
}

// isText marks the bytes of ASCII that stand for themselves in a string.
var isText = func() (text [256]bool) {
	for b := 0x20; b < utf8.RuneSelf; b++ {
		text[b] = b != '"' && b != '\\'
	}
	return text
}()

// string reads a string; one without escapes is a part of the text.
func (c *cursor) string() (string, bool) {
	if c.at == len(c.text) || c.text[c.at] != '"' {
		return "", false
	}
	start, escaped, ascii := c.at, false, true
	for at := start + 1; at < len(c.text); at++ {
		switch b := c.text[at]; {
		case isText[b]:
		case b == '"':
			c.at = at + 1
			if s := c.text[start+1 : at]; !escaped && (ascii || utf8.ValidString(s)) {
				return s, true
			}
			var s string
			err := json.Unmarshal([]byte(c.text[start:c.at]), &s)
			return s, err == nil
		case b == '\\':
			escaped = true
			at++
		case b >= utf8.RuneSelf:
			ascii = false
		default:
			return "", false // a control character
		}
	}
	return "", false
}

// integer reads a whole number as people write it.
func (c *cursor) integer(into *aap.Int) bool {
	const longest = 18 // digits that fit an int64
	start, n := c.at, int64(0)
	for ; c.at < len(c.text) && c.text[c.at] >= '0' && c.text[c.at] <= '9'; c.at++ {
		if c.at-start == longest {
			return false
		}
		n = n*10 + int64(c.text[c.at]-'0')
	}
	if digits := c.at - start; digits == 0 || digits > 1 && c.text[start] == '0' {
		return false
	}
	*into = aap.Int(n)
	return true
}
