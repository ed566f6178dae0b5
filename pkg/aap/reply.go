package aap

import (
	"bytes"
	"encoding/json"
)

// Reply is what a skill answers before it is put into its typed envelope.
type Reply struct {
	// Data becomes the "data" member. A value that implements Appender is
	// written with it, which spares a second encoding of prepared JSON.
	Data any
	// Message is the optional sentence beside it, at most 2000 characters.
	Message string
}

// Appender writes its own JSON at the end of dst and returns the longer slice.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Append writes the response payload {"type","data","message"?} at the end of dst.
func (r Reply) Append(dst []byte, s Skill) ([]byte, error) {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, s.ResponseType()...)
	dst = append(dst, `","data":`...)
	var err error
	if a, ok := r.Data.(Appender); ok {
		dst, err = a.AppendJSON(dst)
	} else {
		dst, err = AppendValue(dst, r.Data)
	}
	if err != nil {
		return dst, err
	}
	if r.Message != "" {
		dst = append(dst, `,"message":`...)
		if dst, err = AppendValue(dst, r.Message); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// AppendValue writes v as JSON without escaping <, > and &, which the
// protocol's readers have no need of.
func AppendValue(dst []byte, v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), nil
}
