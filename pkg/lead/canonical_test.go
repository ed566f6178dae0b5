package lead_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func sum(t counter, document string) string {
	t.Helper()
	d, err := lead.Digest([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return d
}

func TestDigestIgnoresSpellingOnly(t *testing.T) {
	for _, same := range [][]string{
		{`30000`, `30000.0`, `3e4`, `3E+4`, `0.3e5`, `300000e-1`, `30000.000e0`},
		{`0`, `-0`, `0.0`, `0e9`, `-0.00E-5`},
		{`-1.5`, `-15e-1`, `-1.50`},
		{`1e400`, `10e399`},
		{`9007199254740993`, `9007199254740993.0`},
		{`{"a":1,"b":[true,null]}`, "{ \"b\" : [ true ,\n null ],\t\"a\":1.0 }"},
		{`"é/\n"`, `"\u00e9\/\u000a"`},
		{`"🚗"`, `"\ud83d\ude97"`},
	} {
		for _, s := range same[1:] {
			if sum(t, s) != sum(t, same[0]) {
				t.Errorf("%s and %s differ", s, same[0])
			}
		}
	}
	different := []string{
		`30000`, `30001`, `3e5`, `-30000`, `"30000"`, `0.3`, `9007199254740993`, `9007199254740992`, `1e400`, `1e401`,
		`null`, `true`, `false`, `"null"`, `""`, `[]`, `{}`, `[null]`, `[[]]`, `[1,2]`, `[2,1]`, `[12]`, `["1,2"]`, `["1","2"]`,
		`{"a":1}`, `{"a":"1"}`, `{"A":1}`, `{"a":null}`, `{"a":1,"b":2}`, `{"a":{"b":2}}`, `"a\"b"`, `"a\\\"b"`, `"\u0000"`, `"u0000"`, `"\\u0000"`,
		`"é"`, `"e\u0301"`,
	}
	seen := map[string]string{}
	for _, s := range different {
		if other, dup := seen[sum(t, s)]; dup {
			t.Errorf("%s and %s have one digest", s, other)
		}
		seen[sum(t, s)] = s
	}
}

func TestDigestRefusesWhatIsNotOneDocument(t *testing.T) {
	for _, s := range []string{``, ` `, `{`, `{}{}`, `1 2`, `{"a":}`, `nul`} {
		if d, err := lead.Digest([]byte(s)); err == nil {
			t.Errorf("%q has digest %s", s, d)
		}
	}
}

// respell draws another spelling of the same value.
func respell(t *rapid.T, v any) string {
	blank := rapid.SampledFrom([]string{"", " ", "\n\t"})
	pad := func(s string) string { return blank.Draw(t, "blank") + s + blank.Draw(t, "blank") }
	switch x := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(x))
		for name := range x {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) > 1 {
			names = rapid.Permutation(names).Draw(t, "order")
		}
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = pad(respellString(t, name)) + ":" + pad(respell(t, x[name]))
		}
		return "{" + strings.Join(members, ",") + "}"
	case []any:
		items := make([]string, len(x))
		for i, item := range x {
			items[i] = pad(respell(t, item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case string:
		return respellString(t, x)
	case json.Number:
		return respellNumber(t, string(x))
	default:
		b, _ := json.Marshal(x)
		return string(b)
	}
}

func respellString(t *rapid.T, s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		if r < 0x10000 && (r < ' ' || r == '"' || r == '\\' || rapid.Bool().Draw(t, "escape")) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func respellNumber(t *rapid.T, s string) string {
	value, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%s is no number", s)
	}
	shift := rapid.IntRange(-6, 6).Draw(t, "shift")
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(shift, -shift))), nil))
	if shift > 0 {
		value = new(big.Rat).Quo(value, power)
	} else {
		value = new(big.Rat).Mul(value, power)
	}
	return fmt.Sprintf("%se%d", value.FloatString(20), shift)
}

func TestDigestIsInvariantUnderRespelling(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) json.Number {
		return json.Number(fmt.Sprintf("%d.%03d", rapid.Int64Range(-1e12, 1e12).Draw(t, "whole"), rapid.IntRange(0, 999).Draw(t, "fraction")))
	})
	text := rapid.StringOf(rapid.Rune())
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(
			rapid.Map(number, func(n json.Number) any { return n }), rapid.Map(text, func(s string) any { return s }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just(any(nil)))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(text, value(depth-1), 0, 5), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if other := respell(t, v); sum(t, other) != sum(t, string(plain)) {
			t.Fatalf("%s and %s differ", plain, other)
		}
	})
}

func FuzzDigest(f *testing.F) {
	for _, s := range []string{`{"a":[1e5,-0.0,"x\u0000"]}`, `1e99999999999999999999`, `[[[[]]]]`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		d, err := lead.Digest(document)
		if (err == nil) != json.Valid(document) {
			t.Fatalf("Digest says %v, valid is %v", err, json.Valid(document))
		}
		if err == nil && len(d) != 64 {
			t.Fatalf("digest is %q", d)
		}
	})
}
