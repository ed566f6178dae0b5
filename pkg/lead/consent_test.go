package lead_test

import (
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAConsentTextThatNobodyCanHaveReadIsNone(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	grant := func(text string) aap.Consent {
		return aap.Consent{
			GrantedAt: "2026-05-01T11:00:00Z", AllowedChannels: []string{"email"}, ConsentText: text, Scope: []string{"lead_submission"},
		}
	}
	for name, text := range map[string]string{
		"blanks":            " \t\u00a0\u3000",
		"zero width spaces": "\u200b\u200b",
		"a word joiner":     "\u2060",
		"a byte order mark": "\ufeff",
		"a control":         "\x00\x07",
		"a braille blank":   "\u2800",
		"Hangul fillers":    "\u115f\u1160\u3164\uffa0",
		"a direction mark":  "\u202e",
		"a soft hyphen":     "\u00ad",
	} {
		if e := lead.CheckConsent(grant(text), 0, now); e == nil || e.Code != aap.InvalidConsent {
			t.Errorf("%s: %v", name, e)
		}
	}
	for _, text := range []string{"I agree.", "J\u2019accepte", "同意します", "동의합니다", "\u200fأوافق", "да"} {
		if e := lead.CheckConsent(grant(text), 0, now); e != nil {
			t.Errorf("%q: %v", text, e)
		}
	}
}
