package stored

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// AppendLog writes publications at the end of dst, compressed: a log repeats
// itself, and is seldom read.
func AppendLog(dst []byte, entries []inventory.Publication) ([]byte, error) {
	out := bytes.NewBuffer(append(dst, logFormat))
	packed, err := flate.NewWriter(out, flate.DefaultCompression)
	if err != nil {
		return dst, err
	}
	enc := json.NewEncoder(packed)
	for i := range entries {
		if err := enc.Encode(&entries[i]); err != nil {
			return dst, err
		}
	}
	if err := packed.Close(); err != nil {
		return dst, err
	}
	return out.Bytes(), nil
}

// Log calls each for every publication that AppendLog wrote.
func Log(src []byte, each func(inventory.Publication) error) error {
	if len(src) == 0 || src[0] != logFormat {
		return ErrFormat
	}
	dec := json.NewDecoder(flate.NewReader(bytes.NewReader(src[1:])))
	for {
		var p inventory.Publication
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return ErrFormat
		}
		if err := each(p); err != nil {
			return err
		}
	}
}
