package doctor

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// longest is how much of one sentence a report shows, in bytes.
const longest = 400

// said formats what was seen so that it can be shown anywhere: on one line,
// printable, short and without the token.
func said(token, format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if token != "" {
		text = strings.ReplaceAll(text, token, "[token]")
	}
	return clip(printable(text), longest)
}

// Printable makes a text of another examination fit for a report.
func Printable(s string) string { return clip(printable(s), longest) }

// printable blanks what a stranger's text could steer a terminal or a log with;
// direction marks count among it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// quoted is a stranger's word inside a sentence.
func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return `"` + clip(s, 120) + `"`
}

// listed tells the first violations of a document, which repeat nothing of it
// but names of members.
func listed(faults []aap.Violation) string {
	var parts []string
	for _, f := range faults {
		if len(parts) == 2 {
			parts = append(parts, fmt.Sprintf("and %d more", len(faults)-2))
			break
		}
		at := f.InstanceLocation
		if at == "" {
			at = "the whole"
		}
		parts = append(parts, clip(at, 80)+" ("+f.Keyword+"): "+f.Error)
	}
	return strings.Join(parts, "; ")
}
