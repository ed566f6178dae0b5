package inventory

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestSpellingsOfOneNameFoldAlike(t *testing.T) {
	for want, spellings := range map[string][]string{
		"citroen": {"Citroën", "CITROE\u0308N", "Citroen"},
		"skoda":   {"Škoda", "S\u030Ckoda", "SKODA"},
		"honda":   {"ＨＯＮＤＡ", "Ｈｏｎｄａ"},
		"fiat":    {"ﬁat", "Fi-at", "Fi\u2010at"},
		"3m2":     {"3 m²", "3m2"},
		"현대":      {"현대", "현 대"},
		"ﷺ":       {"ﷺ"},
	} {
		for _, s := range spellings {
			if got := fold(s); got != want {
				t.Errorf("fold(%q) is %q, want %q", s, got, want)
			}
		}
	}
	if got := strings.Join(words("Ｇａｓ／ÉLECTRIQUE ½"), " "); got != "gas electrique 1 2" {
		t.Errorf("words are %q", got)
	}
}

// What is compared is never much longer than what a buyer wrote.
func TestFoldingDoesNotBlowUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "text")
		if got := fold(s); len(got) > longestForm*len([]rune(s)) {
			rt.Errorf("%d bytes are folded to %d", len(s), len(got))
		}
		if composed := norm.NFC.String(s); !hangul(composed) && fold(composed) != fold(norm.NFD.String(composed)) {
			rt.Errorf("%q composed and decomposed fold apart", s)
		}
	})
}

func hangul(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 })
}
