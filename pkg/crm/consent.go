package crm

import (
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// withheld says why the buyer's consent no longer covers handing the lead
// over, or nothing. Consent is checked where contact data is used, not only
// where it was received (AAP v1.3 behavior-rules).
func withheld(r lead.Record, p *dealer.Profile, now time.Time) string {
	request, err := r.Lead()
	if err != nil {
		return "" // rendering fails on it and says so
	}
	consent, customer := request.Consent, request.Customer
	if consent.ExpiresAt != "" {
		if end, ok := parseTime(consent.ExpiresAt); !ok || !now.Before(end) {
			return "consent has expired"
		}
	} else if window := p.Leads.ConsentMaxAge.Std(); window > 0 {
		if granted, ok := parseTime(consent.GrantedAt); !ok || !now.Before(granted.Add(window)) {
			return "consent is older than the dealer accepts"
		}
	}
	byEmail := customer.Email != "" && slices.Contains(consent.AllowedChannels, "email")
	byPhone := customer.Phone != "" &&
		(slices.Contains(consent.AllowedChannels, "phone") || slices.Contains(consent.AllowedChannels, "sms"))
	if !byEmail && !byPhone {
		return "consent covers no channel the buyer can be reached on"
	}
	return ""
}

func parseTime(s string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return at, err == nil
}
