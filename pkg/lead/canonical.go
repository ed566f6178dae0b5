package lead

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Digest identifies a JSON document by its value: the hex SHA-256 of its
// canonical form. Member order, blanks, string escapes and number spelling
// (30000, 30000.0, 3e4) do not count; every value does. The form follows
// RFC 8785, except that numbers keep their exact decimal value instead of the
// nearest float64.
func Digest(document []byte) (string, error) {
	v, err := decode(document)
	if err != nil {
		return "", err
	}
	return digest(v), nil
}

// decode reads one JSON document with its numbers as they are spelled.
func decode(document []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading the payload: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading the payload: more than one JSON value")
	}
	return v, nil
}

func digest(v any) string { return digestOf(v, asWritten) }

// digestOf is digest with every text but the names of members in another form.
func digestOf(v any, form func(string) string) string {
	sum := sha256.Sum256(appendCanonical(make([]byte, 0, 1024), v, form))
	return hex.EncodeToString(sum[:])
}

func asWritten(s string) string { return s }

func appendCanonical(dst []byte, v any, form func(string) string) []byte {
	switch x := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(x)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, name), ':')
			dst = appendCanonical(dst, x[name], form)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCanonical(dst, item, form)
		}
		return append(dst, ']')
	case string:
		return appendString(dst, form(x))
	case json.Number:
		return appendNumber(dst, string(x))
	case bool:
		return strconv.AppendBool(dst, x)
	default:
		return append(dst, "null"...)
	}
}

// appendString escapes only what JSON demands.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, fmt.Sprintf(`\u%04x`, c)...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendNumber writes digits without zeros at either end and a power of ten,
// which is one spelling for each value.
func appendNumber(dst []byte, s string) []byte {
	mantissa, power, _ := strings.Cut(strings.ToLower(s), "e")
	exponent := int64(0)
	if power != "" {
		var err error
		if exponent, err = strconv.ParseInt(power, 10, 32); err != nil {
			return append(dst, s...)
		}
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return append(dst, '0')
	}
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, trimmed...)
	if exponent != 0 {
		dst = strconv.AppendInt(append(dst, 'e'), exponent, 10)
	}
	return dst
}

// unmarshal reads a checked payload into a wire type.
func unmarshal(payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("reading the payload: %w", err)
	}
	return nil
}
