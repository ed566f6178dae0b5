package adf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
)

// Check compares a document with XML 1.0 and the ADF 1.0 DTD, and with what
// receivers understand, and returns every departure with how to mend it, by
// line. Only those with Invalid set make it a document that the DTD does not
// allow. Of text that is no XML only the faults up to the place are found.
//
// The DTD as published does not parse; it is taken as meant: condition after
// odometer, the children of timeframe inside it, primarycontact on contact.
//
// The error is what r returned.
func Check(r io.Reader) ([]Fault, error) {
	rd := &reading{}
	_, err := rd.read(r)
	var end *stopped
	switch {
	case errors.As(err, &end):
		if end.fault.Problem == "" {
			end.fault.Problem = end.kind.Error()
		}
		rd.faults = append(rd.faults, end.fault)
	case errors.Is(err, ErrTooLarge):
		rd.faults = append(rd.faults, Fault{Line: 1, Problem: err.Error(), Mend: "Send one lead in a document, without pictures.", Invalid: true})
	case errors.Is(err, ErrNoLead):
		if !slices.ContainsFunc(rd.faults, func(f Fault) bool { return f.Invalid || f.Fatal }) {
			rd.faults = append(rd.faults, Fault{Line: 1, Problem: err.Error(), Mend: "Put the lead into <adf><prospect>.", Invalid: true})
		}
	case err != nil:
		return nil, err
	}
	rd.strictly()
	return rd.sorted(), nil
}

// strictly finds the first thing that a strict parser refuses, unless something
// of the kind is known.
func (rd *reading) strictly() {
	if slices.ContainsFunc(rd.faults, func(f Fault) bool { return f.Invalid }) {
		return
	}
	dec := xml.NewDecoder(bytes.NewReader(rd.data))
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			end := &stopped{}
			if errors.As(rd.syntax(int(dec.InputOffset()), &element{}, err), &end) {
				rd.faults = append(rd.faults, end.fault)
			}
			return
		}
	}
}
