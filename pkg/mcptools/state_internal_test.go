package mcptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var asked = time.Date(2026, 6, 15, 15, 0, 0, 0, time.UTC)

func TestAStateIsGoodForTheSameThingsUntilItExpires(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.String()).Draw(t, "parts")
		s := newState(rapid.SliceOfN(rapid.Byte(), 1, 80).Draw(t, "key"))
		at := asked.Add(time.Duration(rapid.Int64Range(-1e17, 1e17).Draw(t, "at")))
		token := s.sign(at, parts...)
		age := time.Duration(rapid.Int64Range(int64(-time.Hour), int64(time.Hour)).Draw(t, "age"))
		whole := at.Truncate(time.Second).Add(age)
		if got, want := s.verify(token, whole, parts...), age >= -clockSkew && age <= formLife; got != want {
			t.Fatalf("age %v: %v", age, got)
		}
		if strings.Contains(token, "\n") || len(token) != 54 {
			t.Fatalf("token %q", token)
		}
	})
}

func TestAStateIsGoodForNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringN(0, 6, -1), 1, 5).Draw(t, "parts")
		s := newState([]byte("0123456789abcdef"))
		token := s.sign(asked, parts...)
		others := rapid.SliceOfN(rapid.StringN(0, 6, -1), 0, 6).Draw(t, "others")
		if !slices.Equal(parts, others) && s.verify(token, asked, others...) {
			t.Fatalf("%q is good for %q", parts, others)
		}
		if whole := strings.Join(parts, ""); len(parts) > 1 && s.verify(token, asked, whole) {
			t.Fatalf("%q is good for %q", parts, whole)
		}
		if newState([]byte("another key")).verify(token, asked, parts...) || newState(nil).verify(token, asked, parts...) {
			t.Fatal("another key takes it")
		}
		at := rapid.IntRange(0, len(token)-1).Draw(t, "at")
		for _, c := range []byte("AQgw9_-= \n.") {
			altered := token[:at] + string(c) + token[at+1:]
			if altered != token && s.verify(altered, asked, parts...) {
				t.Fatalf("%q passes for %q", altered, token)
			}
		}
		for _, altered := range []string{"", token[:at], token + token, token + "A", token[:at] + "\n" + token[at:]} {
			if s.verify(altered, asked, parts...) {
				t.Fatalf("%q passes for %q", altered, token)
			}
		}
	})
}

func TestWithoutAKeyEachProcessHasItsOwn(t *testing.T) {
	if a, b := newState(nil), newState(nil); a.sign(asked, "x") == b.sign(asked, "x") {
		t.Error("two processes sign alike")
	}
}

// FuzzState: nothing but what was signed passes, however it is spelt.
func FuzzState(f *testing.F) {
	s := newState([]byte("0123456789abcdef0123456789abcdef"))
	good := s.sign(asked, "tool", "dealer")
	for _, token := range []string{"", good, good[:53], good + "=", strings.ToUpper(good), "\n" + good, strings.Repeat("A", 54), s.sign(asked, "tool", "another"), s.sign(asked.Add(-time.Hour), "tool", "dealer")} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if s.verify(token, asked, "tool", "dealer") != (token == good) {
			// Another second of the life of a form would need the key.
			t.Fatalf("%q", token)
		}
	})
}
