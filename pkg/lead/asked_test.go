package lead_test

import (
	"context"
	"strings"
	"testing"
)

// TestALeadWhoseConsentWasAskedForIsFoundWithoutIt: a grant asked for a second
// time bears another time, and one that was not asked for yet is not there.
func TestALeadWhoseConsentWasAskedForIsFoundWithoutIt(t *testing.T) {
	s := open()
	first := s.accept(t, keyed("k").bytes())
	s.accept(t, baseLead().with("/message", "no key").bytes())
	told := s.accept(t, keyed("of a duplicate").bytes())
	for name, c := range map[string]struct {
		payload []byte
		found   bool
	}{
		"a duplicate granted later":        {keyed("of a duplicate").with("/consent/granted_at", "2026-06-10T11:59:59Z").bytes(), true},
		"a duplicate with other channels":  {keyed("of a duplicate").with("/consent/allowed_channels", []any{"sms"}).bytes(), false},
		"a duplicate with another message": {keyed("of a duplicate").with("/message", "x").bytes(), false},
		"the payload itself":               {keyed("k").bytes(), true},
		"granted later":                    {keyed("k").with("/consent/granted_at", "2026-06-10T11:59:59Z").bytes(), true},
		"without a consent":                {keyed("k").without("/consent").bytes(), true},
		"other channels":                   {keyed("k").with("/consent/allowed_channels", []any{"sms"}).bytes(), false},
		"another text":                     {keyed("k").with("/consent/consent_text", "Whatever.").bytes(), false},
		"a consent that is null":           {keyed("k").with("/consent", nil).bytes(), false},
		"another message":                  {keyed("k").without("/consent").with("/message", "x").bytes(), false},
		"another key":                      {keyed("k2").without("/consent").bytes(), false},
		"no key":                           {baseLead().without("/consent").bytes(), false},
		"the key of a duplicate":           {keyed("of a duplicate").without("/consent").bytes(), false},
		"another skill":                    {keyed("k").with("/type", "inventory.search.request").bytes(), false},
		"no object":                        {[]byte(`[]`), false},
		"nothing":                          {nil, false},
		"a key that is not the text":       {keyed("k").with("/idempotency_key", 5).bytes(), false},
	} {
		reply, found, err := s.ReplayAsked(context.Background(), s.profile, c.payload)
		if err != nil || found != c.found {
			t.Errorf("%s: %v, %v", name, found, err)
		} else if want := map[bool]string{false: first.raw, true: told.raw}[strings.HasPrefix(name, "a duplicate")]; found && readReply(t, reply).raw != want {
			t.Errorf("%s: another answer", name)
		}
	}
	other := profile()
	other.ID = "another-dealer"
	if _, found, err := s.ReplayAsked(context.Background(), other, keyed("k").bytes()); found || err != nil {
		t.Errorf("another dealer: %v, %v", found, err)
	}
	if len(s.leads(t)) != 1 {
		t.Errorf("%d leads", len(s.leads(t)))
	}
}
