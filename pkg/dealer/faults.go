package dealer

import (
	"fmt"
	"strings"
)

// Faults is the error of Parse: everything that is wrong with a document, in
// the order of its lines. It never repeats a password, token or header value.
type Faults struct {
	// Document names the document in Error. Default dealer.yaml.
	Document string
	// List has at least one fault.
	List []Fault
}

// Fault is one thing that is wrong with a profile.
type Fault struct {
	// Line is counted from 1.
	Line int `json:"line"`
	// Path is where it is, such as rooftops[0].timezone; empty for the document itself.
	Path string `json:"path"`
	// Problem says what is wrong.
	Problem string `json:"problem"`
	// Fix says what to write instead.
	Fix string `json:"fix"`
}

// String is the fault without its document and line.
func (f Fault) String() string {
	var b strings.Builder
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Problem)
	if f.Fix != "" {
		b.WriteString("; " + f.Fix)
	}
	return b.String()
}

// Error prints one fault a line, as "dealer.yaml:12: rooftops[0].timezone: …".
func (f *Faults) Error() string {
	document := f.Document
	if document == "" {
		document = "dealer.yaml"
	}
	var b strings.Builder
	for i, fault := range f.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d: %s", document, fault.Line, fault)
	}
	return b.String()
}
