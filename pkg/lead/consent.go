package lead

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// clockSkew is how far ahead of ours a buyer's clock may run.
const clockSkew = 2 * time.Minute

// CheckConsent says whether the grant can be relied on at now: granted, not
// expired, with a text the buyer can have read. An explicit expires_at always
// decides; maxAge, when positive, ends a grant that carries none. It is asked
// again whenever contact data is used, not only on receipt (AAP v1.3
// behavior-rules). The refusal is INVALID_CONSENT and lists every fault.
func CheckConsent(c aap.Consent, maxAge time.Duration, now time.Time) *aap.Error {
	var faults []aap.Violation
	fault := func(member, keyword, text string) {
		faults = append(faults, aap.Violation{InstanceLocation: "/consent/" + member, Keyword: keyword, Error: text})
	}
	if !strings.ContainsFunc(c.ConsentText, visible) {
		fault("consent_text", "pattern", "This is blank; send the text the buyer agreed to, word for word.")
	}
	granted, grantedErr := parseTime(c.GrantedAt)
	switch {
	case grantedErr != nil:
		fault("granted_at", "format", "This is not a time; send an RFC 3339 date-time with an offset.")
	case granted.After(now.Add(clockSkew)):
		fault("granted_at", "formatMaximum", "This lies in the future; send the time at which the buyer agreed.")
	}
	if c.ExpiresAt == "" {
		if maxAge > 0 && grantedErr == nil && now.After(granted.Add(maxAge)) {
			fault("granted_at", "formatMinimum", "This is too long ago for this dealer; ask the buyer again and send the new grant.")
		}
	} else {
		expires, err := parseTime(c.ExpiresAt)
		switch {
		case err != nil:
			fault("expires_at", "format", "This is not a time; send an RFC 3339 date-time with an offset.")
		case grantedErr == nil && !expires.After(granted):
			fault("expires_at", "formatExclusiveMinimum", "This is not later than granted_at; send the end the buyer agreed to, or leave it out.")
		case now.After(expires):
			fault("expires_at", "formatMinimum", "This has passed; ask the buyer again and send the new grant.")
		}
	}
	if len(faults) == 0 {
		return nil
	}
	first := faults[0]
	return aap.Errorf(aap.InvalidConsent, "The consent cannot be used. %s: %s",
		dotted(first.InstanceLocation), first.Error).With("errors", faults)
}

// visible reports whether a reader sees the character; a text of joiners,
// fillers and direction marks shows nothing.
func visible(r rune) bool {
	const brailleBlank = '\u2800'
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != brailleBlank &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Channels lists the ways the buyer may be contacted: allowed by the consent
// and with contact data to use. A text message needs sms; phone does not cover
// it.
func Channels(who aap.Customer, c aap.Consent) []string {
	var usable []string
	for _, channel := range c.AllowedChannels {
		contact := who.Phone
		if channel == "email" {
			contact = who.Email
		}
		if contact != "" {
			usable = append(usable, channel)
		}
	}
	return usable
}

// checkChannels says whether the consent allows a follow-up: the preferred
// channel must be allowed, and at least one allowed channel must have contact
// data. The refusal is CONTACT_CONSENT_REQUIRED.
func checkChannels(who aap.Customer, c aap.Consent) *aap.Error {
	var faults []aap.Violation
	fault := func(keyword, text string) {
		faults = append(faults, aap.Violation{InstanceLocation: "/consent/allowed_channels", Keyword: keyword, Error: text})
	}
	preferred := who.PreferredContact
	if preferred != "" && preferred != "any" && !slices.Contains(c.AllowedChannels, preferred) {
		fault("contains", "This does not allow "+preferred+", the channel customer.preferred_contact asks for.")
	}
	if len(Channels(who, c)) == 0 {
		fault("contains", "This allows no channel whose contact data the customer gives.")
	}
	if len(faults) == 0 {
		return nil
	}
	return aap.Errorf(aap.ContactConsentRequired,
		"The consent does not cover the follow-up. consent.allowed_channels: %s Ask the buyer to allow a channel that can be used, or change customer to match.",
		faults[0].Error).
		With("missing", "consent.allowed_channels").
		With("expected_scope", scope).
		With("allowed_channels", c.AllowedChannels).
		With("errors", faults)
}

// scope is the only scope a grant can have (AAP v1.3 consent-grant schema).
const scope = "lead_submission"

// dotted turns a JSON Pointer into the member path a reader expects.
func dotted(pointer string) string {
	path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	path = strings.ReplaceAll(path, "~1", "/")
	return strings.ReplaceAll(path, "~0", "~")
}
