package main

import (
	"encoding/json"
	"io"
	"strings"
)

// formulaStarts are what spreadsheets take for the beginning of a formula, the
// full-width forms and what they skip before it included.
const formulaStarts = "=+-@\t\r\n|%\u00a0\u3000\uff1d\uff0b\uff0d\uff20\u2212\ufeff "

// tame makes a cell that no spreadsheet evaluates: one that might begin a
// formula gets an apostrophe before it. wild undoes it.
func tame(cell string) string {
	if cell == "" || !strings.ContainsRune(formulaStarts+"'", []rune(cell)[0]) {
		return cell
	}
	return "'" + cell
}

// writeRecord writes one record of CSV (RFC 4180): every cell quoted, so that
// line breaks stay as they are.
func writeRecord(out io.Writer, cells []string) error {
	var b strings.Builder
	for n, cell := range cells {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		b.WriteString(strings.ReplaceAll(tame(cell), `"`, `""`))
		b.WriteByte('"')
	}
	b.WriteString("\r\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// asJSON is the value as JSON, nothing for what is absent.
func asJSON(v any) string {
	body, err := json.Marshal(v)
	if err != nil || string(body) == "null" {
		return ""
	}
	return string(body)
}
