package stored

import (
	"encoding/binary"
	"encoding/json"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// AppendRecord writes a lead record at the end of dst. The request and the
// answer's data stay byte for byte as they are: a replay must not differ, and
// the request is the evidence of consent.
func AppendRecord(dst []byte, r lead.Record) ([]byte, error) {
	request, data := r.Request, r.Answer.Data
	r.Request, r.Answer.Data = nil, nil
	rest, err := json.Marshal(r)
	if err != nil {
		return dst, err
	}
	dst = append(dst, recordFormat)
	for _, part := range [][]byte{request, data, rest} {
		dst = binary.AppendUvarint(dst, uint64(len(part)))
		dst = append(dst, part...)
	}
	return dst, nil
}

// Record decodes what AppendRecord wrote.
func Record(src []byte) (lead.Record, error) {
	var r lead.Record
	if len(src) == 0 || src[0] != recordFormat {
		return r, ErrFormat
	}
	src = src[1:]
	var parts [3][]byte
	for i := range parts {
		n, size := binary.Uvarint(src)
		if size <= 0 || n > uint64(len(src)-size) {
			return r, ErrFormat
		}
		parts[i] = append([]byte(nil), src[size:size+int(n)]...)
		src = src[size+int(n):]
	}
	if len(src) != 0 || json.Unmarshal(parts[2], &r) != nil {
		return lead.Record{}, ErrFormat
	}
	r.Request, r.Answer.Data = parts[0], parts[1]
	return r, nil
}
