package adf

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

var (
	// ErrMalformed: the document is not well formed at the line named. Keep the
	// raw text: a person can still read the lead.
	ErrMalformed = errors.New("not well-formed XML")
	// ErrDoctype: the document has a document type declaration. None is
	// needed in a lead, and entities declared there are never expanded.
	ErrDoctype = errors.New("document type declaration refused")
	// ErrTooLarge: over 1 MiB, 32 levels or 20,000 elements.
	ErrTooLarge = errors.New("document too large")
	// ErrNoLead: the XML can be read and holds no usable lead; the fatal
	// faults say why.
	ErrNoLead = errors.New("no lead in the document: an ADF lead is a prospect element")
)

// Fault is one departure from ADF 1.0 or from what receivers understand. It
// never quotes the buyer.
type Fault struct {
	Line int `json:"line"`
	// Path is the element, such as /adf/prospect/vendor.
	Path    string `json:"path,omitempty"`
	Problem string `json:"problem"`
	// Mend is what to do about it, as a sentence.
	Mend string `json:"mend,omitempty"`
	// Invalid faults make the document one that the ADF 1.0 DTD does not allow,
	// or no XML.
	Invalid bool `json:"invalid,omitempty"`
	// Fatal faults keep their prospect out of the result.
	Fatal bool `json:"fatal,omitempty"`
}

// String is the fault on one line, without its mend.
func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Path, f.Problem)
}

// stopped is a fault at which reading ends.
type stopped struct {
	kind  error
	fault Fault
}

func (s *stopped) Error() string {
	if s.fault.Problem == "" {
		return fmt.Sprintf("line %d: %v", s.fault.Line, s.kind)
	}
	return fmt.Sprintf("%v: line %d: %s", s.kind, s.fault.Line, s.fault.Problem)
}

func (s *stopped) Unwrap() error { return s.kind }

// Read takes a document as far as it can be understood. Faults come with the
// prospects and also beside an error, ordered by line. The error is nil when
// there is at least one prospect, else it wraps ErrMalformed, ErrDoctype,
// ErrTooLarge, ErrNoLead or what r returned.
func Read(r io.Reader) ([]Prospect, []Fault, error) {
	rd := &reading{}
	prospects, err := rd.read(r)
	return prospects, rd.sorted(), err
}

func (rd *reading) sorted() []Fault {
	slices.SortStableFunc(rd.faults, func(a, b Fault) int { return a.Line - b.Line })
	return rd.faults
}

func (rd *reading) read(r io.Reader) ([]Prospect, error) {
	if err := rd.load(r); err != nil {
		return nil, err
	}
	document, err := rd.parse()
	if err != nil {
		return nil, err
	}
	var out []Prospect
	for i, root := range document.children {
		if i > 0 {
			rd.invalid(root, "a second document begins", "Send one document for each lead.")
		}
		if root.name != "adf" {
			rd.invalid(root, "the root element is "+root.name+", not adf", "Put the lead into <adf><prospect>.")
			continue
		}
		rd.checkOne(root)
		for _, n := range root.all("prospect") {
			rd.unknown = nil
			rd.checkAll(n)
			if p, ok := rd.prospect(n); ok {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		return nil, ErrNoLead
	}
	return out, nil
}
