package crm

import (
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// revoked is why a lead is withheld whose consent was taken back.
const revoked = "the buyer took the consent back"

// withheld says why the buyer's consent no longer covers handing the lead
// over, or nothing. Consent is checked where contact data is used, not only
// where it was received (AAP v1.3 behavior-rules).
func withheld(r lead.Record, story []lead.Event, p *dealer.Profile, now time.Time) string {
	request, err := r.Lead()
	if err != nil {
		return "" // rendering fails on it and says so
	}
	consent, customer := lead.Remaining(request.Consent, story), request.Customer
	if len(consent.AllowedChannels) == 0 && len(request.Consent.AllowedChannels) > 0 {
		return revoked
	}
	if consent.ExpiresAt != "" {
		if end, ok := parseTime(consent.ExpiresAt); !ok || !now.Before(end) {
			return "consent has expired"
		}
	} else if window := p.Leads.ConsentMaxAge.Std(); window > 0 {
		if granted, ok := parseTime(consent.GrantedAt); !ok || !now.Before(granted.Add(window)) {
			return "consent is older than the dealer accepts"
		}
	}
	if len(lead.Channels(customer, consent)) == 0 {
		return "consent covers no channel the buyer can be reached on"
	}
	return ""
}

func parseTime(s string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return at, err == nil
}
